/** Kinds of scheduled jobs, and what each does, for people. */
import { keysOf } from '../../base/keys.js'

export const jobTable = {
  expire: { one: 'charge expires', many: 'charges expire' },
  settle: { one: 'withdrawal settles', many: 'withdrawals settle' },
  deliver: { one: 'webhook is sent', many: 'webhooks are sent' },
  deadline: { one: 'dispute reaches its deadline', many: 'disputes reach their deadline' },
  scenario: { one: 'scenario continues', many: 'scenarios continue' },
} as const

export type JobKind = keyof typeof jobTable
export const jobKinds = keysOf(jobTable)
