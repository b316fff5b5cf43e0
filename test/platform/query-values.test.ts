/** Rules for queries and bodies: each parameter once, no empty values, numbers as numbers; and the pages of every control list. */
import { expect, test } from 'vitest'
import { controlRows } from '../support/control-rows.js'
import { openWithReceivers } from '../support/sandbox.js'

test.each([
  ['page=1&page=2', 'page'],
  ['type=A&type=B', 'type'],
  ['status=open&page=1&status=open', 'status'],
  ['unknown=1&unknown=2', 'unknown'],
])('a query with a repeated parameter is rejected: %s', async (query, field) => {
  const sandbox = await openWithReceivers()
  const answer = await (await sandbox.api()).get(`/v2/account/infractions?${query}`)
  expect([answer.status, answer.code, answer.body.error.details]).toEqual([
    422,
    'INVALID_VALUE',
    { field, rule: 'repeated' },
  ])
  const control = await sandbox.control('GET', '/transactions?limit=1&limit=2')
  expect([control.status, control.body.error.details]).toEqual([422, { field: 'limit', rule: 'repeated' }])
})

test('a repeated parameter is rejected after the token, and a repeated id is invalid', async () => {
  const sandbox = await openWithReceivers()
  const { get } = await sandbox.api()
  const path = '/v2/account/infractions?page=1&page=2'
  expect((await get(path, { Authorization: 'Bearer none' })).status).toBe(401)
  const id = '00000000-0000-4000-8000-000000000000'
  expect((await get(`/v2/account/infractions/detail?id=${id}&id=${id}`)).code).toBe('INVALID_VALUE')
})

test.each(['type', 'status', 'page', 'page_size'])(
  'an empty %s is rejected in the query and in the body',
  async (field) => {
    const { get, post } = await (await openWithReceivers()).api()
    for (const answer of [
      await get(`/v2/account/infractions?${field}=`),
      await post('/v2/account/transactions/list', { [field]: '' }),
    ])
      expect([answer.status, answer.code, answer.body.error.details.field]).toEqual([422, 'INVALID_VALUE', field])
  },
)

test.each(['source', 'currency', 'from_date', 'to_date'])(
  'an empty %s of the transaction list is rejected',
  async (field) => {
    const { post } = await (await openWithReceivers()).api()
    expect((await post('/v2/account/transactions/list', { [field]: '' })).status).toBe(422)
  },
)

test('text is not a number in JSON, on both APIs, but is one in a query', async () => {
  const sandbox = await openWithReceivers()
  const { get, post } = await sandbox.api()
  for (const body of [{ page: '1' }, { page_size: '10' }, { page: 1.5 }, { page: true }]) {
    const answer = await post('/v2/account/transactions/list', body)
    expect([answer.status, answer.code]).toEqual([422, 'INVALID_VALUE'])
  }
  expect((await post('/v2/account/transactions/list', { page: 1, page_size: 10 })).status).toBe(200)
  expect((await get('/v2/account/infractions?page=1&page_size=10')).status).toBe(200)
  for (const body of [{ status: '200' }, { times: '1' }])
    expect((await sandbox.control('POST', '/requests/verify', body)).code).toBe('INVALID_VALUE')
  expect((await sandbox.control('PUT', '/inbox/x', { responses: [{ status: '500' }] })).code).toBe('INVALID_VALUE')
  expect((await sandbox.control('GET', '/requests?status=200&limit=1')).status).toBe(200)
})

/**
 * Every route of the control API that returns a list, `{data, next}`. Search and counts also return `data` but have no
 * pages. A statement has its own test.
 */
const lists = Object.values(controlRows).filter(
  (row) =>
    row.method === 'GET' &&
    'answer' in row &&
    'shape' in row.answer() &&
    'next' in Object(row.answer()).shape &&
    !['/search', '/counts', '/accounts/{username}/statement'].includes(row.path),
)

test('every control list takes limit and after, and its pages together are the whole list', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  for (let round = 0; round < 3; round++) {
    await api.cashin({ amount: 5, currency: 'BRL' })
    await api.post('/v2/transactions/wallet', { currency: 'BRL' })
    await sandbox.trigger('dispute.open', undefined, { create: true })
    await sandbox.control('POST', '/snapshots', { name: `snapshot-${round}` })
    await sandbox.control('POST', '/workspaces', { name: `w${round}` })
    await sandbox.control('POST', '/accounts', { username: `account-${round}` })
    for (const inbox of ['a', `box-${round}`]) await sandbox.control('POST', `/inbox/${inbox}`, { round })
    await sandbox.control('POST', '/scenarios/pix-paid/run', { fast_forward: true })
  }
  expect(lists.map(({ path }) => path).sort()).toEqual(
    [
      '/accounts',
      '/actions',
      '/clock/jobs',
      '/disputes',
      '/inbox',
      '/inbox/{name}',
      '/requests',
      '/runs',
      '/scenarios',
      '/snapshots',
      '/transactions',
      '/wallets',
      '/webhooks',
      '/workspaces',
    ].sort(),
  )
  for (const { path } of lists) {
    const at = path.replace('{name}', 'a')
    const whole = (await sandbox.control('GET', `${at}?limit=500`)).body.data
    expect([at, whole.length >= 3]).toEqual([at, true])
    const pages: unknown[] = []
    let after = ''
    for (let next: string | null = ''; next !== null && pages.length <= whole.length; ) {
      const { status, body } = await sandbox.control('GET', `${at}?limit=2${after}`)
      expect([at, status, body.data.length <= 2]).toEqual([at, 200, true])
      pages.push(...body.data)
      next = body.next
      after = `&after=${encodeURIComponent(next ?? '')}`
    }
    expect(pages, at).toEqual(whole)
    expect((await sandbox.control('GET', `${at}?limit=0`)).status, at).toBe(422)
  }
  for (const path of ['/accounts', '/actions', '/inbox', '/scenarios', '/snapshots'])
    expect((await sandbox.control('GET', `${path}?after=nobody`)).body.error.details.field).toBe('after')
})
