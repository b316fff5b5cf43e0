/** A workspace under workerd that sleeps between any two calls returns the same responses, including ids. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildWorkers } from '../../scripts/build-workers.mjs'
import { startWorkerd, wakeWorkspaces } from '../../scripts/workerd.mjs'
import { temporaryFolder } from '../support/folder.js'
import { closeAfter } from '../support/hooks.js'
import { type Answer, control, send } from '../support/http.js'
import { secretsOf, signatureOf } from '../support/signing.js'

const variables = {
  PAYMENTS_SANDBOX_LOCAL: 'true',
  PAYMENTS_SANDBOX_SEED: 'the same for both',
  PAYMENTS_SANDBOX_CLOCK: 'manual',
  PAYMENTS_SANDBOX_ARM: ['pix-paid'],
}
const names = ['awake', 'asleep'] as const
type Name = (typeof names)[number]

const { clientId, clientSecret, signingKey } = secretsOf('merchant')
const basic = (secret = clientSecret) => ({ Authorization: `Basic ${btoa(`${clientId}:${secret}`)}` })
const grant = { grant_type: 'client_credentials' }

/** Business time is years ahead here. */
const isReal = (value: unknown) => typeof value === 'string' && /^202\d-\d\d-\d\dT/.test(value)

/** Removes values that must differ: URLs and real time. */
const plain = (name: Name, { status, body, headers }: Answer): string =>
  JSON.stringify([status, headers.get('x-request-id'), body], (key, value) =>
    /^(duration_ms|x-webhook-timestamp|size_bytes)$/i.test(key) || isReal(value) ? null : value,
  )
    .replaceAll(`/w/${name}`, '')
    .replaceAll(`"${name}"`, '"workspace"')

