/** A text as it is, and as it reads without percent and backslash escapes, so that a search finds every encoding. */

export interface View {
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
