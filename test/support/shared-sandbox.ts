/** The command line beside one sandbox that a whole test file shares; each test finds it as right after start. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { built } from './built.js'
import { openClient } from './client.js'
import { control } from './http.js'
import { type Ended, run, type Started, startHere, withoutProgress } from './program.js'

/** Time stands still in it, and no rate is limited. */
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

/** The JSON that a command prints, which is one line of it. Nothing else may be said but the status of a call. */
export async function json(...args: string[]) {
  const { stdout, stderr, code } = await cli(...args, '--json')
  expect([code, withoutProgress(stderr).replace(/^20\d [A-Z]\w+ req_\w+\n$/, '')]).toEqual([0, ''])
  expect(stdout).toMatch(/^[^\n]+\n$/)
  return JSON.parse(stdout)
}

/** A PIX charge of 25.00; its id. What a test needs beforehand it has without a program for each step. */
export const charge = async (more = {}) => (await openClient(sandbox.url)).charge({ amount: 25, ...more })

/** A PIX withdrawal of 10.00; its id. */
export async function withdraw(more = {}): Promise<string> {
  const body = { amount: 10, currency: 'BRL', key: 'ana@example.com', external_id: 'w', ...more }
  return (await (await openClient(sandbox.url)).signed('/v2/transactions/cashout', body)).body.data.transaction_id
}

/** A charge that has been paid; its id. */
export async function paidCharge(more = {}): Promise<string> {
  const id = await charge(more)
  await control(sandbox.url)('POST', '/trigger', { action: 'cashin.pay', id })
  return id
}
