/** Reads JSON that is too long for memory, one value at a time, as deep as the caller asks. */

const space = /\s*/y
/** A longer value is rejected: it would have to fit into memory as a whole. */
const longestValue = 64 * 1024 * 1024

/** Thrown if the text is not JSON, or not the JSON that the reader expects. */
export class UnexpectedJson extends Error {}

export class JsonPieces {
  readonly #chunks: Iterator<string>
  #text = ''
  #at = 0

  constructor(chunks: Iterable<string>) {
    this.#chunks = chunks[Symbol.iterator]()
  }

  /** The next character that is not white space; undefined at the end. */
  peek(): string | undefined {
    for (;;) {
      space.lastIndex = this.#at
      space.test(this.#text)
      this.#at = Math.max(this.#at, space.lastIndex)
      if (this.#at < this.#text.length) return this.#text[this.#at]
      if (!this.#more()) return undefined
    }
  }

  /** Consumes the next character if it is this one, and returns whether it was. */
  accept(character: string): boolean {
    if (this.peek() !== character) return false
    this.#at++
    return true
  }

  expect(character: string): void {
    if (!this.accept(character)) throw new UnexpectedJson(`${JSON.stringify(character)} is missing`)
  }

  /** Reads an object; `each` reads the value of its key. */
  object(each: (key: string) => void): void {
    this.expect('{')
    if (this.accept('}')) return
    do {
      const key = this.value()
      if (typeof key !== 'string') throw new UnexpectedJson('a key is not a string')
      this.expect(':')
      each(key)
    } while (this.accept(','))
    this.expect('}')
  }

  /** Reads a list; `each` reads its next element. */
  list(each: () => void): void {
    this.expect('[')
    if (this.accept(']')) return
    do each()
    while (this.accept(','))
    this.expect(']')
  }

  /** Reads the next value as a whole. */
  value(): unknown {
    const first = this.peek()
    if (first === undefined) throw new UnexpectedJson('the JSON text is incomplete')
    const end = this.#endOfValue()
    const text = this.#text.slice(this.#at, end)
    this.#at = end
    try {
      return JSON.parse(text)
    } catch {
      throw new UnexpectedJson('it is not JSON')
    }
  }

  #endOfValue(): number {
    let depth = 0
    let inText = false
    let offset = 0
    for (;;) {
      const at = this.#at + offset
      if (at >= this.#text.length) {
        if (!this.#more()) {
          if (depth === 0 && !inText) return this.#text.length
          throw new UnexpectedJson('the JSON text is incomplete')
        }
        continue
      }
      const code = this.#text.charCodeAt(at)
      offset++
      if (inText) {
        if (code === 92) offset++
        else if (code === 34) inText = false
        if (!inText && depth === 0) return at + 1
      } else if (code === 34) inText = true
      else if (code === 91 || code === 123) depth++
      else if (code === 93 || code === 125) {
        if (depth === 0) return at
        depth--
        if (depth === 0) return at + 1
      } else if (depth === 0 && (code === 44 || code === 58 || code <= 32)) return at
    }
  }

  #more(): boolean {
    const next = this.#chunks.next()
    if (next.done === true) return false
    this.#text = this.#text.slice(this.#at) + next.value
    this.#at = 0
    if (this.#text.length > longestValue) throw new UnexpectedJson('one of its values is too long')
    return true
  }
}
