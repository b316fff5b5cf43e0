/** Chaos over HTTP: which faults occur, that a seed repeats them, and what they do not affect. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectControl } from '../../src/client/control.js'
import type { Api } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { figure, note } from '../support/figures.js'
import { temporaryFolder } from '../support/folder.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'

const charge = (external_id: string = randomUUID()) => ({ external_id, amount: 25.5, currency: 'BRL' })

async function sandboxWith(chaos: object, config: Parameters<typeof openWithReceivers>[0] = {}) {
  const sandbox = await openWithReceivers({ rateLimits: false, ...config })
  const api = await sandbox.api()
  await set(sandbox, chaos)
  return { sandbox, api }
}

async function set({ control }: TestSandbox, chaos: object) {
  const answer = await control('PUT', '/chaos', chaos)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

/** Returns the faults of each call by its external id: a status, or the fault that chaos names. */
async function faultsOf(api: Api, ids: readonly string[], inParallel: boolean): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  const call = async (id: string) => {
    for (let attempt = 0; attempt < 2; attempt++) {
      const answer = await api.cashin(charge(id)).catch(() => null)
      const mark = answer === null ? 'no answer' : `${answer.status} ${answer.headers.get('x-sandbox-chaos') ?? ''}`
      found[id] = [...(found[id] ?? []), mark]
    }
  }
  const width = 100
  if (inParallel) for (let at = 0; at < ids.length; at += width) await Promise.all(ids.slice(at, at + width).map(call))
  else for (const id of ids) await call(id)
  return Object.fromEntries(ids.map((id) => [id, found[id] ?? []]))
}

const every = { error: '20%', dropped_response: '10%', reset: '10%', slow: { share: '20%', by: '1ms' } }

test('the same seed gives the same calls the same faults, one after the other and in parallel', async () => {
  const ids = Array.from({ length: figure(120, 5000) }, (_, index) => `order-${index}`)
  const first = await sandboxWith({ seed: 'a', ...every })
  const inOrder = await faultsOf(first.api, ids, false)
  const second = await sandboxWith({ seed: 'a', ...every })
  expect(await faultsOf(second.api, [...ids].reverse(), true)).toEqual(
    Object.fromEntries([...ids].reverse().map((id) => [id, inOrder[id]])),
  )
  const third = await sandboxWith({ seed: 'b', ...every })
  expect(await faultsOf(third.api, ids, true)).not.toEqual(inOrder)
  note(`${2 * ids.length} calls of one seed have the same faults in order and in parallel`)
  // A retry has its own faults.
  expect(Object.values(inOrder).some(([one, other]) => one !== other)).toBe(true)
})

test('only the chosen faults happen, and each is published with the id that chooses it', async () => {
  const chaos = { error: '100%', duplicate: '100%' }
  const { sandbox, api } = await sandboxWith(chaos)
  const published: { type: string; external_id?: unknown; id: string }[] = []
  const stop = new AbortController()
  const onChange = (change: { type: string; id: string; external_id?: unknown }) => void published.push(change)
  let followed = Promise.resolve()
  await new Promise<void>((onOpen) => {
    followed = connectControl(sandbox.url).stream(onChange, stop.signal, { onOpen })
  })
  await api.cashin(charge('a'))
  await api.cashin(charge('b'))
  const find = async () => published.find((one) => one.type === 'chaos' && one.external_id === 'b')
  const ofB = await eventually(find, (found) => found !== undefined)
  stop.abort()
  await followed.catch(() => undefined)
  expect(ofB).toMatchObject({ id: expect.stringMatching(/^error:[0-9a-f]{10}$/), status: 'error' })
  expect(ofB).toMatchObject({ target: 'POST /v2/transactions/cashin', external_id: 'b' })
  const ids = ['a', 'b', 'c']
  await set(sandbox, { ...chaos, seed: 'another', only: [String(ofB?.id)] })
  expect((await Promise.all(ids.map((id) => api.cashin(charge(id))))).map(({ status }) => status >= 500)).toEqual([
    false,
    true,
    false,
  ])
  await set(sandbox, { ...chaos, only: [] })
  const { transaction_id: id } = (await api.cashin(charge('d'))).data
  await sandbox.trigger('cashin.pay', id)
  await sandbox.settle()
  expect(sandbox.hooks.hooks).toHaveLength(1)
})

