/** The secrets of a recording, and their replacement wherever they stand in a text, encoded or not. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { base64Of, lowerAscii } from '../../../inside/values.js'

export const hidden = '***'

/** When it is exceeded, the older half is forgotten. */
const mostSecrets = 50_000
/** A shorter text is hidden in its own field only. */
const shortest = 4
/** A shorter text is replaced as a word, because it also occurs by chance. */
const shortestWithin = 6
/** A text that begins like a longer secret is that secret. */
const comparedLength = 64
const step = 4
/** The beginning and the end of a longer code are hidden too: masked secrets show them. */
const shortestCut = 20
const fragmentLength = 12
export const onlyCodeCharacters = /^[\w+/=.~-]+$/

/** Texts that secrets share with harmless values: words of JSON, numbers and dates, media types. */
const isCommon = (text: string) =>
  /^(true|false|null|\*+|\d{1,5}|\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-][\d:]+)?)?|(application|text)\/[\w.+-]+)$/i.test(text)

interface Pattern {
  /** Length of the secret in this encoding. */
  length: number
  is: 'part' | 'word' | 'base64'
}

/** A tree of texts, in steps of four characters: a search costs the same however many texts there are. */
interface Node {
  next: Map<string, Node>
  /** Patterns by what follows the last full step. */
  ends: Map<string, Pattern>
}

const beginnings = 2 ** 16
const beginningAt = (text: string, at: number) => (text.charCodeAt(at) * 257 + text.charCodeAt(at + 1)) % beginnings

const newNode = (): Node => ({ next: new Map(), ends: new Map() })

type Range = [from: number, to: number]

export class Secrets {
  #learned = new Set<string>()
  #root = newNode()
  /** Whether a pattern begins with two such characters: most places of a text need no other look-up. */
  #begins = new Uint8Array(beginnings)
  #read = new Set<string>()

  /** Begins to redact an exchange. */
  nextExchange = (): void => this.#read.clear()

  /** Returns whether a text has not been read in this exchange, and remembers a long one. The same text shows no new secrets. */
  markAsRead(text: string): boolean {
    if (text.length < comparedLength) return true
    const before = this.#read.size
    return this.#read.add(text).size > before
  }

  /** Replaces the text everywhere from now on. */
  learn(text: string): void {
    const secret = text.trim()
    if (secret.length < shortest || isCommon(secret) || this.#learned.has(secret)) return
    if (this.#learned.size >= mostSecrets) this.#forgetHalf()
    this.#learned.add(secret)
    this.#index(secret)
  }

  #forgetHalf(): void {
    this.#learned = new Set([...this.#learned].slice(mostSecrets / 2))
    this.#root = newNode()
    // Texts of this exchange are read again, because they may show a secret that is forgotten here.
    this.#read.clear()
    for (const secret of this.#learned) this.#index(secret)
  }

  #index(secret: string): void {
    this.#insert(secret, { length: secret.length, is: secret.length < shortestWithin ? 'word' : 'part' })
    if (secret.length < shortestWithin) return
    if (secret.length >= shortestCut && onlyCodeCharacters.test(secret))
      for (const fragment of [secret.slice(0, fragmentLength), secret.slice(-fragmentLength)])
        this.#insert(fragment, { length: fragmentLength, is: 'part' })
    const whole = new TextEncoder().encode(secret)
    this.#insert(bytesToHex(whole.subarray(0, comparedLength)), { length: whole.length * 2, is: 'part' })
    const bytes = new TextEncoder().encode(secret.slice(0, comparedLength))
    for (const core of base64Cores(bytes)) this.#insert(core, { length: core.length, is: 'base64' })
  }

  #insert(text: string, pattern: Pattern): void {
    const compared = folded(text.slice(0, comparedLength))
    const end = compared.length - (compared.length % step)
    this.#begins[beginningAt(compared, 0)] = 1
    let node = this.#root
    for (let at = 0; at < end; at += step) {
      const part = compared.slice(at, at + step)
      const next = node.next.get(part) ?? newNode()
      node.next.set(part, next)
      node = next
    }
    const rest = compared.slice(end)
    const before = node.ends.get(rest)
    if (before === undefined || before.length < pattern.length) node.ends.set(rest, pattern)
  }

  /** The text with `***` for every secret. */
  hide(text: string): string {
    if (this.#learned.size === 0 || text.length < shortest) return text
    let result = ''
    let done = 0
    for (const [from, to] of this.#rangesIn(text).sort(([a], [b]) => a - b)) {
      if (from >= done) result += text.slice(done, from) + hidden
      done = Math.max(done, to)
    }
    return result + text.slice(done)
  }

  #rangesIn(text: string): Range[] {
    const views = viewsOf(text)
    // An escape is replaced as a whole, so that what remains can still be read.
    const { starts } = views.at(-1) ?? { starts: new Int32Array() }
    return views.flatMap((view) =>
      this.#found(view).map(
        ([from, to]): Range => [
          lastUpTo(starts, view.starts[from] ?? 0),
          firstFrom(starts, view.starts[to] ?? text.length),
        ],
      ),
    )
  }

  #found({ text }: View): Range[] {
    const ranges: Range[] = []
    const compared = folded(text)
    let base64End = 0
    for (let at = 0; at < text.length; at++) {
      const pattern = this.#begins[beginningAt(compared, at)] === 1 ? this.#patternAt(compared, at) : null
      if (pattern === null) continue
      if (pattern.is !== 'base64') {
        const to = Math.min(at + pattern.length, text.length)
        if (pattern.is === 'part' || isWord(text, at, to)) ranges.push([at, to])
      } else if (at >= base64End) {
        // What stands around it belongs to the same encoded text.
        let from = at
        while (isBase64(text, from - 1)) from--
        base64End = at
        while (isBase64(text, base64End)) base64End++
        ranges.push([from, base64End])
      }
    }
    return ranges
  }

  /** The longest one. */
  #patternAt(compared: string, at: number): Pattern | null {
    let longest: Pattern | null = null
    let node: Node | undefined = this.#root
    for (let from = at; node !== undefined; from += step) {
      if (node.ends.size > 0)
        for (let rest = 0; rest < step; rest++) longest = node.ends.get(compared.slice(from, from + rest)) ?? longest
      node = node.next.get(compared.slice(from, from + step))
    }
    return longest
  }
}

