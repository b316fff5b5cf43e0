/** The command line beside one sandbox that a whole test file shares; each test finds it as right after start. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { built } from './built.js'
import { type Ended, type Running, run, startProgram } from './program.js'

/** Time stands still in it, and no rate is limited. */
export let sandbox: Running

export function shareSandbox(): void {
  beforeAll(async () => {
    await built()
    sandbox = await startProgram(['--no-rate-limits', '--clock', 'manual'])
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
  expect([code, stderr.replace(/^20\d [A-Z]\w+ req_\w+\n$/, '')]).toEqual([0, ''])
  expect(stdout).toMatch(/^[^\n]+\n$/)
  return JSON.parse(stdout)
}

const post = async (path: string, body: Record<string, unknown>): Promise<string> =>
  (await json('request', 'POST', path, '--data', JSON.stringify(body))).data.transaction_id

/** A PIX charge of 25.00; its id. */
export const charge = (more = {}) => post('/v2/transactions/cashin', { amount: 25, currency: 'BRL', ...more })
/** A PIX withdrawal of 10.00; its id. */
export const withdraw = (more = {}) =>
  post('/v2/transactions/cashout', { amount: 10, currency: 'BRL', key: 'ana@example.com', external_id: 'w', ...more })
