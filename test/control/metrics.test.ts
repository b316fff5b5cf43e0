/** Metrics in Prometheus' text format, read like a scraper reads them. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { metricsPage } from '../../scripts/docs/metrics.js'
import { metricName, metrics } from '../../src/protocol/control/figures.js'
import { openClient } from '../support/client.js'
import { deliveriesOf } from '../support/deliveries.js'
import { eventually } from '../support/eventually.js'
import { gate } from '../support/gate.js'
import { send } from '../support/http.js'
import { plainFetch } from '../support/plain-fetch.js'
import { openReceiver } from '../support/receiver.js'
import { openSandbox, openWithReceivers } from '../support/sandbox.js'

/** Reads every sample, and fails for an invalid line. */
async function scrape(url: string): Promise<Map<string, number>> {
  const answer = await fetch(`${url}/_sandbox/metrics`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const samples = new Map<string, number>()
  for (const line of (await answer.text()).split('\n')) {
    if (line === '' || /^# (HELP|TYPE) [a-z_0-9]+ ./.test(line)) continue
    const [, name, value] = /^([a-z_0-9]+(?:\{[a-z_]+="[^"\\]*"(?:,[a-z_]+="[^"\\]*")*\})?) (\S+)$/.exec(line) ?? []
    expect(name, line).toBeDefined()
    expect(samples.has(String(name)), line).toBe(false)
    samples.set(String(name), Number(value))
  }
  return samples
}

test('metrics count calls by route, status and code, and webhook attempts by outcome', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const id = await api.charge()
  await api.post('/v2/transactions/cashin', { amount: 0, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', id)
  await sandbox.settle()
  const samples = await scrape(sandbox.url)
  const call = (status: number, code: string) =>
    samples.get(
      `payments_sandbox_calls_total{method="POST",route="/v2/transactions/cashin",status="${status}",code="${code}"}`,
    )
  expect(call(200, '')).toBe(1)
  expect(call(422, 'INVALID_AMOUNT')).toBe(1)
  const route = 'method="POST",route="/v2/transactions/cashin"'
  expect(samples.get(`payments_sandbox_call_duration_seconds_count{${route}}`)).toBe(2)
  expect(samples.get(`payments_sandbox_call_duration_seconds_bucket{${route},le="+Inf"}`)).toBe(2)
  expect(samples.get('payments_sandbox_webhook_attempts_total{outcome="ok"}')).toBe(1)
  expect(samples.get('payments_sandbox_webhooks_waiting')).toBe(0)
  expect(samples.get('payments_sandbox_ledger_balanced')).toBe(1)
})

test('metrics show how long the oldest webhook is due, the offset of the clock, and the workspaces', async () => {
  const sandbox = await openSandbox({ clock: 'manual' })
  await send('POST', `${sandbox.url}/_sandbox/workspaces`, { name: 'second' })
  await send('POST', `${sandbox.url}/_sandbox/clock/advance`, { by: '2h' })
  const samples = await scrape(sandbox.url)
  expect(samples.get('payments_sandbox_workspaces')).toBe(2)
  expect(samples.get('payments_sandbox_oldest_due_webhook_seconds')).toBe(0)
  expect(samples.get('payments_sandbox_clock_offset_seconds')).toBeGreaterThan(7000)
  expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(0)
})

test('metrics show how long the oldest of several webhooks has waited', async () => {
  const answered = gate()
  const [awaited, hanging] = [await openReceiver(() => ({ until: answered.opened })), await openReceiver(() => null)]
  const { url } = await openSandbox({ clock: 'manual' })
  const sandbox = await deliveriesOf(url)
  await sandbox.pay(['awaited'], awaited.url)
  const advancing = sandbox.advance({ by: '30m' })
  await eventually(
    () => sandbox.call('GET', '/clock'),
    (clock) => clock.advancing?.in_flight.length === 1,
  )
  // The advance waits for the first webhook only.
  await sandbox.pay(['older'], hanging.url)
  answered.open()
  await advancing
  await sandbox.pay(['newer'], hanging.url)
  const samples = await scrape(url)
  expect(samples.get('payments_sandbox_oldest_due_webhook_seconds')).toBe(1800)
  expect(samples.get('payments_sandbox_webhooks_waiting')).toBe(2)
})

test('a webhook that the receiver rejects is counted, and waits', async () => {
  const sandbox = await openWithReceivers()
  sandbox.hooks.refuse(true)
  const api = await sandbox.api()
  await sandbox.trigger('cashin.pay', await api.charge())
  const attempts = async () =>
    (await scrape(sandbox.url)).get('payments_sandbox_webhook_attempts_total{outcome="http_error"}') ?? 0
  await eventually(attempts, (counted) => counted > 0)
  expect((await scrape(sandbox.url)).get('payments_sandbox_webhooks_waiting')).toBe(1)
})

test('an error code of a scenario is counted as other, because labels never contain text of callers', async () => {
  const sandbox = await openSandbox()
  const steps = [{ respond: { status: 418, code: 'INVENTED_BY_A_CALLER' } }]
  const on = { operation: 'cashin' }
  await send('POST', `${sandbox.url}/_sandbox/scenarios`, { name: 'odd', title: 'An odd code', on, steps })
  await send('POST', `${sandbox.url}/_sandbox/scenarios/odd/arm`, {})
  const { bearer } = await openClient(sandbox.url)
  // The usual test client accepts only documented codes.
  await plainFetch(`${sandbox.url}/v2/transactions/cashin`, {
    method: 'POST',
    headers: { ...bearer, 'Content-Type': 'application/json' },
    body: '{"amount":10,"currency":"BRL"}',
  })
  const names = [...(await scrape(sandbox.url)).keys()]
  expect(names.filter((name) => name.includes('status="418"'))).toEqual([
    'payments_sandbox_calls_total{method="POST",route="/v2/transactions/cashin",status="418",code="other"}',
  ])
  expect(names.join()).not.toContain('INVENTED')
})

test('every metric has its help and type, and workspaces have their own', async () => {
  const sandbox = await openSandbox()
  await send('POST', `${sandbox.url}/_sandbox/workspaces`, { name: 'other' })
  const text = await (await fetch(`${sandbox.url}/w/other/_sandbox/metrics`)).text()
  for (const [name, { type, help }] of Object.entries(metrics)) {
    const full = metricName(name as keyof typeof metrics)
    expect(text).toContain(`# HELP ${full} ${help}\n# TYPE ${full} ${type}\n`)
  }
})

test('docs/operation.md is up to date: `npm run docs` writes it', () => {
  const page = readFileSync('docs/operation.md', 'utf8')
  expect(page).toBe(metricsPage(page))
})
