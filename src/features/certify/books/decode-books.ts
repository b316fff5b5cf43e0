/** Decodes a ledger (the books) from the encodings that spreadsheets use, and recognizes JSON and CSV. */

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
