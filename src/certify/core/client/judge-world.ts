/** What a client makes of what happens behind its back: withdrawals that fail, payments nobody told of, disputes. */
import { broken, type Finding, holds, unseen } from '../bench.js'
import type { ClientLog } from './log.js'

const noWithdrawal = unseen('no such withdrawal')
const blind = 'shows only where the effects can be asked for'

export async function pending({ world, hasEffects }: ClientLog): Promise<Finding> {
  const [first] = world.withdrawals
  if (first === undefined) return noWithdrawal
  if (world.fault !== null) return unseen(world.fault)
  if (!hasEffects) return unseen(blind)
  const isTaken = ['confirmed', 'completed'].includes(first.statusThen ?? '')
  const seen = `${first.id} was said to be ${first.statusThen ?? 'unknown'} while it was pending`
  return isTaken ? broken(seen) : holds(seen)
}

/** What is said of the withdrawal that came to this end. */
const ending =
  (end: 'failed' | 'refunded') =>
  async ({ world, hasEffects }: ClientLog): Promise<Finding> => {
    const one = world.withdrawals.find((withdrawal) => withdrawal.end === end)
    if (one === undefined) return noWithdrawal
    if (!hasEffects) return unseen(blind)
    const status = await world.statusOf(one.id, (now) => now === end)
    if (world.fault !== null) return unseen(world.fault)
    const seen = `${one.id} is said to be ${status ?? 'unknown'} in the end`
    return status === end ? holds(seen) : broken(seen)
  }

export const failed = ending('failed')
export const refunded = ending('refunded')

export function found({ world, calls }: ClientLog): Finding {
  const [first] = world.paidMs
  if (first === undefined) return unseen('no charge was paid')
  const asked = calls.some(({ endpoint, arrivedMs }) => endpoint === 'transactionList' && arrivedMs >= first)
  return asked
    ? holds('the list was asked for')
    : broken(`${world.paidMs.length} charges were paid, and the list was never asked for`)
}

export function answered({ world: { dispute }, calls }: ClientLog): Finding {
  if (dispute === null) return unseen('there was no dispute')
  const after = calls.filter(({ arrivedMs }) => arrivedMs >= dispute.openedMs)
  if (after.some(({ endpoint, status }) => endpoint === 'infractionReply' && status < 300)) return holds('answered')
  const looked = after.some(({ endpoint }) => endpoint === 'infractionList' || endpoint === 'infractionDetail')
  return looked ? broken('it was seen, and nobody replied') : unseen('nobody looked for disputes')
}
