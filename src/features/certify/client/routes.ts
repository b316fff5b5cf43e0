/** The route that judges the calls of a running client, and the report of a client, with or without chaos. */
import * as z from 'zod'
import { chaosFaultNames, filterText, model, route } from '../../../inside/control.js'
import { reportFields, ruleModel, stateError, warnedCalls } from '../report/evidence.js'
import type { Report } from '../report/rules.js'
import { type ChaosRule, chaosRuleIds, clientRuleIds } from './rules.js'

const anyRule = model('ClientRuleId', () => z.enum([...new Set([...clientRuleIds, ...chaosRuleIds])]))

const rule = ruleModel('ClientRule', anyRule)

const fault = model('FaultOfRun', () =>
  z.strictObject({
    id: z.string().describe('The same in every run and for every seed'),
    fault: z.enum(chaosFaultNames),
    target: z.string().describe('`POST /v2/transactions/cashin`, or the name of the event'),
    external_id: z.string().nullable(),
    count: z.int().describe('Which of the equal calls or events, from 1'),
  }),
)
export type FaultOfRun = z.output<ReturnType<typeof fault>>

const failure = model('ChaosFailure', () =>
  z.strictObject({
    rules: z.array(z.enum(chaosRuleIds)).describe('The requirements that fail with these faults'),
    observed: z.string(),
    failed_runs: z.int().describe('Runs in which the first of the requirements failed'),
    seed: z.int().describe('Of the run that was repeated with fewer faults'),
    faults: z
      .array(fault())
      .describe('The smallest set that was found: without any one of them, the run does not fail'),
    faults_before: z.int().describe('Faults of the run at first'),
    tries: z.int().describe('How often the client was run to find the set'),
    repeats: z.boolean().describe('false: the run did not fail again with the same faults'),
    output: z.string().describe('The last lines that the command printed'),
  }),
)
export type ChaosFailure = z.output<ReturnType<typeof failure>>

const report = model('ClientCertificate', () =>
  z.strictObject({
    ...reportFields(rule(), anyRule()),
    calls: z.int().optional().describe('Calls that were judged; not under chaos'),
    state_error: stateError(),
    warnings: z.array(warnedCalls()).optional().describe('Warnings of the request log, each once'),
    chaos: z
      .strictObject({
        seed: z.int().describe('Of the first run; each further run has the next number'),
        runs: z.int(),
        failed_runs: z.int(),
        faults: z.int().describe('Of all runs'),
        failures: z.array(failure()),
        output: z.string().describe('The last lines that the run without faults printed'),
      })
      .optional()
      .describe('Of a certification under chaos'),
  }),
)
type ClientReport = z.output<ReturnType<typeof report>>
export type ChaosReport = Report<ChaosRule> & { chaos: NonNullable<ClientReport['chaos']> }

export const clientRoutes = {
  certifyClient: route('POST /certify/client', {
    tool: {
      name: 'certify_client',
      description: 'Judge the calls that the integration has made, from the request log.',
      example: {},
      isDefault: true,
    },
    errors: ['CONFLICT'],
    summary:
      'Judge the calls of a running client in the request log, requirement by requirement; set chaos to inject faults meanwhile',
    body: () =>
      z.strictObject({
        account: filterText().describe('Only calls of this account'),
        after: filterText().describe('Only calls after the one with this `request_id` (default: all in the log)'),
      }),
    answer: report,
    example: {},
  }),
} as const
