/** The options of a client under chaos. The dashboard, which has no such form, does not load them. */
import type { OptionTable } from '../options.js'

export const usualChaos = { runs: 50, timeout: '5m' } as const

// biome-ignore format: a table, a row a line
export const chaosOptions = {
  chaos: { flag: '--chaos <faults>', help: 'run the command many times with random faults: gentle, rough, or a file' },
  runs: { flag: '--runs <number>', help: `how often (default: ${usualChaos.runs}; with --only: 1)` },
  seed: { flag: '--seed <number>', help: 'seed of the first run; each further run has the next number (default: 1)' },
  only: { flag: '--only <ids>', help: 'repeat a run with these faults only, separated by commas' },
  payers: { flag: '--payers', kind: 'switch', help: 'simulate payers and banks (default: the command triggers payments itself)' },
  books_command: { flag: '--books-command <line>', isFlagOnly: true, help: 'command that prints the ledger of your app after each run; compared with the statement' },
  timeout: { flag: '--timeout <duration>', help: `the longest that a run may take (default: ${usualChaos.timeout})` },
} as const satisfies OptionTable
