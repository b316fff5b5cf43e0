/** Charges that expire half a minute later, by the alarm alone: of an object that has been put to sleep, and of one whose process was killed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startWorkerd, wakeWorkspaces } from '../../scripts/workerd.mjs'

/** Longer than an object stays awake without a call. */
const lifeMs = 30_000
const type = { 'Content-Type': 'application/json' }

export async function alarmsRing() {
  const storage = mkdtempSync(join(tmpdir(), 'payments-sandbox-alarms-'))
  const came = []
  const receiver = createServer((request, response) => {
    came.push({ event: request.headers['x-webhook-event'], atMs: Date.now() })
    request.resume()
    response.end()
  })
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const variables = {
    PAYMENTS_SANDBOX_LOCAL: 'true',
    PAYMENTS_SANDBOX_PIX_CHARGE_LIFE: `${lifeMs}ms`,
    PAYMENTS_SANDBOX_WEBHOOK_URL: `http://127.0.0.1:${receiver.address().port}/`,
  }
  let running = await startWorkerd({ storage, variables })
  const waited = async (startedMs, count) => {
    while (came.length < count && Date.now() < startedMs + 2 * lifeMs) await pause(100)
    return came[count - 1] === undefined ? null : came[count - 1].atMs - startedMs
  }
  try {
    await charge(running.url)
    const asleep = await waited(Date.now(), 1)
    await charge(running.url)
    const startedMs = Date.now()
    await running.stop('SIGKILL')
    running = await startWorkerd({ storage, variables })
    await wakeWorkspaces(running.url)
    const killed = await waited(startedMs, 2)
    console.log(`expired by the alarm after ${lifeMs} ms: asleep ${asleep} ms, killed and started again ${killed} ms`)
    return asleep !== null && killed !== null
  } finally {
    await running.stop('SIGKILL')
    receiver.close()
    rmSync(storage, { recursive: true, force: true })
  }
}

async function charge(url) {
  const secret = 'secret_sandbox_merchant_0000000000000000000000000000000000000000'
  const token = await post(
    `${url}/v2/oauth/token`,
    { grant_type: 'client_credentials' },
    {
      Authorization: `Basic ${btoa(`client_sandbox_merchant:${secret}`)}`,
    },
  )
  const made = await post(
    `${url}/v2/transactions/cashin`,
    { amount: 10, currency: 'BRL' },
    {
      Authorization: `Bearer ${token.access_token}`,
    },
  )
  if (!made.success) throw new Error(JSON.stringify(made))
}

const post = async (url, body, headers) =>
  (await fetch(url, { method: 'POST', headers: { ...type, ...headers }, body: JSON.stringify(body) })).json()
