/** Reads the text of a scenario, YAML or JSON: the parsed scenario, or its mistakes with line and column. */
import {
  type Alias,
  Document,
  type ErrorCode,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLParseError,
} from 'yaml'
import { maxJsonDepth } from '../../base/json.js'
import { fieldAt } from '../../base/unknown.js'
import type { ReadScenario } from '../../core/scenarios/arms.js'
import { checkScenario, type Mistake, reportMistakes } from '../../core/scenarios/check.js'
import type { LibraryEntry } from '../../core/unit/ports.js'
import type { Scenario, Step } from '../../protocol/scenario/file.js'

// In a flow map, YAML would interpret the braces of ${name}. During parsing they are replaced with characters that mean
// nothing to YAML.
const openBrace = '\uE000'
const closeBrace = '\uE001'
const restoreBraces = (text: string) => text.replaceAll(openBrace, '{').replaceAll(closeBrace, '}')

/** Replaces each `${…}` that ends on its line; all positions stay the same. */
function hideBraces(text: string): string {
  const pieces: string[] = []
  let at = 0
  for (let open = text.indexOf('${'); open >= 0; ) {
    let end = open + 2
    while (end < text.length && text[end] !== '{' && text[end] !== '}' && text[end] !== '\n') end++
    if (text[end] === '}') {
      pieces.push(text.slice(at, open), '$', openBrace, text.slice(open + 2, end), closeBrace)
      at = end + 1
    }
    open = text.indexOf('${', text[end] === '{' ? end - 1 : end)
  }
  return pieces.join('') + text.slice(at)
}

const lineWidth = 110

/** Formats a scenario like the built-in files: an action without parameters is a single word, and short values stay on one line. */
function writeScenarioText({ steps, outcomes, ...rest }: Scenario): string {
  const document = new Document({
    ...rest,
    ...(steps === undefined ? {} : { steps: steps.map(shortStep) }),
    ...(outcomes === undefined
      ? {}
      : { outcomes: outcomes.map((outcome) => ({ ...outcome, steps: outcome.steps.map(shortStep) })) }),
  })
  visit(document, {
    Map(_, node, path) {
      const isStep = isSeq(path.at(-1))
      if (path.length > 1 && !isStep && JSON.stringify(node.toJSON()).length < lineWidth - 20) node.flow = true
    },
  })
  return document.toString({ lineWidth, flowCollectionPadding: true })
}

function shortStep(step: Step): Step | string {
  const [[name, value] = ['', null]] = Object.entries(step)
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0 ? name : step
}

/** Reads one scenario. Lines and columns count from 1. Never throws; takes time proportional to the text. */
export function readScenarioText(text: string): ReadScenario {
  const lines = new LineCounter()
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const document = readYaml({ text: hideBraces(text), lines, restoreText: restoreBraces })
  if (document.faults !== null) {
    const mistakes = document.faults.map((fault) => ({
      path: [],
      offset: fault.offset,
      say: () => restoreBraces(fault.message) + hintFor(fault, text),
    }))
    return { scenario: null, ...reportMistakes(mistakes, ({ offset }) => at(offset)) }
  }
  const { value, places } = document
  const checked = checkScenario(value)
  if (checked.mistakes === null) return { scenario: checked.scenario, mistakes: null }
  return { scenario: null, ...reportMistakes(checked.mistakes, (mistake) => at(offsetOf(value, places, mistake))) }
}

/** Returns the position of the value (or of the key, if that is wrong); if it is missing, the position of its parent. */
function offsetOf(whole: unknown, places: WeakMap<object, Places>, { path, key }: Mistake): number {
  let at = whole
  let offset = 0
  for (const [index, name] of path.entries()) {
    const field = at !== null && typeof at === 'object' ? places.get(at)?.get(name) : undefined
    if (field === undefined) break
    offset = key !== undefined && index === path.length - 1 ? field.key : field.value
    at = fieldAt(at, name)
  }
  return offset
}

/** Likely causes of errors that YAML does not explain itself. */
function hintFor({ code, offset }: SyntaxFault, text: string): string {
  if (code === 'BLOCK_AS_IMPLICIT_KEY' || code === 'MULTILINE_IMPLICIT_KEY')
    return ': a step with parameters must be one key and a map, such as `- cashin.pay: { amount: 10 }`'
  // YAML reads > as the begin of a text over several lines.
  const mark = code === 'BAD_SCALAR_START' ? offset : code === 'UNEXPECTED_TOKEN' ? offset - 1 : null
  if (mark !== null && text.charAt(mark) === '>') return ': a comparison must be in quotes, such as ">= 10"'
  return ''
}