test('faults occur about as often as their shares say, and the ledger stays balanced', async () => {
  const { sandbox, api } = await sandboxWith({ seed: 'a', error: '10%', slow: { share: '5%', by: '1ms' } })
  let [errors, slow] = [0, 0]
  const total = 2000
  for (let done = 0; done < total; done += 100) {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => api.cashin(charge(`n-${done + index}`))),
    )
    errors += answers.filter(({ status }) => status === 502 || status === 503).length
    slow += answers.filter(({ headers }) => headers.get('x-sandbox-chaos')?.includes('slow')).length
  }
  expect(errors / total).toBeGreaterThan(0.08)
  expect(errors / total).toBeLessThan(0.12)
  expect(slow / total).toBeGreaterThan(0.035)
  expect(slow / total).toBeLessThan(0.065)
  expect((await sandbox.control('GET', '/ledger')).body.balanced).toBe(true)
})

test('an injected error is retryable and has no effect, and the request log names it', async () => {
  const { sandbox, api } = await sandboxWith({ error: '100%' })
  const codes = new Set<string | undefined>()
  for (let index = 0; index < 20; index++) {
    const answer = await api.cashin(charge(`e-${index}`))
    expect(answer.body.error.retryable).toBe(true)
    expect(answer.headers.get('x-sandbox-chaos')).toBe('error')
    codes.add(answer.code)
  }
  expect([...codes].sort()).toEqual(['PROVIDER_ERROR', 'SERVICE_UNAVAILABLE'])
  expect((await sandbox.control('GET', '/transactions')).body.data).toEqual([])
  const [entry] = (await sandbox.control('GET', '/requests?path=/v2/transactions/cashin')).body.data
  expect(entry).toMatchObject({ chaos: ['error'], faults: [expect.stringMatching(/^respond: 50[23] /)] })
  expect(entry.scenario).toBeUndefined()
})

test('a call has taken effect when its response is dropped, but not when its connection is reset', async () => {
  const { sandbox, api } = await sandboxWith({ dropped_response: '100%' })
  await expect(api.cashin(charge('kept'))).rejects.toThrow()
  await set(sandbox, { reset: '100%' })
  await expect(api.cashin(charge('lost'))).rejects.toThrow()
  const { data } = (await sandbox.control('GET', '/transactions')).body
  expect(data.map((row: { external_id: string }) => row.external_id)).toEqual(['kept'])
  const entries = (await sandbox.control('GET', '/requests?path=/v2/transactions/cashin')).body.data
  expect(entries.map((row: { chaos: string[] }) => row.chaos)).toEqual([['reset'], ['dropped_response']])
})

test('a slow call takes effect and is answered later in real time', async () => {
  const { api } = await sandboxWith({ slow: { share: '100%', by: '300ms' } })
  const startedMs = performance.now()
  const answer = await api.cashin(charge())
  expect([answer.status, answer.headers.get('x-sandbox-chaos')]).toEqual([200, 'slow'])
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(295)
})

/** Pays and refunds a charge, which makes two events of one object. */
async function paidAndRefunded({ trigger }: TestSandbox, api: Api) {
  const { transaction_id: id } = (await api.cashin(charge())).data
  await trigger('cashin.pay', id)
  await trigger('cashin.refund', id)
  return String(id)
}

