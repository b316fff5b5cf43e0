/** A client under chaos, from the library: what fails is found, and shrunk to the faults that it needs. */
import { expect, onTestFinished, test } from 'vitest'
import {
  type ApiClient,
  type CertifyClientOptions,
  type ClientCertificate,
  certifyClient,
  connectSandbox,
  createApiClient,
  SandboxError,
  startSandbox,
} from '../../src/testing/index.js'
import { eventually } from '../support/eventually.js'

type Variables = Readonly<Record<string, string>>

const clientOf = (variables: Variables): ApiClient =>
  createApiClient({
    baseUrl: variables.PAYMENTS_SANDBOX_URL ?? '',
    clientId: variables.PAYMENTS_SANDBOX_CLIENT_ID ?? '',
    clientSecret: variables.PAYMENTS_SANDBOX_CLIENT_SECRET ?? '',
    signingKey: variables.PAYMENTS_SANDBOX_SIGNING_KEY ?? '',
  })

/** Without pauses: nothing is learned from waiting. */
async function persist<T>(attempt: (count: number) => Promise<T>, attempts = 12): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt(count)
    } catch (error) {
      if (count === attempts || (error instanceof SandboxError && !error.retryable)) throw error
    }
  }
}

/** Six charges; `idOf` names each attempt. */
const shopOf =
  (idOf: (order: number, attempt: number) => string) =>
  async (variables: Variables): Promise<void> => {
    const api = clientOf(variables)
    for (let order = 1; order <= 6; order++)
      await persist((attempt) => api.cashin({ amount: 10 + order, currency: 'BRL', external_id: idOf(order, attempt) }))
  }

const rough = { error: '15%', dropped_response: '15%', reset: '15%' }

const resultOf = ({ rules }: ClientCertificate, wanted: string) => rules.find(({ id }) => id === wanted)?.result

test('a client that repeats its calls correctly passes, and the same seed gives the same faults', async () => {
  const certify = () =>
    certifyClient(
      shopOf((order) => `order-${order}`),
      { chaos: rough, runs: 5 },
    )
  const [report, again] = [await certify(), await certify()]
  expect(report).toMatchObject({ verdict: 'passed', chaos: { seed: 1, runs: 5, failed_runs: 0, failures: [] } })
  expect(report.chaos?.faults).toBeGreaterThan(5)
  expect(again).toEqual(report)
  expect(resultOf(report, 'chaos.books')).toBe('skipped')
})

test('a client that pays twice is caught, and one dropped response is enough for it', async () => {
  const shop = shopOf((order, attempt) => (attempt === 1 ? `order-${order}` : `order-${order}-${attempt}`))
  const report = await certifyClient(shop, { chaos: rough, runs: 5 })
  expect([report.verdict, resultOf(report, 'chaos.once')]).toEqual(['failed', 'failed'])
  const [failure] = report.chaos?.failures ?? []
  expect(failure).toMatchObject({ repeats: true, rules: ['chaos.once'] })
  expect(failure?.faults).toMatchObject([
    { fault: 'dropped_response', target: 'POST /v2/transactions/cashin', count: 1 },
  ])
  expect(failure?.observed).toContain('2 transactions instead of 1 by POST /v2/transactions/cashin')
  const { seed, faults } = failure ?? { seed: 0, faults: [] }
  const repeated = await certifyClient(shop, { chaos: rough, seed, only: faults.map(({ id }) => id) })
  expect(repeated.chaos).toMatchObject({ runs: 1, failed_runs: 1, faults: 1, failures: [{ faults, faults_before: 1 }] })
})

test('a failure that needs two faults is shrunk to these two, and does not happen with one of them', async () => {
  // A new id from the third attempt on: two attempts must have failed, and one of them must have done the work.
  const shop = shopOf((order, attempt) => (attempt < 3 ? `order-${order}` : `order-${order}-${attempt}`))
  const options: CertifyClientOptions = { chaos: rough, runs: 12 }
  const [failure] = (await certifyClient(shop, options)).chaos?.failures ?? []
  expect([failure?.rules, failure?.repeats, failure?.faults.length]).toEqual([['chaos.once'], true, 2])
  expect(failure?.faults_before).toBeGreaterThan(2)
  for (const { id } of failure?.faults ?? []) {
    const alone = await certifyClient(shop, { ...options, runs: 1, seed: failure?.seed, only: [id] })
    expect(alone).toMatchObject({ verdict: 'passed', chaos: { failures: [] } })
  }
})

