/** Reads the text of a scenario, YAML or JSON: the parsed scenario, or its mistakes with line and column. */
import { Document, isSeq, LineCounter, visit } from 'yaml'
import { stepInto } from '../../base/unknown.js'
import { checkScenario } from '../../core/scenarios/check.js'
import type { ReadScenario } from '../../core/scenarios/library.js'
import { type Mistake, tell } from '../../core/scenarios/mistakes.js'
import type { Scenario, Step } from '../../protocol/scenario/file.js'
import { type Places, readYaml } from './yaml-document.js'

// In a flow map YAML would take the braces of ${name} for its own: while it parses they are characters that it leaves alone.
const openBrace = '\uE000'
const closeBrace = '\uE001'
const show = (text: string) => text.replaceAll(openBrace, '{').replaceAll(closeBrace, '}')

/** Each `${…}` that ends on its line; every character keeps its place. */
function hide(text: string): string {
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

/** As the built-in files are written: an action without parameters is a word, and what fits on a line stands on one. */
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

/** Lines and columns count from 1. A text holds one scenario. Never throws, and takes time in proportion to the text. */
export function readScenarioText(text: string): ReadScenario {
  const lines = new LineCounter()
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const read = readYaml({ text: hide(text), lines, show })
  if (read.faults !== null) {
    const mistakes = read.faults.map(({ offset, message }) => ({
      path: [],
      offset,
      say: () => show(message) + hintFor(message),
    }))
    return { scenario: null, ...tell(mistakes, ({ offset }) => at(offset)) }
  }
  const { value, places } = read
  const checked = checkScenario(value)
  if (checked.mistakes === null) return { scenario: checked.scenario, mistakes: null }
  return { scenario: null, ...tell(checked.mistakes, (mistake) => at(offsetOf(value, places, mistake))) }
}

/** Where the value (or, for a wrong key, the key) stands; where it is not there, what should have held it. */
function offsetOf(whole: unknown, places: WeakMap<object, Places>, { path, key }: Mistake): number {
  let at = whole
  let offset = 0
  for (const [index, name] of path.entries()) {
    const field = at !== null && typeof at === 'object' ? places.get(at)?.get(name) : undefined
    if (field === undefined) break
    offset = key !== undefined && index === path.length - 1 ? field.key : field.value
    at = stepInto(at, name)
  }
  return offset
}

/** What probably went wrong where YAML itself does not say. */
const hints: readonly (readonly [RegExp, string])[] = [
  [/block scalar/i, ': a comparison is written in quotes, such as ">= 10"'],
  [
    /implicit key|nested mapping/i,
    ': a step with parameters is one key and a map, such as `- cashin.pay: { amount: 10 }`',
  ],
]
const hintFor = (message: string): string => hints.find(([pattern]) => pattern.test(message))?.[1] ?? ''

/** Both ways, as the HTTP floor asks for them. */
export const scenarioTexts = { readScenario: readScenarioText, writeScenario: writeScenarioText }