const eventsOf = async ({ control }: TestSandbox, id: string) => {
  const { data } = (await control('GET', `/webhooks?transaction_id=${id}`)).body
  const full = data.reverse().map(async (row: { id: string }) => (await control('GET', `/webhooks/${row.id}`)).body)
  return Promise.all(full)
}

test('a duplicate webhook arrives twice with the same id, and its second attempt is marked', async () => {
  const { sandbox, api } = await sandboxWith({ duplicate: '100%' })
  const { transaction_id: id } = (await api.cashin(charge())).data
  await sandbox.trigger('cashin.pay', id)
  await sandbox.settle()
  const [event] = await eventsOf(sandbox, id)
  expect(event.chaos).toEqual(['duplicate'])
  expect(event.attempts.map((row: { chaos?: string[] }) => row.chaos)).toEqual([undefined, ['duplicate']])
  expect(sandbox.hooks.hooks.map((one) => one.headers['x-webhook-id'])).toEqual([event.id, event.id])
})

test('a reordered webhook arrives after the next one of the same object', async () => {
  const { sandbox, api } = await sandboxWith({ reorder: '100%' })
  await paidAndRefunded(sandbox, api)
  await sandbox.settle()
  const names = sandbox.hooks.hooks.map((one) => one.headers['x-webhook-event'])
  expect(names).toEqual(['cashin.refunded', 'cashin.confirmed'])
})

test('a late webhook waits for the clock of the sandbox', async () => {
  const { sandbox, api } = await sandboxWith({ late: { share: '100%', by: '2m' } })
  const { transaction_id: id } = (await api.cashin(charge())).data
  await sandbox.trigger('cashin.pay', id)
  await sandbox.advance('119s')
  expect(sandbox.hooks.hooks).toHaveLength(0)
  await sandbox.advance('1s')
  expect(sandbox.hooks.hooks).toHaveLength(1)
  const [event] = await eventsOf(sandbox, id)
  expect([event.chaos, event.attempts[0].chaos]).toEqual([['late'], ['late']])
  expect(event.faults).toEqual(['delay: 120000 ms'])
})

test('an armed scenario and a scenario named in a header take precedence over chaos', async () => {
  const { sandbox, api } = await sandboxWith({ reset: '100%' })
  const asked = await api.cashin(charge(), { 'X-Sandbox-Scenario': 'provider-error' })
  expect([asked.code, asked.headers.get('x-sandbox-chaos')]).toEqual(['PROVIDER_ERROR', null])
  await sandbox.control('POST', '/scenarios/provider-error/arm', { times: 1 })
  expect((await api.cashin(charge())).code).toBe('PROVIDER_ERROR')
  await expect(api.cashin(charge())).rejects.toThrow()
})

test('the control API and the pages without a token are never affected', async () => {
  const { sandbox, api } = await sandboxWith({})
  const { transaction_id: id } = (await api.cashin(charge())).data
  const [entry] = (await sandbox.control('GET', '/requests?path=/v2/transactions/cashin')).body.data
  await set(sandbox, { reset: '100%', error: '100%' })
  expect((await sandbox.trigger('cashin.pay', id)).status).toBe(200)
  expect((await sandbox.trigger('cashout.confirm', undefined, { create: true })).status).toBe(200)
  const replayed = await sandbox.control('POST', `/requests/${entry.request_id}/replay`)
  expect([replayed.status, replayed.body.status, replayed.body.chaos]).toEqual([200, 200, undefined])
  for (const path of ['/', `/pay/${id}`, '/_sandbox/docs', '/_sandbox/openapi.json'])
    expect((await fetch(sandbox.url + path)).status, path).toBe(200)
  await expect(api.cashin(charge())).rejects.toThrow()
})

