/** Builds a report: every rule with its result, and groups of rules that another rule prevented. */
import { type NotTested, type Report, type Result, type RuleReport, verdictOf } from './rules.js'

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
