/** One sandbox for the command-line tests of a file. It is reset before each test. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { built } from './built.js'
import { openClient } from './client.js'
import { control } from './http.js'
import { type Ended, run, type Started, startHere, withoutProgress } from './program.js'

/** Its clock stands still, and it has no rate limits. */
export let sandbox: Started

export function shareSandbox(): void {
  beforeAll(async () => {
    await built()
    sandbox = await startHere(['--no-rate-limits', '--clock', 'manual'])
  })
  afterAll(async () => {
    await sandbox.stop()
  })
  beforeEach(async () => {
    await fetch(`${sandbox.url}/_sandbox/reset`, { method: 'POST' })
  })
}

export const cli = (...args: string[]): Promise<Ended> => run(args, { env: { PAYMENTS_SANDBOX_URL: sandbox.url } })

/** Runs a command that prints one line of JSON and, on standard error, at most the status of a call. Returns the JSON. */
export async function json(...args: string[]) {
  const { stdout, stderr, code } = await cli(...args, '--json')
  expect([code, withoutProgress(stderr).replace(/^20\d [A-Z]\w+ req_\w+\n$/, '')]).toEqual([0, ''])
  expect(stdout).toMatch(/^[^\n]+\n$/)
  return JSON.parse(stdout)
}

/** Creates a PIX charge of 25.00 and returns its id, over HTTP because that is faster than a command. */
export const charge = async (more = {}) => (await openClient(sandbox.url)).charge({ amount: 25, ...more })

/** Creates a PIX withdrawal of 10.00 and returns its id. */
export async function withdraw(more = {}): Promise<string> {
  const body = { amount: 10, currency: 'BRL', key: 'ana@example.com', external_id: 'w', ...more }
  return (await (await openClient(sandbox.url)).signed('/v2/transactions/cashout', body)).body.data.transaction_id
}

/** Creates and pays a charge, and returns its id. */
export async function paidCharge(more = {}): Promise<string> {
  const id = await charge(more)
  await control(sandbox.url)('POST', '/trigger', { action: 'cashin.pay', id })
  return id
}
