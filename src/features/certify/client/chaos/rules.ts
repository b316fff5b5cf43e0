/** What a client must do under chaos, one row each. */

import { webhookHeaders } from '../../../../inside/platform.js'
import { keysOf } from '../../../../inside/values.js'
import type { RuleRow } from '../../report/rules.js'
import { clientRules } from '../rules.js'

// biome-ignore format: a table, a field a line
const ownRules = {
  'chaos.without': {
    requirement: 'The command succeeds without faults.',
    source: '§7', severity: 'error',
    check: 'Runs the command once without faults. The other runs are compared with this one.',
    fix: 'Run the command with `payments-sandbox exec` to see why it fails. The command must start from the same state each time, and exit with 0. If it waits for payments, use --payers.',
  },
  'chaos.once': {
    requirement: 'No payment is made twice.',
    source: '§4.2', severity: 'error', example: 'repeat', after: ['chaos.without'],
    check: 'If a fault affected a call, counts the transactions that it and equal calls created, and compares the number with the run without faults.',
    fix: 'Store the external_id before the first attempt, and send the same one in every attempt.',
  },
  'chaos.books': {
    requirement: 'The ledger agrees with the statement.',
    source: '§6.1, rule 7', severity: 'error', example: 'dedupe', after: ['chaos.without'],
    check: 'Compares the ledger that --books-command prints with the statement of the account after each run.',
    fix: `Apply each webhook once, by its ${webhookHeaders.id}, and read the transaction list to find changes that no webhook reported.`,
  },
  'chaos.passes': {
    requirement: 'The command succeeds with faults.',
    source: '§7', severity: 'error', example: 'repeat', after: ['chaos.without'],
    check: 'Reads the exit code of every run.',
    fix: 'Repeat the failed run and read its output. Calls must be repeated after every retryable error, dropped connection and timeout.',
  },
} as const satisfies Record<string, RuleRow>

/** The rules that apply whichever faults happen. */
export const callRuleIds = [
  'sign.body',
  'sign.nonce',
  'sign.time',
  'repeat.named',
  'repeat.not',
  'amounts.decimal',
] as const

export type ChaosRule = keyof typeof ownRules | (typeof callRuleIds)[number]

const callRules = Object.fromEntries<RuleRow>(
  callRuleIds.map((id) => [id, { ...clientRules[id], after: ['chaos.without'] }]),
)

export const chaosRules: Readonly<Record<ChaosRule, RuleRow>> = {
  ...ownRules,
  // One row for each of `callRuleIds`.
  ...(callRules as Record<(typeof callRuleIds)[number], RuleRow>),
}

export const chaosRuleIds = keysOf(chaosRules)
