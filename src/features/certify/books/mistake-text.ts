/** Decodes the text of a ledger from the encodings that spreadsheets use. */

/** Decodes UTF-8 and UTF-16. Other bytes are taken for Latin-1, which spreadsheets in Brazil write. */
export function decodedBooks(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const inspectedRows = 1000

/** Returns the Content-Type with which a ledger is sent. */
export const typeOfBooks = (text: string): 'application/json' | 'text/csv' =>
  /^\s*[[{]/.test(text.slice(0, inspectedRows)) ? 'application/json' : 'text/csv'
