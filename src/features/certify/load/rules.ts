/** The rules of a load test, one row each. A receiver must accept a signed event before the load begins. */

import { advisedResponseMs, webhookTimeouts } from '../../../inside/platform.js'
import { keysOf } from '../../../inside/values.js'
import { receiverRules } from '../receiver/rules.js'
import { inSeconds } from '../receiver/timing.js'
import type { RuleRow } from '../report/rules.js'

const accepts = ['accept.signed'] as const

// biome-ignore format: a table, a field a line
export const loadRules = {
  'accept.signed': receiverRules['accept.signed'],
  'load.accepted': {
    requirement: 'The receiver answers every event with 2xx under load.',
    source: '§6.1, rule 3', severity: 'error', byAnswer: true, after: accepts,
    check: 'Counts the failed attempts by status and outcome. Timeouts count for load.in-time.',
    fix: 'Read the log of the receiver at the time of the first failure. Check the limits of connections, workers and the database pool.',
  },
  'load.in-time': {
    requirement: `The receiver answers every event within ${inSeconds(webhookTimeouts.totalMs)} under load.`,
    source: '§6.3', severity: 'error', example: 'answer', after: accepts,
    check: `Counts the attempts without an answer within ${inSeconds(webhookTimeouts.totalMs)}.`,
    fix: 'Store the event, answer, and process it afterwards. Handle requests concurrently.',
  },
  'load.soon': {
    requirement: `The receiver answers 95 of 100 events within ${inSeconds(advisedResponseMs)} under load.`,
    source: '§6.1, rule 3', severity: 'warning', example: 'answer', after: accepts,
    check: 'Measures the time of every answer; attempts without one count as slower than all others.',
    fix: 'Store the event, answer, and process it afterwards. Add workers if the handler is already short.',
  },
  'load.keeps-up': {
    requirement: 'The receiver has acknowledged every event when the load has ended.',
    source: '§6.3', severity: 'error', example: 'answer', after: accepts,
    check: 'Repeats failed attempts with the delays of the platform, and, after the last event, waits for two repetitions of each.',
    fix: 'Find the rate that the receiver sustains (--find-limit), and shorten the handler or add workers until the sustained rate is higher than the rate of your busiest minute.',
  },
  'load.once': {
    requirement: 'The receiver applies every event once under load.',
    source: '§6.1, rule 4', severity: 'error', example: 'dedupe', after: accepts,
    check: 'Sends one of 50 events once more after it was acknowledged. Then reads the state of the charges whose events were sent more than once, and of a sample of the others.',
    fix: 'Insert the id of the event and apply the event in one database transaction, with a unique index on the id. A check before the insert lets two simultaneous copies through.',
  },
  'load.recovers': {
    requirement: 'The receiver answers again after a rate that was too high.',
    source: '§6.3', severity: 'error', example: 'answer', after: accepts, needs: 'findLimit',
    check: 'Sends single events after the load and after each rate of the search that was too high, until one of them is answered with 2xx.',
    fix: 'Limit the number of events that are in work at the same time, answer the others with 503, and restart the process when it ends. The platform repeats failed attempts.',
  },
} as const satisfies Record<string, RuleRow>

export type LoadRule = keyof typeof loadRules
export const loadRuleIds = keysOf(loadRules)