test('a workspace that sleeps between calls keeps ids, tokens, nonces, lockouts, rates, request log and armed scenarios', async () => {
  const worker = join(temporaryFolder(), 'worker.js')
  await buildWorkers({ entry: 'test/support/forgetful-worker.ts', outfile: worker })
  const storage = temporaryFolder()
  let running = await startWorkerd({ storage, variables, worker })
  closeAfter(() => running.stop('SIGKILL'))
  for (const name of names) await control(running.url)('POST', '/workspaces', { name })
  const base = (name: Name) => `${running.url}/w/${name}`
  let calls = 0

  const putToSleep = async () => {
    const answer = await fetch(`${base('asleep')}/_sandbox/health`, { headers: { 'x-forget': 'all' } })
    expect(answer.status, 'the object is gone').toBe(500)
  }
  /** Makes the same call to both workspaces, of which one has just slept. */
  const both = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    // Waits for webhooks in flight, because one that is lost with the object would be sent again.
    await Promise.all(names.map((name) => control(base(name))('POST', '/clock/advance', { by: 0 })))
    await putToSleep()
    const [awake, asleep] = await Promise.all(
      names.map(async (name) => {
        const sent = JSON.parse(JSON.stringify(body ?? null).replaceAll('BASE', base(name)))
        return send(method, base(name) + path, sent ?? undefined, headers)
      }),
    )
    calls++
    if (awake === undefined || asleep === undefined) throw new Error('both answer')
    expect(plain('asleep', asleep), `${method} ${path}`).toBe(plain('awake', awake))
    return awake
  }
  const both_ = (method: string, path: string, body?: unknown) => both(method, `/_sandbox${path}`, body)
  const advance = (by: string) => both_('POST', '/clock/advance', { by })

  await both_('PUT', '/clock', { now: '2030-01-01T12:00:00Z' })
  const token = (await both('POST', '/v2/oauth/token', grant, basic())).body.access_token
  const bearer = { Authorization: `Bearer ${token}` }
  const signed = (body: object) => ({ ...bearer, ...signatureOf(signingKey, JSON.stringify(body)) })
  const charge = (fields: object) => both('POST', '/v2/transactions/cashin', fields, bearer)
  const hook = { postback_url: 'BASE/_sandbox/inbox/mine' }

  await both_('PUT', '/inbox/mine', { responses: [{ status: 500 }, { status: 200 }] })
  const armed = await charge({ amount: 25.5, currency: 'BRL', external_id: 'one', ...hook })
  await both_('DELETE', '/scenarios/pix-paid/arm')
  const paid = await charge({ amount: 10, currency: 'BRL', external_id: 'two', ...hook })
  await both_('POST', '/trigger', { action: 'cashin.pay', id: paid.body.data.transaction_id })
  await advance('10s')
  for (const currency of ['MXN', 'BTC'])
    await charge({ amount: 20, currency, ...(currency === 'BTC' ? { chain: 'bitcoin' } : {}) })
  await charge({ amount: 10, currency: 'BRL', external_id: 'two', ...hook })
  await charge({ amount: -1, currency: 'BRL' })
  await both('POST', '/v2/transactions/wallet', { currency: 'USDT', chain: 'tron' }, bearer)
  const withdrawal = { external_id: 'out', amount: 5, currency: 'BRL', key: 'a@b.com', key_type: 'email' }
  const signature = signed(withdrawal)
  expect((await both('POST', '/v2/transactions/cashout', withdrawal, signature)).status).toBe(202)
  expect((await both('POST', '/v2/transactions/cashout', withdrawal, signature)).body.error.code).toBe(
    'REPLAY_DETECTED',
  )
  const conversion = { amount: 10, base_currency: 'BRL', destination_currency: 'USDT' }
  await both('POST', '/v2/conversions/new', conversion, signed(conversion))
  const transfer = { username: 'customer', amount: 3, currency: 'BRL' }
  await both('POST', '/v2/internal_transfers/payment', transfer, signed(transfer))
  await both_('POST', '/trigger', { action: 'dispute.open', id: paid.body.data.transaction_id })
  await advance('8d')
  await both_('POST', '/scenarios/med-dispute-lost/run', { fast_forward: true, wait: true })

  // A resumed clock keeps running, whatever the settings say.
  for (const name of names) await control(base(name))('PUT', '/clock', { mode: 'realtime' })
  await putToSleep()
  for (const name of names) {
    expect((await control(base(name))('GET', '/clock')).body.mode).toBe('realtime')
    await control(base(name))('PUT', '/clock', { mode: 'manual', now: '2031-01-01T12:00:00Z' })
  }

  // Five wrong attempts lock the caller out, however often the object sleeps between them.
  for (let wrong = 0; wrong < 5; wrong++) await both('POST', '/v2/oauth/token', grant, basic('wrong'))
  expect((await both('POST', '/v2/oauth/token', grant, basic())).status).toBe(403)
  await advance('5m')
  expect((await both('POST', '/v2/oauth/token', grant, basic())).status).toBe(200)
  for (const name of names)
    for (let count = 0; count < 28; count++) await send('POST', `${base(name)}/v2/oauth/token`, grant, basic())
  expect((await both('POST', '/v2/oauth/token', grant, basic())).status).toBe(200)
  expect((await both('POST', '/v2/oauth/token', grant, basic())).status).toBe(429)

  await both_('POST', '/snapshots', { name: 'base' })
  await both_('POST', '/reset')
  const anew = (await both('POST', '/v2/oauth/token', grant, basic())).body.access_token
  expect(anew).toBe(token)
  await both_('POST', '/snapshots/base/restore')
  await running.stop('SIGKILL')
  running = await startWorkerd({ storage, variables, worker })
  await wakeWorkspaces(running.url)
  await both('POST', '/v2/transactions/cashin', { amount: 7, currency: 'BRL' }, bearer)

  for (const list of ['/transactions', '/webhooks', '/requests', '/disputes', '/wallets', '/runs']) {
    const { body } = await both_('GET', `${list}?limit=100`)
    expect(body.data.length, list).toBeGreaterThan(0)
    const first = body.data[0]
    const id =
      first.transaction_id ?? first.infraction_id ?? first.wallet_id ?? first.username ?? first.request_id ?? first.id
    await both_('GET', `${list}/${list === '/webhooks' ? first.id : id}`)
  }
  for (const path of [
    '/accounts',
    '/accounts/merchant',
    '/ledger',
    '/clock',
    '/inbox/mine',
    '/scenarios/pix-paid',
    '/snapshots',
  ])
    await both_('GET', path)
  expect(armed.status).toBe(200)
  expect(calls).toBeGreaterThan(50)
})