/** Reads and writes scenarios, as the HTTP code requires. */
export const scenarioTexts = { readScenario: readScenarioText, writeScenario: writeScenarioText }

// Reads untrusted YAML (and so JSON) within limits, with the position of each value.

/**
 * Characters with a meaning in YAML cost the parser some microseconds each. 500 steps with an action and its parameters
 * contain about 5,500.
 */
const maxSyntaxCharacters = 6_500
const syntaxCharacter = /[[\]{},:&*!|>%#"'\\?\n-]/g
/** Nesting at which a text is rejected unparsed, because the parser is recursive. The depth of values has its own, lower limit. */
const maxNesting = 200
/** Matches a line that starts with many nested lists or keys. */
const deepNestingLine = new RegExp(`^(?:[ \\t]*[-?:]){${maxNesting},}`, 'm')
/** A file with a single document can have one such line before it and one after it. */
const documentEnd = /^(?:---|\.\.\.)(?=\s|$)/gm
const secondDocument = 'a file must contain one scenario; a second one starts here'
/** Largest number of characters that aliases may expand the text to. */
const maxCharacters = 300_000
/** Enough to see the problem. */
const maxSyntaxErrors = 20

/** Positions of a field in the text. */
interface Field {
  key: number
  value: number
}

/** Positions of the fields of a map, or of the items of a list. */
type Places = ReadonlyMap<string | number, Field>

interface SyntaxFault {
  /** Error code of the parser; null if the text is rejected for another reason. */
  code: ErrorCode | null
  offset: number
  message: string
}

type YamlText =
  | { value: unknown; places: WeakMap<object, Places>; faults: null }
  | { faults: readonly [SyntaxFault, ...SyntaxFault[]] }

/** Thrown to stop reading at once. */
class LimitExceeded extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message)
  }
}

interface ReadOptions {
  text: string
  lines: LineCounter
  /** Restores the original of a text in the document. */
  restoreText: (text: string) => string
}

