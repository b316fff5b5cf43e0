/** Tests that alarms expire charges after half a minute: once while the object sleeps, and once after its process was killed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startWorkerd, wakeWorkspaces } from '../../scripts/workerd.mjs'

/** Longer than an object stays awake without calls. */
const lifeMs = 30_000
const type = { 'Content-Type': 'application/json' }

export async function testAlarms() {
  const storage = mkdtempSync(join(tmpdir(), 'payments-sandbox-alarms-'))
  const events = []
  const receiver = createServer((request, response) => {
    events.push({ event: request.headers['x-webhook-event'], atMs: Date.now() })
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
  const msUntilEvent = async (startedMs, count) => {
    while (events.length < count && Date.now() < startedMs + 2 * lifeMs) await pause(100)
    return events[count - 1] === undefined ? null : events[count - 1].atMs - startedMs
  }
  try {
    await charge(running.url)
    const asleepMs = await msUntilEvent(Date.now(), 1)
    await charge(running.url)
    const startedMs = Date.now()
    await running.stop('SIGKILL')
    running = await startWorkerd({ storage, variables })
    await wakeWorkspaces(running.url)
    const killedMs = await msUntilEvent(startedMs, 2)
    console.log(
      `charges with a life of ${lifeMs} ms expired: asleep after ${asleepMs} ms, killed and restarted after ${killedMs} ms`,
    )
    return asleepMs !== null && killedMs !== null
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
  const response = await post(
    `${url}/v2/transactions/cashin`,
    { amount: 10, currency: 'BRL' },
    {
      Authorization: `Bearer ${token.access_token}`,
    },
  )
  if (!response.success) throw new Error(JSON.stringify(response))
}

const post = async (url, body, headers) =>
  (await fetch(url, { method: 'POST', headers: { ...type, ...headers }, body: JSON.stringify(body) })).json()
