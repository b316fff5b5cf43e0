/** What all certifications share: rules, results, evidence, the verdict, and the report that they make. */
import type { NotTested, Result, RuleReport, Verdict, WarnedCalls } from './evidence.js'

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

/** `warning`: worth fixing, but it does not fail the certification. */
type Severity = 'error' | 'warning'

/** The sections of the files in `examples/snippets`. */
export const exampleNames = [
  ...['verify', 'timestamp', 'dedupe', 'answer', 'tolerate', 'amounts', 'order', 'durable', 'production'],
  ...['token', 'sign', 'repeat', 'sent', 'wait', 'read', 'withdrawal', 'reconcile'],
] as const
export type ExampleName = (typeof exampleNames)[number]

/** A rule; its id is its key in the table. */
export interface RuleRow {
  /** One sentence: what the certified receiver or client must do. */
  requirement: string
  /** Section of the interface, with the sentence that the rule follows from. */
  source: string
  severity: Severity
  /** How the rule is checked. */
  check: string
  /** How to fix a failure. */
  fix: string
  /** The fix depends on the receiver's answer, if that was not 2xx. */
  byAnswer?: true
  /** Example code to start from. */
  example?: ExampleName
  /** Rules that this rule depends on. If one of them failed, this rule is inconclusive. */
  after?: readonly string[]
  /** The option without which the rule is skipped, unless its check decides without it. */
  needs?: keyof typeof missingOptions
  /** No other check runs at the same time. */
  alone?: true
}

export interface Report<Id extends string = string> {
  verdict: Verdict
  rules: RuleReport<Id>[]
  not_tested: NotTested<Id>[]
  /** Why the state of the application could not be read, if it could not. */
  state_error?: string | undefined
  /** Clients only: number of calls that were judged. */
  calls?: number
  /** Clients only: warnings from the request log. */
  warnings?: WarnedCalls[]
}

/** Only required rules count: neither a warning nor a skipped rule changes the verdict. */
function verdictOf(rules: readonly Pick<RuleReport, 'result' | 'severity'>[]): Verdict {
  const has = (wanted: Result) => rules.some(({ result, severity }) => result === wanted && severity === 'error')
  if (has('failed')) return 'failed'
  return has('inconclusive') ? 'incomplete' : 'passed'
}

export const notTestedBecause = (why: string): string => `not tested because ${why}`

export function reportOf<Id extends string>(rules: RuleReport<Id>[]): Report<Id> {
  return { verdict: verdictOf(rules), rules, not_tested: groupsOf(rules) }
}

function groupsOf<Id extends string>(rules: readonly RuleReport<Id>[]): NotTested<Id>[] {
  const groups = new Map<string, NotTested<Id>>()
  for (const { id, blocked_by: by, observed } of rules) {
    if (by === undefined) continue
    const group = groups.get(observed) ?? { blocked_by: by, reason: observed, rules: [] }
    group.rules.push(id)
    groups.set(observed, group)
  }
  return [...groups.values()]
}

/** `35 requirements were not tested because accept.signed failed`. */
export const groupLine = ({ reason, rules }: Pick<NotTested, 'reason'> & { rules: readonly string[] }): string =>
  `${rules.length === 1 ? '1 requirement was' : `${rules.length} requirements were`} ${reason}`

/** `payments-sandbox docs/interface.md §6.1, rule 1`. */
export const sourceText = (source: string): string => `payments-sandbox docs/interface.md ${source}`

/** The result for people: a failed warning is a warning. */
export const resultWord = ({ result, severity }: Pick<RuleReport, 'result' | 'severity'>): Result | 'warning' =>
  result === 'failed' && severity === 'warning' ? 'warning' : result

/** Returns the rules that are listed one by one: all but those that another rule prevented. */
export const testedRules = <Rule extends Pick<RuleReport, 'blocked_by'>>({
  rules,
}: {
  rules: readonly Rule[]
}): Rule[] => rules.filter((rule) => rule.blocked_by === undefined)
