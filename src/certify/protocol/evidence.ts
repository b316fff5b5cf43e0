/** The call that showed a result, as reports have it. */
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
