/** The schema of scenario files. The published JSON Schema is generated from it. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves

import * as z from 'zod'
import { isKeyOf, mapRows } from '../../base/keys.js'
import { fieldsIn } from '../../base/unknown.js'
import { actionNames } from '../actions/actions.js'
import {
  choice,
  onFirstUse,
  scenarioNameMaxLength,
  scenarioNamePattern,
  scenarioNameRule,
  text,
} from '../platform/fields.js'
import { requestHeaders } from '../platform/headers.js'
import { anySchemaOf, type StepName, stepNames, stepTable } from './steps.js'
import {
  type CallName,
  type Condition,
  callNames,
  conditions,
  identifier,
  type ParamValue,
  paramValue,
} from './values.js'

const onSchema = () =>
  z.strictObject({
    operation: choice(callNames).describe(
      'The calls to match: an operation, or a route such as "POST /v2/oauth/token"',
    ),
    where: conditions()
      .optional()
      .describe('Conditions on the request: a value, a comparison such as ">= 10", or a list of allowed values'),
  })

/** An object with exactly one of the step names as key. */
const stepSchema = () =>
  z.strictObject(
    Object.fromEntries(stepNames.map((name) => [name, anySchemaOf(name).optional().describe(stepTable[name].title)])),
  )

export const maxSteps = 500
export const maxOutcomes = 200

/** Built on first use, so that it costs nothing at start. */
export const scenarioFile = onFirstUse(() => {
  const on = onSchema().meta({ id: 'on' })
  const step = stepSchema().meta({ id: 'step', minProperties: 1, maxProperties: 1 })
  const steps = z
    .array(step, 'must be a list of steps, each starting with a hyphen')
    .min(1, 'must contain at least one step')
    .max(maxSteps, `must contain at most ${maxSteps} steps`)
  const outcome = z.strictObject({
    title: text(200).describe('What happens'),
    on: on.describe('The call with the magic value, such as an amount or a key'),
    steps,
  })
  return z
    .strictObject({
      $schema: z.string().optional(),
      name: z
        .string('must be a string')
        .regex(scenarioNamePattern, `must be ${scenarioNameRule}, such as tron-energy-fail`)
        .max(scenarioNameMaxLength, `must be at most ${scenarioNameMaxLength} characters`)
        .describe(`Name for run, arm and ${requestHeaders.scenario}: ${scenarioNameRule}`),
      title: text(200).optional().describe('What happens, in one line'),
      description: text(5000).optional().describe('Purpose, and what an integration should do'),
      on: on
        .optional()
        .describe('Calls that start the scenario when it is armed; without it, the scenario can only be run'),
      times: z
        .int('must be a whole number')
        .min(1, 'must be at least 1')
        .optional()
        .describe('Number of matching calls that the scenario affects when armed (default: all)'),
      params: z
        .record(identifier(), paramValue())
        .optional()
        .describe('Parameters with defaults, which a run can override; used as `${name}`'),
      settle: choice(['auto', 'manual'])
        .optional()
        .describe(
          '`manual`: a withdrawal that is pending at the end stays pending. `auto`: it settles as usual (default: `auto`)',
        ),
      steps: steps.optional().describe('What happens, in order'),
      outcomes: z
        .array(outcome)
        .min(1, 'must contain at least one outcome')
        .max(maxOutcomes, `must contain at most ${maxOutcomes} outcomes`)
        .optional()
        .describe(
          'Instead of `steps`: a table of magic values (amounts or keys that decide what happens to a call) with the steps of each',
        ),
    })
    .meta({ title: 'A payments-sandbox scenario' })
})

export interface On {
  operation: CallName
  where?: Record<string, Condition>
}

/** A step as written in the file: one key, whose value may contain `${…}`. */
export type Step = Partial<Record<StepName, unknown>>

interface Outcome {
  title: string
  on: On
  steps: Step[]
}

/** A validated scenario. It has either `steps` or `outcomes`. */
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
  if (name === undefined || !isKeyOf(stepTable, name)) throw new Error(`${name} is not a step`)
  return name
}

/** The JSON Schema for editors. It allows `${…}` wherever a step takes a value. */
export function scenarioJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(scenarioFile(), { io: 'input', unrepresentable: 'any' })
  const { step: stepSchema, ...defs } = schema.$defs ?? {}
  if (stepSchema?.properties === undefined) throw new Error('the schema of a step is missing')
  const { id: _id, ...body } = stepSchema
  const properties = mapRows(stepSchema.properties, (value, name) => ({
    ...fieldsIn(withReferences(value)),
    examples: isKeyOf(stepTable, name) ? stepTable[name].examples : [],
  }))
  const bare = { type: 'string', enum: actionNames, description: 'An action without parameters.' }
  const { steps, fieldSets } = withSharedFields(properties)
  const step = { anyOf: [{ ...body, properties: steps }, bare] }
  const $defs = { ...defs, reference: definitionOfReference, ...fieldSets, step }
  return fieldsIn(forEditors({ ...schema, $defs }))
}

/** The actions on one kind of object share their `fields`: each set becomes one definition. */
function withSharedFields(steps: Record<string, Record<string, unknown>>) {
  const sets = new Map<string, { name: string; fields: unknown }>()
  const shared = Object.entries(steps).map(([step, schema]) => {
    const { fields, ...others } = fieldsIn(schema.properties)
    if (fields === undefined) return [step, schema]
    const text = JSON.stringify(fields)
    const { name } = sets.get(text) ?? { name: `fields_of_${step}` }
    sets.set(text, { name, fields })
    const { description } = fieldsIn(fields)
    return [step, { ...schema, properties: { ...others, fields: { description, $ref: `#/$defs/${name}` } } }]
  })
  const fieldSets = Object.fromEntries([...sets.values()].map(({ name, fields }) => [name, fields]))
  return { steps: Object.fromEntries(shared), fieldSets }
}

/** Removes what only our own validator reads. */
function forEditors(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(forEditors)
  if (node === null || typeof node !== 'object') return node
  const described = Object.entries(node).filter(
    ([key, value]) => !(key === 'code' && typeof value === 'string') && !key.startsWith('x-assumed'),
  )
  return Object.fromEntries(described.map(([key, value]) => [key, forEditors(value)]))
}

const definitionOfReference = {
  type: 'string',
  pattern: '\\$\\{[^}]+\\}',
  description: 'A parameter or an object, as ${name}.',
}
const reference = { $ref: '#/$defs/reference' }

function withReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withReferences)
  if (node === null || typeof node !== 'object') return node
  const { description, ...rest } = fieldsIn(node)
  const inner = mapRows(rest, (value, key) => (key === 'enum' ? value : withReferences(value)))
  const described = description === undefined ? {} : { description }
  if (rest.type === 'object' || rest.properties !== undefined)
    return { ...described, ...inner, ...(rest.type === 'object' ? { type: ['object', 'null'] } : {}) }
  const isConstrained =
    rest.enum !== undefined || rest.const !== undefined || rest.format !== undefined || rest.pattern !== undefined
  const typed = rest.type === 'integer' || rest.type === 'number' || rest.type === 'boolean'
  return isConstrained || typed ? { ...described, anyOf: [inner, reference] } : { ...described, ...inner }
}
