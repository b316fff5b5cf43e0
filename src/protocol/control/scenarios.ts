/** Control routes of scenarios, armed scenarios and runs. */
import * as z from 'zod'
import { toPlainJson } from '../../base/json.js'
import { bool, choice, dateTimeUtc, integerInJson, text } from '../platform/fields.js'
import { problemNames } from '../scenario/problems.js'
import { stepNames } from '../scenario/steps.js'
import { callNames, paramValue } from '../scenario/values.js'
import { filterText, listOf, model, objectId, pageByNameQuery, pageOf, route } from './route.js'

const arm = model('Arm', () =>
  z.strictObject({
    scenario: z.string(),
    account: z.string().nullable().describe('null: calls of all accounts'),
    times: z.int().nullable().describe('Number of further calls that it affects; null: all'),
    armed_at: dateTimeUtc(),
  }),
)

const on = () =>
  z.strictObject({
    operation: z.enum(callNames),
    where: z
      .record(z.string(), z.union([paramValue(), z.null(), z.array(paramValue()).readonly()]))
      .optional()
      .describe('Conditions on the request'),
  })

const step = () => z.record(z.string(), z.unknown()).describe('One key: the kind of step')

const scenarioSummary = model('ScenarioSummary', () =>
  z.strictObject({
    name: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    problem: z.enum(problemNames).describe('The problem that the scenario simulates; `none` if everything works'),
    origin: z.enum(['built-in', 'folder', 'uploaded']),
    file: z.string().optional().describe('Only for a scenario from the folder'),
    on: on().nullable().describe('Calls that it affects when armed; null: it can only be run'),
    times: z.int().nullable(),
    params: z.record(z.string(), paramValue()),
    step_count: z.int().nullable(),
    outcome_count: z.int().nullable(),
    outline: z.array(z.string()).describe('Its steps in short, such as `wait 55m`; empty if it has outcomes'),
    armed: z.array(arm()),
  }),
)

const scenario = model('Scenario', () =>
  scenarioSummary().extend({
    settle: z.enum(['auto', 'manual']),
    steps: z.array(step()).nullable(),
    outcomes: z.array(z.strictObject({ title: z.string(), on: on(), steps: z.array(step()) })).nullable(),
    yaml: z.string().describe('The scenario as a file'),
  }),
)

const runStatuses = ['running', 'passed', 'failed', 'canceled'] as const
export type RunStatus = (typeof runStatuses)[number]
const stepStatuses = ['pending', 'running', 'passed', 'failed', 'skipped', 'canceled'] as const
export type StepStatus = (typeof stepStatuses)[number]
const startedBy = ['run', 'armed', 'header'] as const
export type StartedBy = (typeof startedBy)[number]

const run = model('Run', () =>
  z.strictObject({
    id: z.string(),
    scenario: z.string(),
    status: z.enum(runStatuses),
    started_by: z.enum(startedBy),
    account: z.string(),
    steps: z.array(
      z.strictObject({
        step: z.enum(stepNames),
        params: z.unknown().describe('The step as written; names of `vars` are not replaced'),
        status: z.enum(stepStatuses),
        at: dateTimeUtc().nullable(),
        detail: z.string().nullable(),
      }),
    ),
    vars: z.record(z.string(), z.union([paramValue(), z.null()])),
    started_at: dateTimeUtc(),
    finished_at: dateTimeUtc().nullable(),
  }),
)

export const scenarioRoutes = {
  listScenarios: route('GET /scenarios', {
    summary: 'Scenarios: built-in, from the folder, uploaded',
    query: pageByNameQuery,
    answer: () => listOf(scenarioSummary()),
  }),
  uploadScenario: route('POST /scenarios', {
    summary: 'Upload a scenario, YAML or JSON',
    rawBodyTypes: ['application/yaml', 'application/json'],
    body: () => z.looseObject({ name: z.string() }),
    answer: scenario,
    example: { name: 'paid', on: { operation: 'cashin' }, steps: [{ 'cashin.pay': {} }] },
  }),
  validateScenario: route('POST /scenarios/validate', {
    summary: 'Validate a scenario, YAML or JSON, without saving it',
    rawBodyTypes: ['application/yaml', 'application/json'],
    body: () => z.looseObject({ name: z.string() }),
    answer: () =>
      z.strictObject({
        mistakes: z.array(
          z.strictObject({
            line: z.int().nullable().describe('From 1; null if the place is unknown'),
            column: z.int().nullable().describe('From 1; null if the place is unknown'),
            path: z.string().describe('The field, such as `steps[1].wait`'),
            message: z.string(),
          }),
        ),
        more: z.int().describe('Number of mistakes that are not reported'),
      }),
    example: { name: 'paid', on: { operation: 'cashin' }, steps: [{ 'cashin.pay': {} }] },
  }),
  readScenarioSchema: route('GET /scenarios/schema.json', {
    summary: 'JSON Schema of scenario files, for editors',
    mediaType: 'application/schema+json',
  }),
  readScenario: route('GET /scenarios/{name}', { summary: 'One scenario with its steps', answer: scenario }),
  deleteScenario: route('DELETE /scenarios/{name}', { summary: 'Delete an uploaded scenario' }),
  runScenario: route('POST /scenarios/{name}/run', {
    summary: 'Run a scenario',
    body: () =>
      z.strictObject({
        id: objectId().optional(),
        params: z.preprocess(toPlainJson, z.record(z.string(), paramValue())).optional(),
        account: text().optional(),
        fast_forward: bool().optional().describe('Advances the clock instead of waiting'),
        wait: bool().optional().describe('Respond only when the run has finished (default: true with fast_forward)'),
      }),
    answer: run,
    example: { fast_forward: true },
  }),
  armScenario: route('POST /scenarios/{name}/arm', {
    summary: 'Arm a scenario: it takes effect on the matching calls of the integrator',
    body: () =>
      z.strictObject({
        times: integerInJson(1, 1_000_000)
          .nullable()
          .optional()
          .describe('Number of calls that it affects (default: `times` of the scenario)'),
        account: text().optional().describe('Account whose calls it affects (default: all accounts)'),
      }),
    answer: arm,
    example: { times: 1 },
  }),
  disarmScenario: route('DELETE /scenarios/{name}/arm', {
    summary: 'Disarm a scenario',
    query: () => z.strictObject({ account: filterText() }),
    answer: () => z.strictObject({ scenario: z.string(), disarmed: z.int() }),
  }),
  listRuns: route('GET /runs', {
    summary: 'Runs, newest first',
    query: () => pageOf({ scenario: filterText(), status: choice(runStatuses).optional() }),
    answer: () => listOf(run()),
  }),
  readRun: route('GET /runs/{id}', { summary: 'One run, step by step', answer: run }),
  cancelRun: route('DELETE /runs/{id}', { summary: 'Cancel a run', answer: run }),
} as const
