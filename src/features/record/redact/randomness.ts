/** Recognizes texts that a random generator made. */

/** Fewer letters and digits can change like this in a word. */
const shortest = 16
/** A word or a number is longer on average; Base64 has 1.8, hexadecimal digits have 2.1. */
const mostAverage = 3.2

const onlyCodeCharacters = /^[\w+/=.~-]+$/
/** Words in lower case, capitalized or in capitals, and numbers. */
const pieces = /[A-Z]?[a-z]+|[A-Z]+|\d+/g

/** Whether letter cases and digits change as often as in tokens and keys. */
export function looksRandom(text: string): boolean {
  if (text.length < shortest || !onlyCodeCharacters.test(text)) return false
  const found = text.match(pieces) ?? []
  const length = found.reduce((total, piece) => total + piece.length, 0)
  return length >= shortest && length < mostAverage * found.length
}
