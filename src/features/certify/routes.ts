/** The routes of `certify`: of a receiver here, those of clients and ledgers in their folders. */
import * as z from 'zod'
import { durationMs, model, route } from '../../inside/control.js'
import { choice, minutes } from '../../inside/platform.js'
import { booksRoutes } from './books/routes.js'
import { clientRoutes } from './client/routes.js'
import { type LoadReport, loadField, loadReport } from './load/report.js'
import { loadRuleIds } from './load/rules.js'
import { describeOption } from './options.js'
import { certifyModes, receiverOptions } from './program-options.js'
import { receiverRuleIds } from './receiver/rules.js'
import { timeLimits } from './receiver/timing.js'
import { reportFields, ruleModel, stateError } from './report/evidence.js'
import type { Report } from './report/rules.js'

/** The rules of the test of each requirement and of the test under load, which have one rule in common. */
const certifiedRuleIds = [...receiverRuleIds, ...loadRuleIds.filter((id) => id !== 'accept.signed')] as const
type CertifiedRule = (typeof certifiedRuleIds)[number]

/** The report of a receiver. `load` is present if the receiver was tested under load. */
export interface ReceiverReport extends Report<CertifiedRule> {
  load?: LoadReport
}

const address = () => z.string('must be a string').min(1, 'must not be empty').meta({ format: 'uri' })

const rule = ruleModel('CertifiedRule', () => z.enum(certifiedRuleIds))

const report = model('Certificate', () =>
  z.strictObject({
    ...reportFields(rule(), z.enum(certifiedRuleIds)),
    state_error: stateError(),
    load: loadReport().optional().describe('Only with `load`: what was measured'),
  }),
)

const receiverBody = () =>
  z.strictObject({
    url: address().describe(
      `${describeOption(receiverOptions.url)}; the same restrictions as for webhook addresses apply`,
    ),
    state_url: address()
      .optional()
      .describe(
        `${describeOption(receiverOptions.state_url)}: receives \`GET\` with \`?transaction_id=\` and answers such as \`{"status": "confirmed", "credited": "25.50"}\``,
      ),
    restart: address().optional().describe(`Receives \`POST\`: ${receiverOptions.restart.help}`),
    mode: choice(certifyModes).optional().describe(describeOption(receiverOptions.mode)),
    production_url: address().optional().describe(describeOption(receiverOptions.production_url)),
    webhook_secret: z
      .string('must be a string')
      .min(1, 'must not be empty')
      .max(200, 'at most 200 characters')
      .optional()
      .describe(describeOption(receiverOptions.webhook_secret)),
    time_limit: durationMs(timeLimits.givenMs, minutes(timeLimits.givenMs))
      .optional()
      .describe(describeOption(receiverOptions.time_limit)),
    load: loadField()
      .optional()
      .describe(
        `Sends events of real transactions at a rate instead of testing each requirement; a rate such as \`"20/s"\` is enough`,
      ),
    run: z
      .string('must be a string')
      .max(64, 'at most 64 characters')
      .optional()
      .describe('The `id` of the `certify` changes that report each requirement on the stream (generated if omitted)'),
  })

/** What a receiver is certified with. */
export type CertifyOptions = z.output<ReturnType<typeof receiverBody>>

export const certifyRoutes = {
  ...booksRoutes,
  ...clientRoutes,
  certifyReceiver: route('POST /certify/receiver', {
    errors: ['INVALID_POSTBACK_URL'],
    summary: 'Test a webhook receiver, requirement by requirement',
    tool: {
      name: 'certify_receiver',
      description: 'Test a webhook receiver at its address; a failed requirement comes with evidence and a correction.',
      example: { url: 'http://127.0.0.1:3000/webhooks', state_url: 'http://127.0.0.1:3000/state' },
      isDefault: true,
    },
    body: receiverBody,
    answer: report,
    example: { url: 'http://127.0.0.1:3000/webhooks' },
  }),
} as const
