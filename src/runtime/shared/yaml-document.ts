/** Reads untrusted YAML (and so JSON) within limits, with the position of each value. */
import {
  type Alias,
  type ErrorCode,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  parseDocument,
  type YAMLParseError,
} from 'yaml'
import { maxJsonDepth } from '../../base/json.js'

/**
 * Characters with a meaning in YAML cost the parser some microseconds each. 500 steps with an action and its parameters
 * contain about 5,500.
 */
const maxSyntaxCharacters = 6_500
const syntaxCharacter = /[[\]{},:&*!|>%#"'\\?\n-]/g
/** Nesting at which a text is rejected unparsed, because the parser is recursive. The depth of values has its own, lower limit. */
const maxNesting = 200
/** Matches a line that starts with many nested lists or keys. */
const deepNestingLine = new RegExp(`^(?:[ \\t]*[-?:]){${maxNesting},}`, 'm')
/** A file with a single document can have one such line before it and one after it. */
const documentEnd = /^(?:---|\.\.\.)(?=\s|$)/gm
const secondDocument = 'a file must contain one scenario; a second one starts here'
/** Largest number of characters that aliases may expand the text to. */
const maxCharacters = 300_000
/** Enough to see the problem. */
const maxSyntaxErrors = 20

/** Positions of a field in the text. */
export interface Field {
  key: number
  value: number
}

/** Positions of the fields of a map, or of the items of a list. */
export type Places = ReadonlyMap<string | number, Field>

export interface SyntaxFault {
  /** Error code of the parser; null if the text is rejected for another reason. */
  code: ErrorCode | null
  offset: number
  message: string
}

type YamlText =
  | { value: unknown; places: WeakMap<object, Places>; faults: null }
  | { faults: readonly [SyntaxFault, ...SyntaxFault[]] }

/** Thrown to stop reading at once. */
class LimitExceeded extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message)
  }
}

interface ReadOptions {
  text: string
  lines: LineCounter
  /** Restores the original of a text in the document. */
  restoreText: (text: string) => string
}

