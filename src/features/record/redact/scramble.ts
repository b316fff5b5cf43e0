/** Replaces letters by letters and digits by digits, so that length, case, accents and punctuation stay. */
import type { RandomBytes } from '../../../inside/secrets.js'

/** Letters that also have a form with an acute accent. */
const letters = 'ACEGIKLMNOPRSUWYZ'
const foreignLetter = /\p{L}/u

/** A leading digit becomes zero only if it was zero: JSON numbers have no leading zeros. */
function digitFor(digit: string, byte: number, isFirst: boolean): string {
  if (!isFirst) return String(byte % 10)
  return digit === '0' ? '0' : String(1 + (byte % 9))
}

export function scramble(text: string, draw: RandomBytes): string {
  let bytes = draw(64)
  let used = 0
  const next = (): number => {
    if (used === bytes.length) {
      bytes = draw(64)
      used = 0
    }
    return bytes[used++] ?? 0
  }
  const result: string[] = []
  for (const character of text) {
    if (character >= '0' && character <= '9') result.push(digitFor(character, next(), result.length === 0))
    else if (foreignLetter.test(character)) result.push(letterFor(character, next()))
    else result.push(character)
  }
  return result.join('')
}

function letterFor(character: string, byte: number): string {
  const capital = letters[byte % letters.length] ?? 'A'
  const letter = character === character.toUpperCase() ? capital : capital.toLowerCase()
  return character < '\u0080' ? letter : `${letter}\u0301`.normalize('NFC')
}

/** Puts letters and digits into the places that `text` has for them; case and punctuation stay. */
export function applyNotation(text: string, characters: string): string {
  let at = Math.max(0, characters.length - text.replace(/[^\dA-Za-z]/g, '').length)
  return text.replace(/[\dA-Za-z]/g, (old) => {
    const character = characters[at++] ?? old
    return /[a-z]/.test(old) ? character.toLowerCase() : character
  })
}
