/** Reads the text of a scenario, YAML or JSON: the parsed scenario, or every mistake with its line and column. */
import { type Document, isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { checkScenario, pathText } from '../../core/scenarios/check.js'
import type { ReadScenario } from '../../core/scenarios/library.js'
import type { Mistake, Path } from '../../core/scenarios/self-checks.js'

// In a flow map YAML would take the braces of ${name} for its own: while it parses they are characters that it leaves alone.
const openBrace = '\uE000'
const closeBrace = '\uE001'
const hide = (text: string) => text.replace(/\$\{([^{}\n]*)\}/g, `$$${openBrace}$1${closeBrace}`)
const show = (text: string) => text.replaceAll(openBrace, '{').replaceAll(closeBrace, '}')

/** Lines and columns count from 1. A text holds one scenario. Never throws. */
export function readScenarioText(text: string): ReadScenario {
  try {
    return read(text)
  } catch (error) {
    // Nesting without end, or aliases that multiply.
    const message = error instanceof Error ? error.message : String(error)
    return { scenario: null, mistakes: [{ line: 1, column: 1, path: '', message: `cannot be read: ${message}` }] }
  }
}

function read(text: string): ReadScenario {
  const lines = new LineCounter()
  const doc = parseDocument(hide(text), { lineCounter: lines, prettyErrors: false, logLevel: 'silent' })
  const at = (offset = 0) => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  if (doc.errors.length > 0) {
    const mistakes = doc.errors.map((error) => ({
      ...at(error.pos[0]),
      path: '',
      message: show(error.message) + hintFor(error.message),
    }))
    return { scenario: null, mistakes }
  }
  const checked = checkScenario(revive(doc.toJS({ maxAliasCount: 100 })))
  if (checked.mistakes === null) return { scenario: checked.scenario, mistakes: null }
  const mistakes = checked.mistakes.map((mistake) => ({
    ...at(offsetOf(doc, mistake)),
    path: pathText(mistake.path),
    message: mistake.message,
  }))
  return { scenario: null, mistakes: mistakes.sort((a, b) => a.line - b.line || a.column - b.column) }
}

/** What probably went wrong where YAML itself does not say. */
const hints: readonly (readonly [RegExp, string])[] = [
  [/block scalar/i, ': a comparison is written in quotes, such as ">= 10"'],
  [
    /implicit key|nested mapping/i,
    ': a step with parameters is one key and a map, such as `- cashin.pay: { amount: 10 }`',
  ],
  [/multiple documents|document contains/i, ': a file holds one scenario'],
]

const hintFor = (message: string): string => hints.find(([pattern]) => pattern.test(message))?.[1] ?? ''

function revive(value: unknown): unknown {
  if (typeof value === 'string') return show(value)
  if (Array.isArray(value)) return value.map(revive)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [show(key), revive(item)]))
}

/** Where the value (or, for a wrong key, the key) stands; where it is not there, what should have held it. */
function offsetOf(doc: Document, mistake: Mistake): number | undefined {
  for (let length = mistake.path.length; length >= 0; length--) {
    const path = mistake.path.slice(0, length)
    const offset =
      length === mistake.path.length && mistake.key !== undefined ? keyOffset(doc, path) : nodeOffset(doc, path)
    if (offset !== undefined) return offset
  }
  return 0
}

function nodeOffset(doc: Document, path: Path): number | undefined {
  const node = nodeAt(doc, path)
  return node?.range?.[0] ?? keyOffset(doc, path)
}

function keyOffset(doc: Document, path: Path): number | undefined {
  const parent = nodeAt(doc, path.slice(0, -1))
  if (!isMap(parent)) return undefined
  const pair = parent.items.find(
    (item) => isPair(item) && isScalar(item.key) && show(String(item.key.value)) === path.at(-1),
  )
  return (pair?.key as Node | undefined)?.range?.[0]
}

function nodeAt(doc: Document, path: Path): Node | undefined {
  return path.reduce<Node | undefined>((node, key) => {
    if (isSeq(node)) return node.items[Number(key)] as Node | undefined
    if (!isMap(node)) return undefined
    const pair = node.items.find((item) => isScalar(item.key) && show(String(item.key.value)) === String(key))
    return (pair?.value as Node | null | undefined) ?? undefined
  }, doc.contents ?? undefined)
}
