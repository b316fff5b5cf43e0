/** The library's calls of a sandbox in its own process, which use no socket and behave like calls over HTTP. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { connectSandbox, type Sandbox, type StartOptions, startSandbox } from '../../src/testing/index.js'
import { plainFetch } from '../support/plain-fetch.js'

const watchedFetch = globalThis.fetch
/** Calls in process need the original `fetch`, which the tests replace. */
beforeAll(() => {
  globalThis.fetch = plainFetch
})
afterAll(() => {
  globalThis.fetch = watchedFetch
})

async function started(options: StartOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options)
  onTestFinished(() => sandbox.close())
  return sandbox
}

test('a charge that is created in process is logged and answered like one over HTTP', async () => {
  const sandbox = await started()
  const remote = await connectSandbox(sandbox.url)
  const charge = { amount: 10, currency: 'BRL' } as const
  const own = await sandbox.client().cashin({ ...charge, external_id: 'own' })
  const far = await remote.client().cashin({ ...charge, external_id: 'far' })
  expect(Object.keys(own)).toEqual(Object.keys(far))
  const entries = (await sandbox.requests.list()).filter(({ path }) => path.endsWith('/cashin'))
  expect(entries.map(({ method, status, account }) => [method, status, account])).toEqual([
    ['POST', 200, 'merchant'],
    ['POST', 200, 'merchant'],
  ])
  expect(await sandbox.client().balance()).toEqual(await remote.client().balance())
})

test('an error of a call in process has the code, status and request id of the response', async () => {
  const sandbox = await started()
  await expect(sandbox.client().cashin({ amount: -1, currency: 'BRL' })).rejects.toMatchObject({
    status: 422,
    code: 'INVALID_AMOUNT',
    requestId: expect.stringMatching(/^req_/),
  })
  await expect(sandbox.webhooks.get('evt_none')).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
})

test('a response that a scenario drops is missing in process as well', async () => {
  const sandbox = await started()
  const lost = sandbox
    .client()
    .cashin({ amount: 1, currency: 'BRL', external_id: 'lost' }, { scenario: 'cashin-lost-answer' })
  await expect(lost).rejects.toThrow('UND_ERR_SOCKET')
  expect((await sandbox.transactions.list()).map(({ external_id }) => external_id)).toEqual(['lost'])
})

test('a call in process ends when its signal is aborted, and a wait ends when the sandbox closes', async () => {
  const sandbox = await startSandbox()
  const ending = new AbortController()
  const aborted = sandbox.control.call('GET /webhooks/wait', {
    query: { event: 'cashin.confirmed', timeout: '2m' },
    signal: ending.signal,
  })
  ending.abort(new Error('enough'))
  await expect(aborted).rejects.toThrow('enough')
  const waiting = sandbox.webhooks.waitFor('cashin.confirmed', {}, { timeout: '2m' })
  const rejected = expect(waiting).rejects.toThrow('the sandbox was closed')
  const client = sandbox.client()
  await sandbox.close()
  await rejected
  await expect(client.balance()).rejects.toThrow('the sandbox was closed')
})

test('receivers of several workspaces share a server, and each gets its own webhooks', async () => {
  const sandbox = await started()
  const all = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const workspace = await sandbox.workspace()
      return { workspace, receiver: await workspace.receiver() }
    }),
  )
  const origins = new Set(all.map(({ receiver }) => new URL(receiver.url).origin))
  expect(origins.size).toBe(1)
  for (const [index, { workspace, receiver }] of all.entries()) {
    await workspace.client().cashin({ amount: index + 1, currency: 'BRL' })
    await workspace.trigger('cashin.pay')
    expect((await receiver.waitFor('cashin.confirmed')).data.amount).toBe(`${index + 1}.00`)
  }
  expect(all.map(({ receiver }) => receiver.received.length)).toEqual([1, 1, 1, 1])
  const [first] = all
  const url = first?.receiver.url ?? ''
  await first?.receiver.close()
  await expect(fetch(url, { method: 'POST' })).rejects.toThrow()
})
