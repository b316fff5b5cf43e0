/** Evidence of a result: the call that showed it, as reports contain it. */
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
