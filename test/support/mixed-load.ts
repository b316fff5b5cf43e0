/** An integrator's mixed calls against a program that may die at any moment: what was acknowledged, and with which id. */
import { randomUUID } from 'node:crypto'
import { type Body, secretsOf, send, signatureOf } from './control.js'

export interface MixedLoad {
  /** Transaction id by external id, of every call that was answered. */
  acknowledged: Map<string, string>
  /** External ids of charges whose payment was answered. */
  paid: Set<string>
  /** Calls by external id, answered or not. */
  asked: Map<string, Call>
  /** Calls until something goes wrong, which is when the program has died. */
  run(base: string, workers: number): Promise<void>
  /** The same call again; the id that it is answered with. */
  replay(base: string, externalId: string): Promise<string>
}

interface Call {
  path: string
  body: Body
  signed: boolean
}

/** `chance` gives numbers from 0 to 1. */
export function mixedLoad(bearer: Record<string, string>, chance: () => number): MixedLoad {
  const acknowledged = new Map<string, string>()
  const paid = new Set<string>()
  const asked = new Map<string, Call>()

  const perform = async (base: string, { path, body, signed }: Call): Promise<string> => {
    const signature = signed ? signatureOf(secretsOf('merchant').signingKey, JSON.stringify(body)) : {}
    const answer = await send('POST', base + path, body, { ...bearer, ...signature })
    const id = answer.body?.data?.transaction_id
    if (id === undefined) throw new Error(`${path} ${answer.status} ${JSON.stringify(answer.body)}`)
    return id
  }

  const call = async (base: string): Promise<void> => {
    const external_id = randomUUID()
    const made = callOf(external_id, chance())
    asked.set(external_id, made)
    acknowledged.set(external_id, await perform(base, made))
    if (made.path !== '/v2/transactions/cashin' || chance() < 0.2) return
    const answer = await send('POST', `${base}/_sandbox/trigger`, { action: 'cashin.pay', id: external_id })
    if (answer.status !== 200) throw new Error(`trigger ${answer.status} ${JSON.stringify(answer.body)}`)
    paid.add(external_id)
  }

  return {
    acknowledged,
    paid,
    asked,
    async run(base, workers) {
      const worker = async () => {
        for (;;) await call(base)
      }
      await Promise.allSettled(
        Array.from({ length: workers }, () =>
          worker().catch((error: Error) => {
            // What the socket says is the kill; what the program says is a fault.
            if (error.message !== 'fetch failed' && !/terminated|closed|ECONN/.test(error.message)) throw error
          }),
        ),
      ).then((ends) => {
        for (const end of ends) if (end.status === 'rejected') throw end.reason
      })
    },
    async replay(base, externalId) {
      const known = asked.get(externalId)
      if (known === undefined) throw new Error(`nobody asked for ${externalId}`)
      return perform(base, known)
    },
  }
}

function callOf(external_id: string, kind: number): Call {
  if (kind < 0.6)
    return { path: '/v2/transactions/cashin', body: { external_id, amount: 25.5, currency: 'BRL' }, signed: false }
  if (kind < 0.8)
    return {
      path: '/v2/transactions/cashout',
      body: { external_id, amount: 3.25, currency: 'BRL', key: '52998224725', key_type: 'cpf' },
      signed: true,
    }
  return {
    path: '/v2/internal_transfers/payment',
    body: { external_id, username: 'customer', amount: 1.5, currency: 'BRL' },
    signed: true,
  }
}
