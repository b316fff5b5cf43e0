/** Texts that people sign instead of the body they send: mostly the same JSON, serialized a second time. */
import { JsonNumber, parseJson } from '../../../base/json.js'

const serializedTwiceHint = 'Sign the exact body that is sent; the signed body was serialized a second time'

interface Style {
  comma: string
  colon: string
  indent?: string
  sorted?: true
  escape?: (text: string) => string
  jsNumbers?: true
}

const compact = { comma: ',', colon: ':' }
const python = { comma: ', ', colon: ': ' }
const ascii = (text: string) =>
  text.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
const styles: readonly (readonly [hint: string, style: Style])[] = [
  ['as compact JSON', compact],
  ['as compact JSON, with numbers in another form', { ...compact, jsNumbers: true }],
  ['with a space after colons and commas', python],
  ['with sorted keys', { ...compact, sorted: true }],
  ['indented by two', { comma: ',', colon: ': ', indent: '  ' }],
  ['with non-ASCII characters escaped', { ...compact, escape: ascii }],
  ['with spaces, and non-ASCII characters escaped', { ...python, escape: ascii }],
  ['with slashes escaped', { ...compact, escape: (text) => text.replaceAll('/', '\\/') }],
  [
    'with slashes and non-ASCII characters escaped',
    { ...compact, escape: (text) => ascii(text.replaceAll('/', '\\/')) },
  ],
]

/** Returns an empty array if the text is not JSON. */
function serializeAgain(text: string, style: Style): string[] {
  try {
    return [write(parseJson(text), style, '\n')]
  } catch {
    return []
  }
}

function write(value: unknown, style: Style, line: string): string {
  if (value instanceof JsonNumber) return style.jsNumbers ? JSON.stringify(Number(value.text)) : value.text
  if (value === null || typeof value !== 'object') {
    const text = JSON.stringify(value)
    return typeof value === 'string' && style.escape !== undefined ? style.escape(text) : text
  }
  const inner = style.indent === undefined ? '' : line + style.indent
  const end = style.indent === undefined ? '' : line
  const join = (items: string[], [open, close]: readonly [string, string]) =>
    items.length === 0 ? open + close : open + inner + items.join(style.comma + inner) + end + close
  if (Array.isArray(value))
    return join(
      value.map((item) => write(item, style, inner)),
      ['[', ']'],
    )
  const entries = Object.entries(value)
  if (style.sorted) entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return join(
    entries.map(([key, item]) => write(key, style, inner) + style.colon + write(item, style, inner)),
    ['{', '}'],
  )
}

const latin1 = (text: string): Uint8Array[] =>
  /^[\0-\xff]*$/.test(text) ? [Uint8Array.from(text, (char) => char.charCodeAt(0))] : []

/** Each row: the hint, and the texts or bytes that may have been signed instead. */
export const bodyVariants: readonly (readonly [hint: string, of: (text: string) => (string | Uint8Array)[]])[] = [
  ['The signed body ends with a line break that was not sent.', (text) => [`${text}\n`, `${text}\r\n`]],
  [
    'The body that was sent ends or begins with white space that was not signed.',
    (text) => [text.trimEnd(), text.trim()],
  ],
  ['The body was left out: it was signed as if it were empty.', () => ['', '{}', 'null', '""']],
  ['The body was signed in Latin-1; sign its UTF-8 bytes.', latin1],
  ...styles.map(
    ([how, style]) => [`${serializedTwiceHint}, ${how}.`, (text: string) => serializeAgain(text, style)] as const,
  ),
]
