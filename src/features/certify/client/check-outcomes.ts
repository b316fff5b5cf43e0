/** Checks how a client handles what happens without it: withdrawals that fail, payments without a webhook, disputes. */
import { type Finding, fail, inconclusive, pass } from '../receiver/check-context.js'
import type { ClientLog } from './check-calls.js'

const noWithdrawal = inconclusive('the client made no such withdrawal')
const noState = inconclusive('no state was read')

type OutcomeCheck = (log: ClientLog) => Finding | Promise<Finding>

/** A program that ended with an error may not have come to what it does last. */
const reachable =
  (check: OutcomeCheck): OutcomeCheck =>
  async (log) => {
    const finding = await check(log)
    return log.failed && finding.result === 'failed' ? inconclusive(finding.observed) : finding
  }

export async function pending({ simulator, hasStateUrl: hasState }: ClientLog): Promise<Finding> {
  const [first] = simulator.withdrawals
  if (first === undefined) return noWithdrawal
  if (simulator.stateError !== null) return inconclusive(simulator.stateError)
  if (!hasState) return noState
  const isConfirmedTooEarly = ['confirmed', 'completed'].includes(first.statusWhilePending ?? '')
  const observed = `your state reported ${first.id} as ${first.statusWhilePending ?? 'unknown'} while it was pending`
  return isConfirmedTooEarly ? fail(observed) : pass(observed)
}

/** Builds the check of the status that the application reports for the withdrawal with this end. */
const checkEnd =
  (end: 'failed' | 'refunded') =>
  async ({ simulator, hasStateUrl: hasState }: ClientLog): Promise<Finding> => {
    const one = simulator.withdrawals.find((withdrawal) => withdrawal.end === end)
    if (one === undefined) return noWithdrawal
    if (!hasState) return noState
    if (one.refusal !== null) return inconclusive(`the sandbox could not make ${one.id} ${end}: ${one.refusal}`)
    const status = await simulator.statusOf(one.id, (now) => now === end)
    if (simulator.stateError !== null) return inconclusive(simulator.stateError)
    const observed = `the final state of ${one.id} is ${status ?? 'unknown'}`
    return status === end ? pass(observed) : fail(observed)
  }

export const failed = reachable(checkEnd('failed'))
export const refunded = reachable(checkEnd('refunded'))

export const found = reachable(({ simulator, calls }) => {
  const [first] = simulator.paidMs
  if (first === undefined) return inconclusive('no charge was paid')
  const lists = calls.filter(({ endpoint, arrivedMs }) => endpoint === 'transactionList' && arrivedMs >= first)
  const paid = `${simulator.paidMs.length} charges were paid, but the transaction list was`
  if (lists.length === 0) return fail(`${paid} not read`)
  return lists.some(({ fields: { type } }) => type === undefined || type === null || type === 'cashin')
    ? pass('the transaction list was read')
    : fail(`${paid} read only for other types (${String(lists[0]?.fields.type)})`)
})

export function answered({ simulator: { dispute }, calls }: ClientLog): Finding {
  if (dispute === null) return inconclusive('there was no dispute')
  const after = calls.filter(({ arrivedMs }) => arrivedMs >= dispute.openedMs)
  if (after.some(({ endpoint, status }) => endpoint === 'infractionReply' && status < 300))
    return pass('the client replied')
  const hasChecked = after.some(({ endpoint }) => endpoint === 'infractionList' || endpoint === 'infractionDetail')
  return hasChecked
    ? fail('the client read the dispute but did not reply')
    : inconclusive('the client did not look for disputes')
}
