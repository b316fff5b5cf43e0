/** Finds what is wrong in one run of a client under chaos, compared with the run without faults. */
import type { BooksReport } from '../../books/routes.js'
import { type ClientCall, isPayment } from '../calls.js'
import { judgeCalls } from '../certify-client.js'
import type { FaultOfRun } from '../routes.js'
import { type ChaosRule, callRuleIds } from './rules.js'

/** One run of the command. */
export interface ClientRun {
  /** Why the command failed; null if it succeeded. */
  failure: string | null
  /** The last lines of its output. */
  output: string
  calls: readonly ClientCall[]
  faults: readonly FaultOfRun[]
  /** The comparison of the ledger, or why it cannot be read; null if no comparison was requested. */
  books: BooksReport | { unreadable: string } | null
}

/** The observation for each failed rule. */
export type Findings = ReadonlyMap<ChaosRule, string>

export async function findingsOf(run: ClientRun, without: ClientRun): Promise<Findings> {
  const found = new Map<ChaosRule, string>()
  const twice = paidTwice(run.calls, without.calls)
  if (twice !== null) found.set('chaos.once', twice)
  const books = wrongBooks(run)
  if (books !== null) found.set('chaos.books', books)
  if (run.failure !== null) found.set('chaos.passes', run.failure)
  const [rules, known] = await Promise.all([failedCallRules(run.calls), failedCallRules(without.calls)])
  for (const [id, observed] of rules) if (!known.has(id)) found.set(id, observed)
  return found
}

/** Returns why a run without faults cannot be compared with others; null if it can. */
export const whyUnusable = (run: ClientRun): string | null => run.failure ?? wrongBooks(run)

async function failedCallRules(calls: readonly ClientCall[]): Promise<Map<ChaosRule, string>> {
  const { rules } = await judgeCalls(calls)
  const failed = rules.filter(({ result }) => result === 'failed')
  return new Map(
    callRuleIds.flatMap((id) => failed.filter((rule) => rule.id === id).map((rule) => [id, rule.observed])),
  )
}

function wrongBooks({ books }: ClientRun): string | null {
  if (books === null) return null
  if ('unreadable' in books) return `the ledger cannot be read: ${books.unreadable}`
  const failed = books.rules.filter(({ result, severity }) => result === 'failed' && severity === 'error')
  const [first] = failed
  if (first === undefined) return null
  const more =
    failed.length === 1
      ? ''
      : `; and ${failed
          .slice(1)
          .map(({ id }) => id)
          .join(', ')}`
  return `${first.id}: ${first.observed}${more}`
}

interface EqualCalls {
  calls: ClientCall[]
  /** Ids of the transactions that the calls created. */
  created: Set<string>
}

/**
 * Calls that differ in their `external_id` alone can be meant, so they count only if there are more transactions than
 * without faults.
 */
function paidTwice(calls: readonly ClientCall[], without: readonly ClientCall[]): string | null {
  const usual = equalCalls(without)
  for (const [key, { calls: equal, created }] of equalCalls(calls)) {
    const hitCall = equal.find(({ entry }) => (entry.chaos ?? []).length > 0)
    const usually = usual.get(key)?.created.size ?? 0
    if (hitCall === undefined || usually === 0 || created.size <= usually) continue
    const names = [...new Set(equal.map(({ externalId }) => externalId ?? 'none'))].join(', ')
    const { method, path } = hitCall.entry
    return `${created.size} transactions instead of ${usually} by ${method} ${path} with equal fields; external_id: ${names}`
  }
  return null
}

/** The fields that identify a payment: what is paid to whom. Others can differ from run to run, such as the port of a webhook URL. */
const paymentFields = [
  ...['amount', 'currency', 'chain', 'network', 'key', 'creditParty'],
  ...['username', 'base_currency', 'destination_currency', 'payer'],
]

function equalCalls(calls: readonly ClientCall[]): Map<string, EqualCalls> {
  const found = new Map<string, EqualCalls>()
  for (const call of calls) {
    if (!isPayment(call)) continue
    const key = JSON.stringify([call.endpoint, ...paymentFields.map((name) => call.fields[name])])
    const equal = found.get(key) ?? { calls: [], created: new Set() }
    equal.calls.push(call)
    if (call.status >= 200 && call.status < 300 && call.createdId !== null) equal.created.add(call.createdId)
    found.set(key, equal)
  }
  return found
}
