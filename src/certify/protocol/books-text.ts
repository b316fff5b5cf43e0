/** The text of a ledger, whichever program wrote it. */

/** A text that is not UTF-8 or UTF-16 is Latin-1, as spreadsheets in Brazil write it. */
export function decodedBooks(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const looked = 1000

/** The media type to send a ledger as. */
export const typeOfBooks = (text: string): 'application/json' | 'text/csv' =>
  /^\s*[[{]/.test(text.slice(0, looked)) ? 'application/json' : 'text/csv'