/** Reads one document. Takes time proportional to the text, whatever it contains; never throws. */
function readYaml({ text, lines, restoreText: show }: ReadOptions): YamlText {
  const { stackTraceLimit } = Error
  try {
    // The parser creates an Error for each syntax mistake. With thousands of mistakes, their stack traces take most of
    // the time.
    Error.stackTraceLimit = 0
    checkComplexity(text)
    const doc = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: 'silent',
    })
    const [first, ...rest] = doc.errors
      .slice(0, maxSyntaxErrors)
      .map((error) => ({ code: error.code, offset: error.pos[0], message: messageOf(error) }))
    if (first !== undefined) return { faults: [first, ...rest] }
    const values = new Values(show)
    const value = doc.contents === null ? null : values.read(doc.contents).value
    return { value, places: values.places, faults: null }
  } catch (error) {
    if (error instanceof LimitExceeded)
      return { faults: [{ code: null, offset: error.offset, message: error.message }] }
    throw error
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

const messageOf = ({ code, message }: YAMLParseError): string => (code === 'MULTIPLE_DOCS' ? secondDocument : message)

/** Counts what makes parsing slow before it starts. */
function checkComplexity(text: string): void {
  let marks = 0
  let open = 0
  for (const { 0: found, index } of text.matchAll(syntaxCharacter)) {
    if (++marks > maxSyntaxCharacters)
      throw new LimitExceeded(
        index,
        `is too large: it has more than ${maxSyntaxCharacters} brackets, quotes, lines and other YAML tokens`,
      )
    if (found === '[' || found === '{') open++
    else if (found === ']' || found === '}') open = Math.max(0, open - 1)
    if (open > maxNesting) throw new LimitExceeded(index, tooDeep)
  }
  const second = [...text.matchAll(documentEnd)][2]
  if (second !== undefined) throw new LimitExceeded(second.index, secondDocument)
  const hyphens = deepNestingLine.exec(text)
  if (hyphens !== null) throw new LimitExceeded(hyphens.index, tooDeep)
}

const tooDeep = `is nested deeper than ${maxJsonDepth} levels`

/** A value with its size and depth; the value of an alias counts each time. */
interface SizedValue {
  value: unknown
  characters: number
  depth: number
}

/** Builds JavaScript values. Aliases share one value, so that the result needs no more memory than its text. */
class Values {
  readonly places = new WeakMap<object, Places>()
  readonly #anchors = new Map<string, SizedValue>()
  #left = maxCharacters

  constructor(private readonly show: (text: string) => string) {}

  read(node: Node, depth = 0): SizedValue {
    if (isAlias(node)) return this.#alias(node)
    const read = isScalar(node) ? this.#scalar(node, node.value) : this.#collection(node, depth)
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined)
      this.#anchors.set(node.anchor, read)
    return read
  }

  #countCharacters(characters: number, node: Node): void {
    this.#left -= characters
    if (this.#left < 0)
      throw new LimitExceeded(
        offsetOfNode(node),
        `has more than ${maxCharacters} characters after its aliases are expanded`,
      )
  }

  #scalar(node: Node, value: unknown): SizedValue {
    const isText = typeof value === 'string'
    if (!isText && value !== null && typeof value !== 'boolean' && !Number.isFinite(value))
      throw new LimitExceeded(offsetOfNode(node), 'must be a string, a number, true, false, a list or a map')
    const characters = isText ? value.length + 1 : 1
    this.#countCharacters(characters, node)
    return { value: isText ? this.show(value) : value, characters, depth: 0 }
  }

  #alias(node: Alias): SizedValue {
    const meant = this.#anchors.get(node.source)
    if (meant === undefined) throw new LimitExceeded(offsetOfNode(node), `unknown alias *${node.source.slice(0, 80)}`)
    this.#countCharacters(meant.characters, node)
    return meant
  }

  #collection(node: Node, depth: number): SizedValue {
    const fields = new Map<string | number, Field>()
    const whole: SizedValue = { value: null, characters: 1, depth: 0 }
    this.#countCharacters(1, node)
    const items = this.#itemsOf(node).map(({ key, at, item }): [string | number, unknown] => {
      if (fields.has(key)) throw new LimitExceeded(at, `duplicate key ${String(key).slice(0, 80)}`)
      const read: SizedValue = item === null ? { value: null, characters: 1, depth: 0 } : this.read(item, depth + 1)
      const length = typeof key === 'string' ? key.length : 0
      this.#countCharacters(length, node)
      fields.set(key, { key: at, value: item === null ? at : offsetOfNode(item) })
      whole.characters += read.characters + length
      whole.depth = Math.max(whole.depth, read.depth + 1)
      return [key, read.value]
    })
    if (depth + whole.depth > maxJsonDepth) throw new LimitExceeded(offsetOfNode(node), tooDeep)
    const value = isSeq(node) ? items.map(([, item]) => item) : Object.fromEntries(items)
    this.places.set(value, fields)
    return { ...whole, value }
  }

  #itemsOf(node: Node): { key: string | number; at: number; item: Node | null }[] {
    if (isMap<Node, Node | null>(node))
      return node.items.map(({ key, value }) => {
        if (!isScalar(key)) throw new LimitExceeded(offsetOfNode(node), 'has a key that is not a string')
        return { key: key.value === null ? '' : this.show(String(key.value)), at: offsetOfNode(key), item: value }
      })
    if (!isSeq<Node>(node)) return []
    return node.items.map((item, index) => {
      if (isPair(item)) throw new LimitExceeded(offsetOfNode(node), 'must be a plain list')
      return { key: index, at: offsetOfNode(item), item }
    })
  }
}

const offsetOfNode = (node: Node): number => node.range?.[0] ?? 0

/** Parses each built-in scenario once, when it is first needed; it has the name of its file. */
export function builtInScenarios(
  fileOf: (name: string) => string,
  read: (file: string) => string | undefined,
): (name: string) => LibraryEntry | undefined {
  const entries = new Map<string, LibraryEntry>()
  return (name) => {
    const file = fileOf(name)
    const text = entries.has(name) ? undefined : read(file)
    const scenario = text === undefined ? null : readScenarioText(text).scenario
    if (scenario !== null) entries.set(name, { scenario, origin: 'built-in', file })
    return entries.get(name)
  }
}
