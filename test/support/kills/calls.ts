/** An integrator's mixed calls to a workspace that may die at any moment, with the times of requests and responses. */
import { randomUUID } from 'node:crypto'
import { cashoutSettleMs } from '../../../src/protocol/platform/limits.js'
import { openClient } from '../client.js'
import { type Answer, type Body, send } from '../http.js'
import { secretsOf, signatureOf } from '../signing.js'

/** The times of a call. Its effect may exist from `askedAtMs` on, and must exist from `answeredAtMs` on. */
export interface Asked {
  askedAtMs: number
  /** null means that no response came. */
  answeredAtMs: number | null
}

export interface Call extends Asked {
  externalId: string
  path: string
  body: Body
  signed: boolean
  id: string | null
  disputeId: string | null
  /** The actions on the object, in order, each with the resulting status of the object and its dispute. */
  steps: (Asked & Step)[]
}

interface Step {
  action: string
  status: string
  dispute?: string
}

/** The possible actions on a charge and a withdrawal. Most charges are paid, and few of those are disputed. */
const stories: Record<string, readonly (readonly Step[])[]> = {
  '/v2/transactions/cashin': [
    [],
    [{ action: 'cashin.expire', status: 'expired' }],
    ...Array.from({ length: 5 }, () => [{ action: 'cashin.pay', status: 'confirmed' }]),
    ...[
      ['dispute.win', 'won', 'confirmed'],
      ['dispute.lose', 'lost', 'refunded'],
      ['dispute.cancel', 'canceled', 'confirmed'],
    ].map(([action = '', dispute = '', status = '']) => [
      { action: 'cashin.pay', status: 'confirmed' },
      { action: 'dispute.open', status: 'confirmed', dispute: 'open' },
      { action, status, dispute },
    ]),
    [
      { action: 'cashin.pay', status: 'confirmed' },
      { action: 'cashin.refund', status: 'refunded' },
    ],
  ],
  '/v2/transactions/cashout': [[], [], [], [{ action: 'cashout.fail', status: 'failed' }]],
}

/** Whether a withdrawal could not fail any more, because it had settled by itself, and not before its time. */
const hasSettled = ({ askedAtMs }: Call, { action }: Step, { status, body }: Answer): boolean =>
  action === 'cashout.fail' &&
  status === 409 &&
  body.error.details.from === 'confirmed' &&
  nowMs() - askedAtMs >= cashoutSettleMs

/** An error response, unlike a broken connection, which means the kill. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  constructor(what: string, { status, body }: Answer) {
    super(`${what} ${status} ${JSON.stringify(body)}`)
    this.status = status
    this.code = String(body?.error?.code)
  }
}

export interface Callers {
  /** Calls until the program has died or `over` is true. Throws an error response unless `mayRefuse` accepts it. */
  run(workers: number, over: () => boolean, mayRefuse: (refused: Refused) => boolean): Promise<void>
}

export const nowMs = () => performance.now()

/** Makes a call, possibly again, and returns the id in the response. */
export async function perform(base: string, bearer: Record<string, string>, call: Call): Promise<string> {
  const signature = call.signed ? signatureOf(secretsOf('merchant').signingKey, JSON.stringify(call.body)) : {}
  const answer = await send('POST', base + call.path, call.body, { ...bearer, ...signature })
  const id = answer.body?.data?.transaction_id ?? answer.body?.data?.conversion_id
  if (id === undefined) throw new Refused(call.path, answer)
  return id
}

/** `chance` returns numbers from 0 to 1. Each call is added to `calls` before it is made. */
export function callersOf(base: string, chance: () => number, calls: Map<string, Call>): Callers {
  let bearer: Record<string, string> | undefined
  const trigger = async (call: Call, step: Step) => {
    const asked: Asked & Step = { ...step, askedAtMs: nowMs(), answeredAtMs: null }
    call.steps.push(asked)
    const id = call.disputeId ?? call.id
    const answer = await send('POST', `${base}/_sandbox/trigger`, { action: step.action, id })
    if (hasSettled(call, step, answer)) return void call.steps.pop()
    if (answer.status !== 200) throw new Refused(step.action, answer)
    asked.answeredAtMs = nowMs()
    call.disputeId = answer.body.object.infraction_id ?? null
  }
  const once = async () => {
    bearer ??= (await openClient(base)).bearer
    const call = callOf(randomUUID(), chance())
    calls.set(call.externalId, call)
    call.id = await perform(base, bearer, call)
    call.answeredAtMs = nowMs()
    const choices = stories[call.path] ?? [[]]
    for (const step of choices[Math.floor(chance() * choices.length)] ?? []) await trigger(call, step)
  }
  return {
    async run(workers, over, mayRefuse) {
      const worker = async () => {
        while (!over()) {
          try {
            await once()
          } catch (error) {
            if (!(error instanceof Refused)) return
            // The token belongs to another state of the workspace.
            if (error.status === 401) bearer = undefined
            if (!mayRefuse(error)) throw error
            await new Promise((resolve) => setTimeout(resolve, 2))
          }
        }
      }
      for (const end of await Promise.allSettled(Array.from({ length: workers }, worker)))
        if (end.status === 'rejected') throw end.reason
    },
  }
}

function callOf(external_id: string, kind: number): Call {
  const made = (path: string, body: Body, signed: boolean): Call => ({
    ...{ externalId: external_id, path, body: { external_id, ...body }, signed, id: null, disputeId: null },
    ...{ askedAtMs: nowMs(), answeredAtMs: null, steps: [] },
  })
  if (kind < 0.6) return made('/v2/transactions/cashin', { amount: 25.5, currency: 'BRL' }, false)
  if (kind < 0.8) {
    const body = { amount: 3.25, currency: 'BRL', key: '52998224725', key_type: 'cpf' }
    return made('/v2/transactions/cashout', body, true)
  }
  if (kind < 0.9)
    return made('/v2/internal_transfers/payment', { username: 'customer', amount: 1.5, currency: 'BRL' }, true)
  const body = { amount: 10, base_currency: 'BRL', destination_currency: 'USDT' }
  return made('/v2/conversions/new', body, true)
}
