/** Sends mixed calls at an even pace without waiting for earlier responses, and measures each from the moment when it was due. */
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Body } from '../http.js'
import { secretsOf, signatureOf } from '../signing.js'

export interface Pace {
  /** Sends calls for some seconds and returns the milliseconds of each. */
  run(perSecond: number, seconds: number): Promise<number[]>
  /** Calls that were rejected or not answered. */
  faults: string[]
  close(): Promise<void>
}

/** Of every ten calls four are charges, two payments (which send webhooks), two balances, one a list and one a withdrawal. */
const mix = ['cashin', 'cashin', 'pay', 'balance', 'cashin', 'list', 'cashin', 'pay', 'balance', 'cashout'] as const

export function openPace(url: string, bearer: Record<string, string>): Pace {
  const pool = new Pool(url, { connections: 50 })
  const faults: string[] = []
  const unpaid: string[] = []
  let made = 0

  const call = async (method: 'GET' | 'POST', path: string, body?: Body, signed = false): Promise<Body> => {
    const text = body === undefined ? null : JSON.stringify(body)
    const json = text === null ? {} : { 'content-type': 'application/json' }
    const signature = signed ? signatureOf(secretsOf('merchant').signingKey, text ?? '') : {}
    const answer = await pool.request({ method, path, body: text, headers: { ...bearer, ...json, ...signature } })
    const received: Body = await answer.body.json()
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} ${answer.statusCode} ${JSON.stringify(received)}`)
    return received
  }
  const kinds: Record<(typeof mix)[number], () => Promise<unknown>> = {
    cashin: async () => {
      const { data } = await call('POST', '/v2/transactions/cashin', { amount: 25.5, currency: 'BRL' })
      unpaid.push(data.transaction_id)
    },
    pay: async () => {
      const id = unpaid.shift()
      if (id !== undefined) await call('POST', '/_sandbox/trigger', { action: 'cashin.pay', id })
    },
    balance: () => call('GET', '/v2/account/balance'),
    list: () => call('POST', '/v2/account/transactions/list', { page: 1, page_size: 50 }),
    cashout: () => {
      const body = { external_id: `payout-${made}`, amount: 1, currency: 'BRL', key: '52998224725', key_type: 'cpf' }
      return call('POST', '/v2/transactions/cashout', body, true)
    },
  }
  return {
    faults,
    async run(perSecond, seconds) {
      const startedMs = performance.now()
      const took: number[] = []
      const open: Promise<void>[] = []
      for (let at = 0; at < perSecond * seconds; at++) {
        const dueMs = startedMs + (at * 1000) / perSecond
        if (dueMs > performance.now()) await pause(dueMs - performance.now())
        const kind = mix[made++ % mix.length] ?? 'balance'
        const one = kinds[kind]().then(
          () => void took.push(performance.now() - dueMs),
          (error: Error) => void faults.push(error.message),
        )
        open.push(one)
      }
      await Promise.all(open)
      unpaid.length = 0
      return took
    },
    close: () => pool.close(),
  }
}
