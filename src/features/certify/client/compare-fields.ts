/** Adds unknown fields to responses, and compares a run of the client with them with a run without them; neither has faults. */
import type { Fetch } from '../../../inside/handlers.js'
import { type Finding, fail, inconclusive, notTested, pass } from '../receiver/check-context.js'
import { ruleReport } from '../report/rule-report.js'
import { type Report, type RuleRow, reportOf } from '../report/rules.js'
import { type ClientCall, isDone, isPayment } from './calls.js'
import { type ClientRule, clientRules } from './rules.js'

export interface Reached {
  /** Why the program failed; null if it succeeded. */
  failure: string | null
  calls: readonly ClientCall[]
}

const id = 'answers.more-fields'

/** Runs the client twice unless it failed the rule: a client that accepts no response at all would pass it too. */
export async function compareFields(
  report: Report<ClientRule>,
  reach: (addsUnknownFields: boolean) => Promise<Reached>,
): Promise<Report<ClientRule>> {
  if (report.rules.find((rule) => rule.id === id)?.result === 'failed') return report
  const finding = judgeRuns(await reach(false), await reach(true))
  const blocked = finding.result === 'failed' ? notTested(id, `${id} failed`) : null
  const rules = report.rules.map((rule) => {
    if (rule.id === id) return ruleReport<ClientRule>(clientRules, id, finding)
    const { after = [] }: RuleRow = clientRules[rule.id]
    const isAffected = after.includes(id) || rule.result === 'inconclusive'
    return blocked !== null && isAffected ? ruleReport<ClientRule>(clientRules, rule.id, blocked) : rule
  })
  return { ...report, ...reportOf(rules) }
}

function judgeRuns(plain: Reached, more: Reached): Finding {
  if (plain.failure !== null)
    return inconclusive(`without faults and without additional fields ${plain.failure}; it must succeed to be compared`)
  if (more.failure !== null) return fail(`with additional fields ${more.failure}; without them it succeeds`)
  const [before, after] = [countsOf(plain), countsOf(more)]
  const missing = [...before].find(([name, count]) => (after.get(name) ?? 0) < (isCounted(name, plain) ? count : 1))
  return missing === undefined
    ? pass('the same calls with additional fields as without')
    : fail(
        `${missing[0]} was answered ${missing[1]} times without additional fields, and ${after.get(missing[0]) ?? 0} times with them`,
      )
}

const nameOf = ({ entry }: ClientCall) => `${entry.method} ${entry.path.split('?')[0]}`

function countsOf({ calls }: Reached): Map<string, number> {
  const counts = new Map<string, number>()
  for (const call of calls.filter(isDone)) counts.set(nameOf(call), (counts.get(nameOf(call)) ?? 0) + 1)
  return counts
}

/** How often a client polls is chance; how often it pays is not. */
const isCounted = (name: string, { calls }: Reached) => calls.some((call) => isPayment(call) && nameOf(call) === name)

const extraFields = '"x_since":"2.1","x_hints":[{"kind":"none"}],'

/** Wraps `fetch`. Changes only successful responses of the platform API. */
export const withMoreFields =
  (fetch: Fetch): Fetch =>
  async (request, env) => {
    const response = await fetch(request, env)
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    if (!response.ok || !isJson || !new URL(request.url).pathname.startsWith('/v2/')) return response
    const text = (await response.text()).replace(/^\{/, `{${extraFields}`).replace('"data":{', `"data":{${extraFields}`)
    const headers = new Headers(response.headers)
    headers.delete('content-length')
    return new Response(text, { status: response.status, headers })
  }
