/** The route that certifies a receiver of webhooks. */
import * as z from 'zod'
import { model, route } from '../../protocol/control/route.js'
import { choice } from '../../protocol/platform/fields.js'
import { attemptOutcomes } from '../../protocol/platform/outcomes.js'
import { receiverRuleIds } from './receiver-rules.js'
import { results, verdicts } from './rules.js'

export const certifyModes = ['sandbox', 'production'] as const

const address = () => z.string('must be a string').min(1, 'must not be empty').meta({ format: 'uri' })

const evidence = () =>
  z.strictObject({
    request: z.strictObject({ url: z.string(), headers: z.record(z.string(), z.string()), body: z.string() }),
    answer: z.strictObject({
      outcome: z.enum(attemptOutcomes),
      status: z.int().nullable(),
      body: z.string().nullable(),
      duration_ms: z.int(),
    }),
  })

const rule = model('CertifiedRule', () =>
  z.strictObject({
    id: z.enum(receiverRuleIds),
    duty: z.string().describe('What the receiver has to do'),
    source: z.string().describe('The part of the interface, and its sentence'),
    severity: z.enum(['error', 'warning']).describe('A warning is no reason to fail'),
    result: z.enum(results).describe('`unseen`: nothing could be told, and `seen` says why'),
    seen: z.string(),
    tried: z.string(),
    mend: z.string().describe('What to do; depends on what was observed'),
    evidence: evidence().nullable().describe('The call that showed it, where one did'),
    blocked_by: z.enum(receiverRuleIds).optional().describe('The broken rule that kept this one from being tested'),
  }),
)

const report = model('Certificate', () =>
  z.strictObject({
    verdict: z.enum(verdicts).describe('`right`: no rule is broken, warnings aside'),
    rules: z.array(rule()),
    not_tested: z
      .array(
        z.strictObject({
          blocked_by: z.enum(receiverRuleIds),
          reason: z.string(),
          rules: z.array(z.enum(receiverRuleIds)),
        }),
      )
      .describe('The rules that one broken rule kept from being tested, in groups'),
  }),
)

export const certifyRoutes = {
  certifyReceiver: route({
    method: 'POST',
    path: '/certify/receiver',
    errors: ['INVALID_POSTBACK_URL'],
    summary: 'Try a receiver of webhooks, rule by rule',
    body: () =>
      z.strictObject({
        url: address().describe('Where the receiver is; the rules for webhook addresses apply'),
        effects: address()
          .optional()
          .describe('Asked with `?transaction_id=` what became of it: `{"status": "confirmed", "credited": "25.50"}`'),
        restart: address()
          .optional()
          .describe('A POST there restarts the receiver, and is answered when it is up again'),
        mode: choice(certifyModes).optional().describe('`production`: without `X-Sandbox`, which is to be refused'),
        production_url: address().optional(),
        webhook_secret: z
          .string('must be a string')
          .min(1, 'must not be empty')
          .max(200, 'at most 200 characters')
          .optional()
          .describe('What to sign with; the secret of `merchant` where absent'),
        run: z
          .string('must be a string')
          .max(64, 'at most 64 characters')
          .optional()
          .describe('The `id` of the changes of type `certify` that tell each rule on the stream'),
      }),
    answer: report,
    example: { url: 'http://127.0.0.1:3000/webhooks' },
  }),
} as const
