/** Reads the text of a scenario, YAML or JSON: the parsed scenario, or its mistakes with line and column. */
import { Document, isSeq, LineCounter, visit } from 'yaml'
import { fieldAt } from '../../base/unknown.js'
import type { ReadScenario } from '../../core/scenarios/arms.js'
import { checkScenario, type Mistake, reportMistakes } from '../../core/scenarios/check.js'
import type { Scenario, Step } from '../../protocol/scenario/file.js'
import { type Places, readYaml, type SyntaxFault } from './yaml-document.js'

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
