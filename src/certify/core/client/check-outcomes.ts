/** What a client makes of what happens behind its back: withdrawals that fail, payments nobody told of, disputes. */
import { type Finding, fail, inconclusive, pass } from '../check-context.js'
import type { ClientLog } from './log.js'

const noWithdrawal = inconclusive('no such withdrawal')
const blind = 'shows only where the effects can be asked for'

export async function pending({ simulator, hasState }: ClientLog): Promise<Finding> {
  const [first] = simulator.withdrawals
  if (first === undefined) return noWithdrawal
  if (simulator.stateError !== null) return inconclusive(simulator.stateError)
  if (!hasState) return inconclusive(blind)
  const isTaken = ['confirmed', 'completed'].includes(first.statusWhilePending ?? '')
  const observed = `${first.id} was said to be ${first.statusWhilePending ?? 'unknown'} while it was pending`
  return isTaken ? fail(observed) : pass(observed)
}

/** What is said of the withdrawal that came to this end. */
const ending =
  (end: 'failed' | 'refunded') =>
  async ({ simulator, hasState }: ClientLog): Promise<Finding> => {
    const one = simulator.withdrawals.find((withdrawal) => withdrawal.end === end)
    if (one === undefined) return noWithdrawal
    if (!hasState) return inconclusive(blind)
    const status = await simulator.statusOf(one.id, (now) => now === end)
    if (simulator.stateError !== null) return inconclusive(simulator.stateError)
    const observed = `${one.id} is said to be ${status ?? 'unknown'} in the end`
    return status === end ? pass(observed) : fail(observed)
  }

export const failed = ending('failed')
export const refunded = ending('refunded')

export function found({ simulator, calls }: ClientLog): Finding {
  const [first] = simulator.paidMs
  if (first === undefined) return inconclusive('no charge was paid')
  const asked = calls.some(({ endpoint, arrivedMs }) => endpoint === 'transactionList' && arrivedMs >= first)
  return asked
    ? pass('the list was asked for')
    : fail(`${simulator.paidMs.length} charges were paid, and the list was never asked for`)
}

export function answered({ simulator: { dispute }, calls }: ClientLog): Finding {
  if (dispute === null) return inconclusive('there was no dispute')
  const after = calls.filter(({ arrivedMs }) => arrivedMs >= dispute.openedMs)
  if (after.some(({ endpoint, status }) => endpoint === 'infractionReply' && status < 300)) return pass('answered')
  const looked = after.some(({ endpoint }) => endpoint === 'infractionList' || endpoint === 'infractionDetail')
  return looked ? fail('it was observed, and nobody replied') : inconclusive('nobody looked for disputes')
}
