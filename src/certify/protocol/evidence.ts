/** Fields that reports share: the call that showed a result, and why the state could not be read. */
import * as z from 'zod'
import { attemptOutcomes } from '../../protocol/platform/outcomes.js'

export const evidence = () =>
  z.strictObject({
    request: z.strictObject({ url: z.string(), headers: z.record(z.string(), z.string()), body: z.string() }),
    answer: z.strictObject({
      outcome: z.enum(attemptOutcomes),
      status: z.int().nullable(),
      body: z.string().nullable(),
      duration_ms: z.int(),
    }),
  })

export const stateError = () =>
  z.string().optional().describe('Why the state of the application could not be read, if it could not')
