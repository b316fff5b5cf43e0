/** What a scenario file may say: the schema that files are checked against, and that the published JSON Schema is made of. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves

import * as z from 'zod'
import { isKeyOf } from '../../base/keys.js'
import { fieldsIn } from '../../base/unknown.js'
import { actionNames } from '../actions/actions.js'
import { choice, text } from '../platform/fields.js'
import { callHeaders } from '../platform/headers.js'
import { scenarioNameMaxLength, scenarioNamePattern, scenarioNameWords } from '../platform/names.js'
import { type CallName, callNames } from './calls.js'
import { type Condition, conditions, identifier } from './fields.js'
import { type ParamValue, paramValue } from './params.js'
import { anySchemaOf, type StepName, stepNames, stepTable } from './steps.js'

const onSchema = () =>
  z.strictObject({
    operation: choice(callNames).describe(
      'Which of the integrator’s calls: an operation, or a route such as "POST /v2/oauth/token"',
    ),
    where: conditions()
      .optional()
      .describe('What the request must say: a value, a comparison such as ">= 10", or a list of which any will do'),
  })

/** An object with exactly one of these keys. */
const stepSchema = () =>
  z.strictObject(
    Object.fromEntries(stepNames.map((name) => [name, anySchemaOf(name).optional().describe(stepTable[name].title)])),
  )

export const maxSteps = 500
export const maxOutcomes = 200

function makeScenarioFile() {
  const on = onSchema().meta({ id: 'on' })
  const step = stepSchema().meta({ id: 'step', minProperties: 1, maxProperties: 1 })
  const steps = z
    .array(step, 'must be a list of steps, each begun with a hyphen')
    .min(1, 'must hold at least one step')
    .max(maxSteps, `must hold at most ${maxSteps} steps`)
  const outcome = z.strictObject({
    title: text(200).describe('What happens'),
    on: on.describe('The amount, key or other magic value that leads to it'),
    steps,
  })
  return z
    .strictObject({
      $schema: z.string().optional(),
      name: z
        .string('must be a string')
        .regex(scenarioNamePattern, `must be ${scenarioNameWords}, such as tron-energy-fail`)
        .max(scenarioNameMaxLength, `must be at most ${scenarioNameMaxLength} characters`)
        .describe(`Name in run, arm and ${callHeaders.scenario}: ${scenarioNameWords}`),
      title: text(200).optional().describe('One line that says what happens'),
      description: text(5000).optional().describe('What it is good for, and what an integration should do about it'),
      on: on
        .optional()
        .describe('Which of the integrator’s calls start it when it is armed; without it, it can only be run'),
      times: z
        .int('must be a whole number')
        .min(1, 'must be at least 1')
        .optional()
        .describe('How many matching calls it takes when it is armed; without it, every one'),
      params: z
        .record(identifier(), paramValue())
        .optional()
        .describe('Values with defaults that a run may override; used as `${name}`'),
      settle: choice(['auto', 'manual'])
        .optional()
        .describe('`manual`: a withdrawal still pending at the end stays so. Else it settles by itself again'),
      steps: steps.optional().describe('What happens, in order'),
      outcomes: z
        .array(outcome)
        .min(1, 'must hold at least one outcome')
        .max(maxOutcomes, `must hold at most ${maxOutcomes} outcomes`)
        .optional()
        .describe('Instead of `steps`: a table of magic values, each with the steps that it leads to'),
    })
    .meta({ title: 'A payments-sandbox scenario' })
}

let made: ReturnType<typeof makeScenarioFile> | undefined

/** Made when it is first asked for, so that starting does not pay for it. */
export function scenarioFile(): ReturnType<typeof makeScenarioFile> {
  made ??= makeScenarioFile()
  return made
}

export interface On {
  operation: CallName
  where?: Record<string, Condition>
}

/** A step as the file has it: one key, its value with `${…}` still in it. */
export type Step = Partial<Record<StepName, unknown>>

interface Outcome {
  title: string
  on: On
  steps: Step[]
}

/** A scenario that has passed every check. Exactly one of `steps` and `outcomes` is there. */
export interface Scenario {
  name: string
  title?: string
  description?: string
  on?: On
  times?: number
  params?: Record<string, ParamValue>
  settle?: 'auto' | 'manual'
  steps?: Step[]
  outcomes?: Outcome[]
}

export function stepKey(step: Step): StepName {
  const [name] = Object.keys(step)
  if (name === undefined || !isKeyOf(stepTable, name)) throw new Error(`${name} is no step`)
  return name
}

/** The schema that editors read: every `${…}` is allowed wherever a step takes a value. */
export function scenarioJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(scenarioFile(), { io: 'input', unrepresentable: 'any' })
  const { step, ...defs } = schema.$defs ?? {}
  if (step?.properties === undefined) throw new Error('the schema of a step is missing')
  const { id: _id, ...body } = step
  const properties = Object.fromEntries(
    Object.entries(step.properties).map(([name, value]) => [
      name,
      { ...fieldsIn(withReferences(value)), examples: isKeyOf(stepTable, name) ? stepTable[name].examples : [] },
    ]),
  )
  const bare = { type: 'string', enum: actionNames, description: 'An action without parameters.' }
  return fieldsIn(forEditors({ ...schema, $defs: { ...defs, step: { anyOf: [{ ...body, properties }, bare] } } }))
}

/** Without what only our own validator reads. */
function forEditors(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(forEditors)
  if (node === null || typeof node !== 'object') return node
  const told = Object.entries(node).filter(
    ([key, value]) => !(key === 'code' && typeof value === 'string') && !key.startsWith('x-assumed'),
  )
  return Object.fromEntries(told.map(([key, value]) => [key, forEditors(value)]))
}

const reference = { type: 'string', pattern: '\\$\\{[^}]+\\}', description: 'A parameter or an object, as ${name}.' }

function withReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withReferences)
  if (node === null || typeof node !== 'object') return node
  const { description, ...rest } = fieldsIn(node)
  const inner = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, key === 'enum' ? value : withReferences(value)]),
  )
  const told = description === undefined ? {} : { description }
  if (rest.type === 'object' || rest.properties !== undefined)
    return { ...told, ...inner, ...(rest.type === 'object' ? { type: ['object', 'null'] } : {}) }
  const closed =
    rest.enum !== undefined || rest.const !== undefined || rest.format !== undefined || rest.pattern !== undefined
  const typed = rest.type === 'integer' || rest.type === 'number' || rest.type === 'boolean'
  return closed || typed ? { ...told, anyOf: [inner, reference] } : { ...told, ...inner }
}
