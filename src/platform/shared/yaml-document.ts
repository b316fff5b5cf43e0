/** Reads YAML (and so JSON) that somebody else wrote: within bounds, each value with its place in the text. */
import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  Parser,
} from 'yaml'
import { maxJsonDepth } from '../../base/json.js'

/** About 500 steps with all their fields; reading so many takes some tens of milliseconds at worst. */
const maxTokens = 20_000
/** What aliases may multiply the text to. */
const maxCharacters = 300_000
/** Enough to see what went wrong. */
const maxSyntaxErrors = 20

/** The offsets of a field in the text. */
export interface Field {
  key: number
  value: number
}

/** Where the fields of a map, or the items of a list, stand. */
export type Places = ReadonlyMap<string | number, Field>

export interface SyntaxFault {
  offset: number
  message: string
}

export type YamlText =
  | { value: unknown; places: WeakMap<object, Places>; faults: null }
  | { faults: readonly [SyntaxFault, ...SyntaxFault[]] }

/** Stops the reading at once. */
class TooMuch extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message)
  }
}

export interface Reading {
  text: string
  /** Told of where each line begins. */
  newLine: (offset: number) => void
  /** What a text of the document stands for. */
  show: (text: string) => string
}

/** One document. Takes time in proportion to the text, whatever it says; never throws. */
export function readYaml({ text, newLine, show }: Reading): YamlText {
  const { stackTraceLimit } = Error
  try {
    // The parser makes an error of every syntax mistake; where they come by the thousand, their stacks are what takes the time.
    Error.stackTraceLimit = 0
    const doc = compose(text, newLine)
    const [first, ...rest] = doc.errors.map((error) => ({ offset: error.pos[0], message: error.message }))
    if (first !== undefined) return { faults: [first, ...rest] }
    const values = new Values(show)
    const value = doc.contents === null ? null : values.read(doc.contents).value
    return { value, places: values.places, faults: null }
  } catch (error) {
    if (error instanceof TooMuch) return { faults: [{ offset: error.offset, message: error.message }] }
    throw error
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function compose(text: string, newLine: (offset: number) => void): Document {
  const composer = new Composer({ uniqueKeys: false, logLevel: 'silent' })
  let found: Document | undefined
  for (const doc of composer.compose(tokensOf(text, newLine), true, text.length)) {
    if (found !== undefined) throw new TooMuch(doc.range[0], 'a file holds one scenario, and here begins another')
    found = doc
  }
  if (found === undefined) throw new TooMuch(0, 'holds nothing')
  return found
}

/** Depth is looked at here, because what reads the tokens calls itself for each level. */
function* tokensOf(text: string, newLine: (offset: number) => void): Generator<CST.Token> {
  newLine(0)
  const parser = new Parser(newLine)
  let tokens = 0
  let errors = 0
  const checked = function* (parsed: Generator<CST.Token>) {
    for (const token of parsed) {
      yield token
      if (token.type === 'error' && ++errors === maxSyntaxErrors) throw new TooMuch(token.offset, token.message)
    }
  }
  for (const source of new Lexer().lex(text)) {
    yield* checked(parser.next(source))
    if (++tokens > maxTokens)
      throw new TooMuch(parser.offset, 'is too large: it holds more than a file of 500 steps would')
    if (parser.stack.length > 2 * maxJsonDepth) throw new TooMuch(parser.offset, tooDeep)
  }
  yield* checked(parser.end())
}

const tooDeep = `is nested deeper than ${maxJsonDepth} levels`

/** A value, how much it holds and how deep: what an alias stands for counts each time. */
interface Plain {
  value: unknown
  characters: number
  depth: number
}

/** The values as JavaScript has them. An alias stands for the same value, so that the whole can be no larger in memory than its text. */
class Values {
  readonly places = new WeakMap<object, Places>()
  readonly #anchors = new Map<string, Plain>()
  readonly #show: (text: string) => string
  #left = maxCharacters

  constructor(show: (text: string) => string) {
    this.#show = show
  }

  read(node: Node, depth = 0): Plain {
    if (isAlias(node)) return this.#alias(node)
    const read = isScalar(node) ? this.#scalar(node, node.value) : this.#collection(node, depth)
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined)
      this.#anchors.set(node.anchor, read)
    return read
  }

  #take(characters: number, node: Node): void {
    this.#left -= characters
    if (this.#left < 0)
      throw new TooMuch(offsetOf(node), `comes to more than ${maxCharacters} characters with its aliases`)
  }

  #scalar(node: Node, value: unknown): Plain {
    const isText = typeof value === 'string'
    if (!isText && value !== null && typeof value !== 'boolean' && !Number.isFinite(value))
      throw new TooMuch(offsetOf(node), 'must be a text, a number, true, false, a list or a map')
    const characters = isText ? value.length + 1 : 1
    this.#take(characters, node)
    return { value: isText ? this.#show(value) : value, characters, depth: 0 }
  }

  #alias(node: Alias): Plain {
    const meant = this.#anchors.get(node.source)
    if (meant === undefined)
      throw new TooMuch(offsetOf(node), `*${node.source.slice(0, 80)} stands for nothing before it`)
    this.#take(meant.characters, node)
    return meant
  }

  #collection(node: Node, depth: number): Plain {
    const fields = new Map<string | number, Field>()
    const whole: Plain = { value: null, characters: 1, depth: 0 }
    this.#take(1, node)
    const items = this.#itemsOf(node).map(({ key, at, item }): [string | number, unknown] => {
      if (fields.has(key)) throw new TooMuch(at, `${String(key).slice(0, 80)} stands here twice`)
      const read: Plain = item === null ? { value: null, characters: 1, depth: 0 } : this.read(item, depth + 1)
      const length = typeof key === 'string' ? key.length : 0
      this.#take(length, node)
      fields.set(key, { key: at, value: item === null ? at : offsetOf(item) })
      whole.characters += read.characters + length
      whole.depth = Math.max(whole.depth, read.depth + 1)
      return [key, read.value]
    })
    if (depth + whole.depth > maxJsonDepth) throw new TooMuch(offsetOf(node), tooDeep)
    const value = isSeq(node) ? items.map(([, item]) => item) : Object.fromEntries(items)
    this.places.set(value, fields)
    return { ...whole, value }
  }

  #itemsOf(node: Node): { key: string | number; at: number; item: Node | null }[] {
    if (isMap<Node, Node | null>(node))
      return node.items.map(({ key, value }) => {
        if (!isScalar(key)) throw new TooMuch(offsetOf(node), 'has a key that is no text')
        return { key: key.value === null ? '' : this.#show(String(key.value)), at: offsetOf(key), item: value }
      })
    if (!isSeq<Node>(node)) return []
    return node.items.map((item, index) => {
      if (isPair(item)) throw new TooMuch(offsetOf(node), 'must be a plain list')
      return { key: index, at: offsetOf(item), item }
    })
  }
}

const offsetOf = (node: Node): number => node.range?.[0] ?? 0