test('setting chaos again replaces it, and ending it ends every fault', async () => {
  const { sandbox, api } = await sandboxWith({ seed: 'a', error: '100%', late: { share: '1%', by: 120 } })
  expect((await sandbox.control('GET', '/chaos')).body).toEqual({
    seed: 'a',
    error: '100%',
    late: { share: '1%', by: '120' },
  })
  expect(await set(sandbox, { slow: { share: '0%', by: '1s' } })).toEqual({
    seed: '1',
    slow: { share: '0%', by: '1s' },
  })
  expect((await api.cashin(charge())).status).toBe(200)
  await set(sandbox, { error: '100%' })
  expect((await sandbox.control('DELETE', '/chaos')).body).toEqual({})
  expect((await sandbox.control('GET', '/chaos')).body).toEqual({})
  expect((await api.cashin(charge())).status).toBe(200)
})

test.each([
  [{ error: 1 }, 'error', 'must be a rate such as 1% or 0.5%'],
  [{ error: '101%' }, 'error', 'must be a rate from 0% to 100%, such as 1% or 0.5%'],
  [{ error: '-1%' }, 'error', 'must be a rate from 0% to 100%, such as 1% or 0.5%'],
  [{ slow: { share: '5%', by: 'soon' } }, 'slow.by', 'must be a duration such as 500ms, 3s or 2m'],
  [{ slow: { share: '5%', by: '11m' } }, 'slow.by', 'must be at most 10m'],
  [{ late: { share: '5%', by: '25h' } }, 'late.by', 'must be at most 24h'],
  [{ errors: '1%' }, 'errors', 'is not a field of this call; did you mean error?'],
  [{ slow: '5%' }, 'slow', 'must have share and by, such as {"share": "5%", "by": "3s"}'],
  [{ seed: '' }, 'seed', 'must not be empty'],
  [{ only: ['reset'] }, 'only.0', 'must be the id of a fault, such as reset:0123456789'],
])('%j is rejected with the field and the rule', async (chaos, field, rule) => {
  const { control } = await openWithReceivers()
  const answer = await control('PUT', '/chaos', chaos)
  expect([answer.status, answer.body.error.details]).toEqual([422, expect.objectContaining({ field, rule })])
})

test('a timed fault without a duration is rejected', async () => {
  const { control } = await openWithReceivers()
  const answer = await control('PUT', '/chaos', { slow: { share: '5%' } })
  expect([answer.status, answer.body.error.code, answer.body.error.details.field]).toEqual([
    400,
    'MISSING_REQUIRED_FIELD',
    'slow.by',
  ])
})

test('chaos survives a restart, belongs to its workspace and is saved in snapshots; a reset restores the initial chaos', async () => {
  const chaos = { error: '1%' }
  const sandbox = await openWithReceivers({ chaos, seed: 'start' }, join(temporaryFolder(), 'chaos.sqlite'))
  const { control } = sandbox
  const read = async (from = '') => (await control('GET', `${from}/chaos`)).body
  expect(await read()).toEqual({ ...chaos, seed: 'start' })
  await control('POST', '/snapshots', { name: 'before' })
  await control('DELETE', '/chaos')
  await control('POST', '/workspaces', { name: 'other' })
  const other = await fetch(`${sandbox.url}/w/other/_sandbox/chaos`)
  expect(await other.json()).toEqual({ ...chaos, seed: 'start' })
  await control('POST', '/snapshots/before/restore')
  expect(await read()).toEqual({ ...chaos, seed: 'start' })
  await set(sandbox, { duplicate: '3%' })
  await control('POST', '/reset')
  expect(await read()).toEqual({ ...chaos, seed: 'start' })
})

test('chaos that was set while the sandbox ran is still on after a restart on a file', async () => {
  const sandbox = await openWithReceivers({}, join(temporaryFolder(), 'chaos.sqlite'))
  await set(sandbox, { seed: 'a', duplicate: '3%' })
  await sandbox.restart()
  expect((await sandbox.control('GET', '/chaos')).body).toEqual({ seed: 'a', duplicate: '3%' })
  await sandbox.control('POST', '/reset')
  expect((await sandbox.control('GET', '/chaos')).body).toEqual({})
})
