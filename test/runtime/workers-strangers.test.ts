/** Callers without authentication in a deployment for several tenants: their budget, and what they cannot reach. */
import { readdirSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { builtWorkers } from '../support/built.js'
import { eventually } from '../support/eventually.js'
import { from, openHosted, type Tenant } from '../support/hosted.js'
import { type Body, send } from '../support/http.js'
import { answersIn, sayAll } from '../support/raw-http.js'

beforeAll(builtWorkers)

const get = async (url: string, headers: Record<string, string> = {}) =>
  (await send('GET', url, undefined, headers)).status
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

test('callers without a token use a budget of their own address, never the quota of a workspace', async () => {
  const { url, tenant } = await openHosted({ PAYMENTS_SANDBOX_STRANGER_CALLS_PER_MINUTE: '20' })
  const shop = await tenant('shop')
  const { client_id, client_secret } = shop.account.credentials[0]
  const basic = { Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` }
  const { body } = await send('POST', `${shop.base}/v2/oauth/token`, { grant_type: 'client_credentials' }, basic)
  const stranger = from('203.0.113.9')
  const attempts: Record<string, string>[] = [
    {},
    { Authorization: 'Bearer at_guessed' },
    { Authorization: `Basic ${btoa(`${client_id}:guessed`)}` },
    { 'X-Sandbox-Admin-Token': 'guessed' },
    { 'X-Sandbox-Inside': 'webhook' },
  ]
  const flood = times(40).flatMap((index) => [
    get(`${shop.base}/v2/account/balance`, { ...stranger, ...attempts[index % attempts.length] }),
    get(`${shop.base}/_sandbox/health`, { ...stranger, ...attempts[(index + 1) % attempts.length] }),
  ])
  // From the stranger's address, 20 at a time: the flood alone would use up the 50 calls a second.
  const own = times(10).flatMap(() => [
    get(`${shop.base}/v2/account/balance`, { ...stranger, Authorization: `Bearer ${body.access_token}` }),
    shop.call('GET', '/clock').then(({ status }) => status),
  ])
  const [strange, mine] = await Promise.all([Promise.all(flood), Promise.all(own)])
  expect(mine.filter((status) => status !== 200)).toEqual([])
  expect(strange.filter((status) => status !== 429).length).toBeLessThanOrEqual(20)
  const refused = await send('GET', `${shop.base}/v2/account/balance`, undefined, stranger)
  expect(refused.body.error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', details: { limit: 20, per: 'ip' } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await get(`${url}/_sandbox/health`, stranger), 'one budget for all workspaces').toBe(429)
  expect(await get(`${shop.base}/_sandbox/health`, from('203.0.113.10')), 'another address').toBe(200)
})

test('addresses of one IPv6 network /64 share a budget, and so does IPv4 in either notation', async () => {
  const { url } = await openHosted({ PAYMENTS_SANDBOX_STRANGER_CALLS_PER_MINUTE: '3' })
  const seen = async (addresses: string[]) => {
    const statuses: number[] = []
    for (const address of addresses) statuses.push(await get(`${url}/_sandbox/health`, from(address)))
    return statuses
  }
  const same = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:0db8:0001:0002::7', '2001:db8:1:2::2']
  expect(await seen([...same, '2001:db8:1:3::1'])).toEqual([200, 200, 200, 429, 200])
  expect(await seen(['198.51.100.7', '::ffff:198.51.100.7', '198.51.100.7', '198.51.100.7', '198.51.100.8'])).toEqual([
    200, 200, 200, 429, 200,
  ])
})

test('unauthenticated calls do not count as use of a workspace, calls with a token do', async () => {
  const { tenant } = await openHosted({ PAYMENTS_SANDBOX_IDLE: '60s' })
  const shop = await tenant('shop')
  const deletedAt = async () => (await shop.call('GET', '/health')).body.hosted.deleted_at
  const before = await deletedAt()
  await new Promise((resolve) => setTimeout(resolve, 6500))
  expect((await send('POST', `${shop.base}/v2/transactions/cashin`, {})).status).toBe(401)
  expect((await send('POST', `${shop.base}/_sandbox/trigger`, {})).status).toBe(401)
  expect((await send('POST', `${shop.base}/_sandbox/inbox/mine`, {})).status).toBeLessThan(500)
  expect(await deletedAt()).toBe(before)
  await shop.call('POST', '/clock/advance', { by: 0 })
  expect(await deletedAt()).not.toBe(before)
})

test('an unknown workspace name creates no object, by a call, by a webhook, or after the workspace was deleted', async () => {
  const { url, storage, operator, tenant } = await openHosted()
  const shop = await tenant('shop')
  await pointTo(shop, `${url}/w/nowhere/_sandbox/inbox/mine`)
  await tenant('gone')
  expect((await operator('DELETE', '/workspaces/gone')).status).toBe(204)
  const files = () => readdirSync(storage, { recursive: true }).filter((name) => /\.sqlite$/.test(String(name)))
  const before = files()
  const paths = ['_sandbox/health', 'v2/account/balance', '_sandbox/inbox/mine', 'pay/one', '']
  const answers = await Promise.all(
    times(20).flatMap((index) =>
      paths.map((path) => get(`${url}/w/unknown-${index}/${path}`, from(`10.0.0.${index}`))),
    ),
  )
  expect(answers.filter((status) => status !== 404 && status !== 401)).toEqual([])
  expect(await get(`${url}/w/gone/_sandbox/health`)).toBe(404)
  expect(await get(`${url}/w/NoName/v2/account/balance`)).toBe(404)
  const attempt = await firstAttempt(shop)
  expect([attempt.outcome, attempt.status]).toEqual(['http_error', 404])
  expect(files()).toEqual(before)
})

test('a workspace answers as soon as it is created, and its name is free again when it is deleted', async () => {
  const { url, operator, tenant } = await openHosted()
  for (let round = 0; round < 3; round++) {
    expect(await get(`${url}/w/shop/_sandbox/health`)).toBe(404)
    const shop = await tenant('shop')
    expect((await shop.call('GET', '/transactions')).body.data).toEqual([])
    expect((await operator('DELETE', '/workspaces/shop')).status).toBe(204)
  }
})

test('a call without a token cannot change the address that a workspace learns as its own', async () => {
  const { url, tenant } = await openHosted()
  const shop = await tenant('shop')
  await pointTo(shop, `${shop.base}/_sandbox/inbox/mine`)
  await shop.call('PUT', '/inbox/mine', { responses: [{ status: 500 }, { status: 200 }] })
  expect((await shop.call('POST', '/trigger', { action: 'cashin.pay', create: true })).status).toBe(200)
  // The second attempt follows after a second, and nobody calls the right URL before it.
  for (let call = 0; call < 30; call++) {
    const path = ['/_sandbox/health', '/v2/account/balance', '/_sandbox/ledger'][call % 3]
    const bytes = `GET /w/shop${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`
    expect(answersIn(await sayAll(Number(new URL(url).port), bytes))).toHaveLength(1)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const { id } = (await shop.call('GET', '/webhooks')).body.data[0]
  // On a busy machine the second attempt may come later.
  const { attempts } = await eventually(
    async () => (await shop.call('GET', `/webhooks/${id}`)).body,
    (event) => event.attempts.length === 2,
  )
  expect(attempts.map(({ outcome, status }: Body) => [outcome, status])).toEqual([
    ['http_error', 500],
    ['ok', 200],
  ])
})

test('a configured address is never replaced by a learned one', async () => {
  const { tenant, operator } = await openHosted({ PAYMENTS_SANDBOX_URL: 'https://sandbox.example/' })
  await tenant('shop')
  const { data } = (await operator('GET', '/workspaces')).body
  expect(data.map((one: Body) => one.base_url)).toEqual(['https://sandbox.example', 'https://sandbox.example/w/shop'])
})

test('a webhook to an inbox of another workspace counts as unauthenticated, one to an own inbox is not limited', async () => {
  const { tenant } = await openHosted({
    PAYMENTS_SANDBOX_STRANGER_CALLS_PER_MINUTE: '1',
    PAYMENTS_SANDBOX_CALLS_PER_SECOND: '1000',
  })
  const [shop, other] = [await tenant('shop'), await tenant('other')]
  await pointTo(shop, `${shop.base}/_sandbox/inbox/mine`)
  await shop.call('PUT', '/inbox/theirs', { responses: [{ status: 200 }] })
  await pointTo(other, `${shop.base}/_sandbox/inbox/theirs`)
  const statuses = async ({ call }: Tenant) => {
    for (let count = 0; count < 3; count++) await call('POST', '/trigger', { action: 'cashin.pay', create: true })
    const tried = await eventually(
      async () => (await call('GET', '/webhooks')).body.data,
      (data: Body[]) => data.length === 3 && data.every(({ attempts }) => attempts > 0),
    )
    const details = await Promise.all(tried.map(async ({ id }: Body) => (await call('GET', `/webhooks/${id}`)).body))
    return details.map(({ attempts }) => attempts[0].status).toSorted()
  }
  expect(await statuses(shop)).toEqual([200, 200, 200])
  expect(await statuses(other)).toEqual([200, 429, 429])
})

const pointTo = async ({ account, call }: Tenant, url: string) => {
  const { client_id } = account.credentials[0]
  expect((await call('PATCH', `/credentials/${client_id}`, { postback_url: url })).status).toBe(200)
}

/** Returns the address of the newest webhook; creates a webhook if there is none. */
async function firstAttempt({ call }: Tenant): Promise<Body> {
  if ((await call('GET', '/webhooks')).body.data.length === 0)
    await call('POST', '/trigger', { action: 'cashin.pay', create: true })
  const { id } = await eventually(
    async () => (await call('GET', '/webhooks')).body.data[0],
    (event: Body) => event?.attempts > 0,
  )
  return (await call('GET', `/webhooks/${id}`)).body.attempts[0]
}