/** Reads one document. Takes time proportional to the text, whatever it contains; never throws. */
export function readYaml({ text, lines, restoreText: show }: ReadOptions): YamlText {
  const { stackTraceLimit } = Error
  try {
    // The parser creates an Error for each syntax mistake. With thousands of mistakes, their stack traces take most of
    // the time.
    Error.stackTraceLimit = 0
    checkComplexity(text)
    const doc = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: 'silent',
    })
    const [first, ...rest] = doc.errors
      .slice(0, maxSyntaxErrors)
      .map((error) => ({ code: error.code, offset: error.pos[0], message: messageOf(error) }))
    if (first !== undefined) return { faults: [first, ...rest] }
    const values = new Values(show)
    const value = doc.contents === null ? null : values.read(doc.contents).value
    return { value, places: values.places, faults: null }
  } catch (error) {
    if (error instanceof LimitExceeded)
      return { faults: [{ code: null, offset: error.offset, message: error.message }] }
    throw error
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

const messageOf = ({ code, message }: YAMLParseError): string => (code === 'MULTIPLE_DOCS' ? secondDocument : message)

/** Counts what makes parsing slow before it starts. */
function checkComplexity(text: string): void {
  let marks = 0
  let open = 0
  for (const { 0: found, index } of text.matchAll(syntaxCharacter)) {
    if (++marks > maxSyntaxCharacters)
      throw new LimitExceeded(
        index,
        `is too large: it has more than ${maxSyntaxCharacters} brackets, quotes, lines and other YAML tokens`,
      )
    if (found === '[' || found === '{') open++
    else if (found === ']' || found === '}') open = Math.max(0, open - 1)
    if (open > maxNesting) throw new LimitExceeded(index, tooDeep)
  }
  const second = [...text.matchAll(documentEnd)][2]
  if (second !== undefined) throw new LimitExceeded(second.index, secondDocument)
  const hyphens = deepNestingLine.exec(text)
  if (hyphens !== null) throw new LimitExceeded(hyphens.index, tooDeep)
}

const tooDeep = `is nested deeper than ${maxJsonDepth} levels`

/** A value with its size and depth; the value of an alias counts each time. */
interface SizedValue {
  value: unknown
  characters: number
  depth: number
}

/** Builds JavaScript values. Aliases share one value, so that the result needs no more memory than its text. */
class Values {
  readonly places = new WeakMap<object, Places>()
  readonly #anchors = new Map<string, SizedValue>()
  readonly #show: (text: string) => string
  #left = maxCharacters

  constructor(show: (text: string) => string) {
    this.#show = show
  }

  read(node: Node, depth = 0): SizedValue {
    if (isAlias(node)) return this.#alias(node)
    const read = isScalar(node) ? this.#scalar(node, node.value) : this.#collection(node, depth)
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined)
      this.#anchors.set(node.anchor, read)
    return read
  }

  #countCharacters(characters: number, node: Node): void {
    this.#left -= characters
    if (this.#left < 0)
      throw new LimitExceeded(
        offsetOf(node),
        `has more than ${maxCharacters} characters after its aliases are expanded`,
      )
  }

  #scalar(node: Node, value: unknown): SizedValue {
    const isText = typeof value === 'string'
    if (!isText && value !== null && typeof value !== 'boolean' && !Number.isFinite(value))
      throw new LimitExceeded(offsetOf(node), 'must be a string, a number, true, false, a list or a map')
    const characters = isText ? value.length + 1 : 1
    this.#countCharacters(characters, node)
    return { value: isText ? this.#show(value) : value, characters, depth: 0 }
  }

  #alias(node: Alias): SizedValue {
    const meant = this.#anchors.get(node.source)
    if (meant === undefined) throw new LimitExceeded(offsetOf(node), `unknown alias *${node.source.slice(0, 80)}`)
    this.#countCharacters(meant.characters, node)
    return meant
  }

  #collection(node: Node, depth: number): SizedValue {
    const fields = new Map<string | number, Field>()
    const whole: SizedValue = { value: null, characters: 1, depth: 0 }
    this.#countCharacters(1, node)
    const items = this.#itemsOf(node).map(({ key, at, item }): [string | number, unknown] => {
      if (fields.has(key)) throw new LimitExceeded(at, `duplicate key ${String(key).slice(0, 80)}`)
      const read: SizedValue = item === null ? { value: null, characters: 1, depth: 0 } : this.read(item, depth + 1)
      const length = typeof key === 'string' ? key.length : 0
      this.#countCharacters(length, node)
      fields.set(key, { key: at, value: item === null ? at : offsetOf(item) })
      whole.characters += read.characters + length
      whole.depth = Math.max(whole.depth, read.depth + 1)
      return [key, read.value]
    })
    if (depth + whole.depth > maxJsonDepth) throw new LimitExceeded(offsetOf(node), tooDeep)
    const value = isSeq(node) ? items.map(([, item]) => item) : Object.fromEntries(items)
    this.places.set(value, fields)
    return { ...whole, value }
  }

  #itemsOf(node: Node): { key: string | number; at: number; item: Node | null }[] {
    if (isMap<Node, Node | null>(node))
      return node.items.map(({ key, value }) => {
        if (!isScalar(key)) throw new LimitExceeded(offsetOf(node), 'has a key that is not a string')
        return { key: key.value === null ? '' : this.#show(String(key.value)), at: offsetOf(key), item: value }
      })
    if (!isSeq<Node>(node)) return []
    return node.items.map((item, index) => {
      if (isPair(item)) throw new LimitExceeded(offsetOf(node), 'must be a plain list')
      return { key: index, at: offsetOf(item), item }
    })
  }
}

const offsetOf = (node: Node): number => node.range?.[0] ?? 0
