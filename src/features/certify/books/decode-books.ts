/** Decodes a ledger (the books) from the encodings that spreadsheets use, and recognizes JSON and CSV. */
import { fieldAt, fieldsIn, parseUntrustedJson } from '../../../inside/values.js'

/** Decodes UTF-8 and UTF-16, and any other bytes as Windows-1252, which spreadsheets in Brazil write. */
export function decodeBooks(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** So many characters decide the type of a ledger. */
const inspectedChars = 1000

export const mediaTypeOfBooks = (text: string): 'application/json' | 'text/csv' =>
  /^\s*[[{]/.test(text.slice(0, inspectedChars)) ? 'application/json' : 'text/csv'

const separators = [',', ';', '\t', '|']

/** The headers of a CSV file, or the fields of the first JSON entry; none if a quoted header has a separator. */
export function headersIn(text: string): string[] {
  if (mediaTypeOfBooks(text) === 'application/json') {
    const value = parseUntrustedJson(text)
    return Object.keys(fieldsIn(fieldAt(Array.isArray(value) ? value : fieldAt(value, 'entries'), 0)))
  }
  const [line = ''] = text
    .slice(0, 10_000)
    .trimStart()
    .split(/[\r\n]/, 1)
  const quoted = line.split('"').filter((_, index) => index % 2 === 1)
  if (quoted.some((header) => separators.some((separator) => header.includes(separator)))) return []
  const cells = separators.map((separator) => line.replaceAll('"', '').split(separator))
  return cells.reduce((most, other) => (other.length > most.length ? other : most)).map((header) => header.trim())
}