/** One form for letter cases, for `+` and `%20`, and for both alphabets of Base64. Keeps the length. */
const folded = (text: string) => lowerAscii(text).replace(/[+-]/g, ' ').replaceAll('_', '/')

/** What the Base64 of every text with these bytes contains, whatever stands before and behind them. */
function base64Cores(bytes: Uint8Array): string[] {
  return [0, 1, 2].map((before) => {
    const padded = new Uint8Array(before + bytes.length)
    padded.set(bytes, before)
    const whole = Math.floor((padded.length * 8) / 6)
    return base64Of(padded).slice(Math.ceil((before * 8) / 6), whole)
  })
}

const isBase64 = (text: string, at: number) => /[\w+/=-]/.test(text.charAt(at))
const isWord = (text: string, from: number, to: number) =>
  !/[\p{L}\d]/u.test(text.charAt(from - 1)) && !/[\p{L}\d]/u.test(text.charAt(to))

/** The last of the ascending numbers that is at most `limit`. */
function lastUpTo(numbers: Int32Array, limit: number): number {
  return numbers[countUpTo(numbers, limit) - 1] ?? 0
}

function firstFrom(numbers: Int32Array, limit: number): number {
  return numbers[countUpTo(numbers, limit - 1)] ?? limit
}

function countUpTo(numbers: Int32Array, limit: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low
}

/** A text as it is, or as it reads without percent and backslash escapes, so that a search finds every encoding. */
interface View {
  text: string
  /** Where each character begins in the original, and where the last one ends. */
  starts: Int32Array
}

/** Escapes of escapes: JSON in a string of JSON, a URL in the query of a URL. */
const mostSteps = 4

const escaped: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }
const utf8Sizes = [1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 3, 4]

/**
 * The original first, the one without any escapes last. If there are both kinds of escapes, one of them may be part of
 * what is looked for.
 */
export function viewsOf(text: string): View[] {
  const starts = new Int32Array(text.length + 1)
  for (let at = 0; at <= text.length; at++) starts[at] = at
  const views: View[] = [{ text, starts }]
  const kinds = text.includes('\\') && text.includes('%') ? ['%', '\\', '\\%'] : ['\\%']
  for (const signs of kinds) {
    let view: View | undefined = views[0]
    for (let steps = 0; steps < mostSteps && view !== undefined; steps++) {
      view = withoutEscapes(view, signs)
      if (view !== undefined) views.push(view)
    }
  }
  return views
}

/** undefined if there is no escape. */
function withoutEscapes({ text, starts }: View, signs: string): View | undefined {
  if (![...signs].some((sign) => text.includes(sign))) return undefined
  const places = new Int32Array(text.length + 1)
  const parts: string[] = []
  let length = 0
  /** Where the text behind the last escape begins. */
  let from = 0
  for (let at = 0; at < text.length; ) {
    const found = signs.includes(text.charAt(at)) ? escapeAt(text, at) : null
    if (found === null) {
      places[length++] = starts[at] ?? at
      at++
      continue
    }
    const { means, size } = found
    for (let rest = means.length; rest > 0; rest--) places[length++] = starts[at] ?? at
    parts.push(text.slice(from, at), means)
    at += size
    from = at
  }
  if (parts.length === 0) return undefined
  parts.push(text.slice(from))
  places[length] = starts[text.length] ?? 0
  return { text: parts.join(''), starts: places.subarray(0, length + 1) }
}

function escapeAt(text: string, at: number): { means: string; size: number } | null {
  if (text.charAt(at) === '%') return percentAt(text, at)
  if (at + 1 === text.length) return null
  const next = text.charAt(at + 1)
  if (next !== 'u') return { means: escaped[next] ?? next, size: 2 }
  const hex = text.slice(at + 2, at + 6)
  return /^[\da-fA-F]{4}$/.test(hex) ? { means: String.fromCharCode(Number.parseInt(hex, 16)), size: 6 } : null
}

function percentAt(text: string, at: number): { means: string; size: number } | null {
  const size = (utf8Sizes[Number.parseInt(text.charAt(at + 1), 16)] ?? 0) * 3
  try {
    return size === 0 ? null : { means: decodeURIComponent(text.slice(at, at + size)), size }
  } catch {
    return null
  }
}
