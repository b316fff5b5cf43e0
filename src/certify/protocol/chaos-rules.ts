/** What a client must do under chaos, one row each, and the report of the failures. */
import type { ChaosFault } from '../../protocol/settings/chaos-faults.js'
import { clientRules } from './client-rules.js'
import type { Report, RuleRow } from './rules.js'

// biome-ignore format: a table, a field a line
const ownRules = {
  'chaos.without': {
    requirement: 'The command succeeds without faults.',
    source: '§7', severity: 'error',
    check: 'Runs the command once without faults. The other runs are compared with this one.',
    fix: 'Run the command with `payments-sandbox exec`. It must start from the same state each time, and exit with 0. If it waits for payments, use --payers.',
  },
  'chaos.once': {
    requirement: 'No payment is made twice.',
    source: '§4.2', severity: 'error', example: 'repeat', after: ['chaos.without'],
    check: 'Counts the transactions of equal calls, where a call met a fault, and compares them with the run without faults.',
    fix: 'Store the external_id before the first attempt, and send the same one in every attempt.',
  },
  'chaos.books': {
    requirement: 'The ledger agrees with the statement.',
    source: '§6.1, rule 7', severity: 'error', example: 'dedupe', after: ['chaos.without'],
    check: 'Compares the ledger that --books-command prints with the statement of the account after each run.',
    fix: 'Apply each webhook once, by its X-Webhook-Id, and read the transaction list for what no webhook reported.',
  },
  'chaos.passes': {
    requirement: 'The command succeeds with faults.',
    source: '§7', severity: 'error', example: 'repeat', after: ['chaos.without'],
    check: 'Reads the exit code of every run.',
    fix: 'Repeat the failed run and read its output. Calls must be repeated after every retryable error, dropped connection and timeout.',
  },
} as const satisfies Record<string, RuleRow>

/** The rules for clients that hold whichever faults happen. */
export const callRuleIds = [
  'sign.body',
  'sign.nonce',
  'sign.time',
  'repeat.named',
  'repeat.not',
  'amounts.decimal',
] as const

export type ChaosRule = keyof typeof ownRules | (typeof callRuleIds)[number]

const afterBaseline = (row: RuleRow): RuleRow => ({ ...row, after: ['chaos.without'] })

export const chaosRules: Readonly<Record<ChaosRule, RuleRow>> = {
  ...ownRules,
  'sign.body': afterBaseline(clientRules['sign.body']),
  'sign.nonce': afterBaseline(clientRules['sign.nonce']),
  'sign.time': afterBaseline(clientRules['sign.time']),
  'repeat.named': afterBaseline(clientRules['repeat.named']),
  'repeat.not': afterBaseline(clientRules['repeat.not']),
  'amounts.decimal': afterBaseline(clientRules['amounts.decimal']),
}

/** A fault that happened. */
export interface FaultOfRun {
  /** The same in every run and for every seed. */
  id: string
  fault: ChaosFault
  /** `POST /v2/transactions/cashin`, or the name of the event. */
  target: string
  external_id: string | null
  /** Which of the equal calls or events, from 1. */
  count: number
}

/** One failure, repeated with ever fewer faults. */
export interface ChaosFailure {
  /** The rules that fail in the run with these faults. */
  rules: ChaosRule[]
  observed: string
  /** Runs in which the first of the rules failed. */
  failed_runs: number
  /** The run that was repeated with fewer faults. */
  seed: number
  /** The smallest set that was found: with any of these faults left out, the run does not fail. */
  faults: FaultOfRun[]
  /** How many faults the run had at first. */
  faults_before: number
  /** How often the command was run to find the set. */
  tries: number
  /** false: the run did not fail again with the same faults. */
  repeats: boolean
  /** The last lines that the command printed. */
  output: string
}

export interface ChaosReport extends Report<ChaosRule> {
  chaos: {
    /** The seeds of the runs are this number and the ones that follow. */
    seed: number
    runs: number
    failed_runs: number
    /** Faults of all runs. */
    faults: number
    failures: ChaosFailure[]
    /** The last lines that the run without faults printed. */
    output: string
  }
}
