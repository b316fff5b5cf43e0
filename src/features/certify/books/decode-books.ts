/** Decodes a ledger (the books) from the encodings that spreadsheets use, and recognizes JSON and CSV. */
import { fieldAt, fieldsIn, readJson } from '../../../inside/values.js'

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

/** The headers of a CSV file, or the fields of the first JSON entry. Throws for a text that cannot be read. */
export async function headersIn(text: string): Promise<string[]> {
  if (mediaTypeOfBooks(text) === 'application/json') {
    const value = readJson(text)
    return Object.keys(fieldsIn(fieldAt(Array.isArray(value) ? value : fieldAt(value, 'entries'), 0)))
  }
  const { default: papa } = await import('papaparse')
  const { data } = papa.parse<string[]>(text.slice(0, 100_000), { preview: 1, skipEmptyLines: 'greedy' })
  return (data[0] ?? []).map((header) => header.trim())
}
