/** Reads YAML (and so JSON) that somebody else wrote: within bounds, each value with its place in the text. */
import {
  type Alias,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  parseDocument,
  type YAMLParseError,
} from 'yaml'
import { maxJsonDepth } from '../../base/json.js'

/** Characters that YAML gives a meaning to: each costs the parser some microseconds. 500 steps with an action and its parameters have about 5,500. */
const maxMarks = 6_500
const mark = /[[\]{},:&*!|>%#"'\\?\n-]/g
/** Levels at which the text is refused unparsed, since the parser calls itself for each. The depth of values has its own, lower bound. */
const maxOpen = 200
/** A line that begins with lists in lists, or keys of keys. */
const manyHyphens = new RegExp(`^(?:[ \\t]*[-?:]){${maxOpen},}`, 'm')
/** One document has one such line before it and one behind it. */
const documentEnd = /^(?:---|\.\.\.)(?=\s|$)/gm
const secondDocument = 'a file holds one scenario, and here begins another'
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
  lines: LineCounter
  /** What a text of the document stands for. */
  show: (text: string) => string
}

/** One document. Takes time in proportion to the text, whatever it says; never throws. */
export function readYaml({ text, lines, show }: Reading): YamlText {
  const { stackTraceLimit } = Error
  try {
    // The parser makes an error of every syntax mistake; where they come by the thousand, their stacks are what takes the time.
    Error.stackTraceLimit = 0
    checkMarks(text)
    const doc = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: 'silent',
    })
    const [first, ...rest] = doc.errors
      .slice(0, maxSyntaxErrors)
      .map((error) => ({ offset: error.pos[0], message: messageOf(error) }))
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

const messageOf = ({ code, message }: YAMLParseError): string => (code === 'MULTIPLE_DOCS' ? secondDocument : message)

/** What the parser takes its time for is counted before it begins. */
function checkMarks(text: string): void {
  let marks = 0
  let open = 0
  for (const { 0: found, index } of text.matchAll(mark)) {
    if (++marks > maxMarks)
      throw new TooMuch(
        index,
        `is too large: it holds more than ${maxMarks} brackets, quotes, lines and other marks of YAML`,
      )
    if (found === '[' || found === '{') open++
    else if (found === ']' || found === '}') open = Math.max(0, open - 1)
    if (open > maxOpen) throw new TooMuch(index, tooDeep)
  }
  const second = [...text.matchAll(documentEnd)][2]
  if (second !== undefined) throw new TooMuch(second.index, secondDocument)
  const hyphens = manyHyphens.exec(text)
  if (hyphens !== null) throw new TooMuch(hyphens.index, tooDeep)
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
