/** Why a rule is skipped, with the flag that sets the missing option. */
export const missingOptions = {
  stateUrl: 'requires the state URL (--state-url or --state-command)',
  restart: 'requires a URL or command that restarts the receiver (--restart or --restart-command)',
  findLimit: 'requires a search for the limit (--find-limit)',
  productionMode: 'tested only with --mode production',
  faults: 'requires injected faults: run payments-sandbox certify client without --observe, or set chaos',
  simulation: 'tested only by payments-sandbox certify client without --observe',
  column: 'requires the name of a column of yours, if one has it (--column)',
  booksCommand: 'requires a ledger (--books-command)',
  productionUrl: 'requires the production URL (--production-url)',
} as const

/** The flags in texts of reports, and what the page has instead: a field, or the command that has the flag. */
const pageWords = [
  ['--state-url or --state-command', 'fill in State URL above'],
  ['--find-limit', 'choose yes in Find the limit above'],
  ['--restart or --restart-command', 'payments-sandbox certify receiver --restart URL'],
  ['--mode production', 'payments-sandbox certify receiver --mode production'],
  ['--production-url', 'payments-sandbox certify receiver --production-url URL'],
] as const

/** Returns a text of a report for the page, which has no flags. */
export const onPage = (text: string): string =>
  pageWords.reduce((all, [flags, words]) => all.replace(flags, words), text)