test('a ledger that differs from the statement only with faults is a failure of its own', async () => {
  let entries: Record<string, string>[] = []
  const shop = async (variables: Variables) => {
    const api = clientOf(variables)
    const sandbox = await connectSandbox(variables.PAYMENTS_SANDBOX_URL ?? '')
    entries = []
    for (const name of ['one', 'two']) {
      // Books each attempt that it knows to have succeeded, and so misses one whose response was dropped.
      const paid = await persist((attempt) =>
        api.cashout({ amount: 5, currency: 'BRL', key: '52998224725', external_id: `${name}-${attempt}` }),
      )
      const entry = { transaction_id: paid.transaction_id, currency: 'BRL' }
      entries.push(
        { ...entry, type: 'withdrawal', amount: '-5.00' },
        { ...entry, type: 'withdrawal_fee', amount: '-1.00' },
      )
    }
    await sandbox.clock.advance('5s')
  }
  const report = await certifyClient(shop, { chaos: { dropped_response: '40%' }, runs: 4, getBooks: () => entries })
  expect(report.chaos?.failures).toMatchObject([{ rules: ['chaos.once', 'chaos.books'], faults: [{}] }])
  expect(report.rules.find(({ id }) => id === 'chaos.books')?.observed).toMatch(/^in \d of 4 runs: entry\.missing/)
})

test('a client that fails without faults is run once, and the other rules are not tested', async () => {
  let runs = 0
  const report = await certifyClient(
    () => {
      runs++
      throw new Error('no such shop')
    },
    { chaos: 'rough', runs: 5 },
  )
  expect([runs, report.verdict, report.not_tested[0]?.reason]).toEqual([
    1,
    'failed',
    'not tested because chaos.without failed',
  ])
  expect(report.rules[0]).toMatchObject({ id: 'chaos.without', result: 'failed', observed: 'it threw no such shop' })
})

test('a failure that does not happen again with the same faults is reported with all of them', async () => {
  let runs = 0
  const shop = shopOf((order) => `order-${order}`)
  const unsteady = async (variables: Variables) => {
    await shop(variables)
    if (runs++ === 1) throw new Error('it rained')
  }
  const report = await certifyClient(unsteady, { chaos: rough, runs: 2 })
  const [failure] = report.chaos?.failures ?? []
  expect(failure).toMatchObject({ rules: ['chaos.passes'], repeats: false, tries: 1, failed_runs: 1 })
  expect(failure?.faults).toHaveLength(failure?.faults_before ?? 0)
})

test('payers and banks are simulated if that is asked for', async () => {
  const shop = async (variables: Variables) => {
    const api = clientOf(variables)
    await api.cashin({ amount: 25, currency: 'BRL', external_id: 'paid' })
    const statuses = async () => (await api.transactionList({})).items.map(({ status }) => status)
    await eventually(statuses, ([status]) => status === 'confirmed', 50)
  }
  const report = await certifyClient(shop, { chaos: 'off', runs: 1, payers: true })
  expect(report.verdict, JSON.stringify(report.rules[0])).toBe('passed')
})

test('a client is certified once without chaos, and a command as well as a function can be given', async () => {
  const call = `fetch(process.env.PAYMENTS_SANDBOX_URL + '/v2/account/balance')`
  const report = await certifyClient([process.execPath, '-e', call], { observe: true })
  expect(report).toMatchObject({ verdict: 'incomplete' })
  const withoutName = await certifyClient((variables) => clientOf(variables).cashin({ amount: 25, currency: 'BRL' }), {
    observe: true,
    getState: () => ({ status: 'confirmed' }),
  })
  expect(resultOf(withoutName, 'repeat.named')).toBe('failed')
})

test('in a running sandbox only the calls of the client are judged, and no faults are injected', async () => {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
  const named = (name: string) => (variables: Variables) =>
    clientOf(variables).cashin({ amount: 25, currency: 'BRL', external_id: name })
  expect(resultOf(await certifyClient(named('one'), { sandbox }), 'repeat.named')).toBe('passed')
  const judge = (body: object) => sandbox.control.call('POST /certify/client', { body })
  expect(resultOf(await judge({}), 'repeat.named')).toBe('failed')
  expect(resultOf(await judge({ account: 'merchant' }), 'repeat.named')).toBe('failed')
  const [newest, ...older] = await sandbox.requests.list()
  const unnamed = older.findLast(({ path }) => path === '/v2/transactions/cashin')
  expect(resultOf(await judge({ after: unnamed?.request_id }), 'repeat.named')).toBe('passed')
  expect(resultOf(await judge({ after: older.at(-1)?.request_id }), 'repeat.named')).toBe('failed')
  expect(resultOf(await judge({ after: 'req_unknown' }), 'repeat.named')).toBe('failed')
  await expect(judge({ after: newest?.request_id })).rejects.toMatchObject({ code: 'CONFLICT' })
  await expect(judge({ account: 'customer' })).rejects.toMatchObject({ code: 'CONFLICT', details: { calls: 0 } })
})

test('chaos in a running sandbox tests whether the client repeats its calls', async () => {
  const sandbox = await startSandbox({ clock: 'manual', chaos: { dropped_response: '100%' } })
  onTestFinished(() => sandbox.close())
  const call = (amount: number, external_id: string) =>
    sandbox
      .client()
      .cashin({ amount, currency: 'BRL', external_id, payer: { name: 'Ana' } })
      .catch(() => null)
  const judge = async () => {
    const { rules } = await sandbox.control.call('POST /certify/client', { body: {} })
    return rules.filter(({ result }) => result === 'failed').map(({ id }) => id)
  }
  await sandbox.chaos.off()
  await call(1, 'one')
  await sandbox.chaos.set({ dropped_response: '100%' })
  await call(2, 'two')
  expect(await judge()).toEqual(['repeat.done'])
  for (let attempt = 0; attempt < 2; attempt++) await call(2, 'two')
  expect(await judge(), 'a client may give up after three attempts').toEqual([])
  await call(3, 'three')
  await call(3, 'three-again')
  expect(await judge()).toEqual(['repeat.done', 'repeat.same'])
  await sandbox.chaos.off()
  await call(3, 'three-again')
  expect(await judge()).toEqual(['repeat.same'])
})

test.each([
  [{ runs: 5 }, 'runs needs chaos'],
  [{ chaos: 'rough', observe: true }, 'observe cannot be combined with chaos'],
  [{ chaos: 'ruff' }, 'chaos must be gentle, rough, off'],
  [{ chaos: 'rough', runs: 0 }, 'certifyClient: the option runs must be a whole number from 1 to 10000, not 0'],
  [{ chaos: 'rough', only: ['reset'] }, 'the option only must be ids of faults, such as reset:0123456789, not reset'],
  [{ chaos: 'rough', timeout: 'soon' }, 'timeout must be a duration'],
  [{ stateUrl: 'http://127.0.0.1:9', getState: () => null }, 'stateUrl and getState do the same'],
  [{}, 'the client made no call'],
])('%j is a usage error that names the option', async (options, message) => {
  await expect(certifyClient(() => undefined, options as CertifyClientOptions)).rejects.toThrow(message)
  await expect(certifyClient(() => undefined, options as CertifyClientOptions)).rejects.toMatchObject({
    name: 'UsageError',
  })
})

test('a command that is not found is a usage error, and one that does not end in time has failed', async () => {
  await expect(certifyClient(['no-such-shop'])).rejects.toThrow('command not found: no-such-shop')
  await expect(certifyClient([])).rejects.toThrow('takes a command as a list of words, or a function')
  const report = await certifyClient(['sleep', '20'], { chaos: 'rough', timeout: '200ms' })
  expect(report.rules[0]).toMatchObject({ result: 'failed', observed: 'it did not end within 200ms' })
})
