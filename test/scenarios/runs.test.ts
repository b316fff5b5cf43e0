/** Runs as jobs: following, awaiting and canceling them, restarts, and concurrent runs. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { callsOf, scenarioSandbox, troubles } from '../support/scenario-api.js'

const dispute = `
name: long
steps:
  - create: { cashin: { amount: 25.50, currency: BRL }, as: charge }
  - wait: 30m
  - cashin.pay: { id: \${charge} }
  - dispute.open: { as: dispute }
  - expect: { event: chargeback.confirmed, within: 8d }
  - expect: { status: refunded, id: \${charge} }
`

test('a run reports each step as it happens', async () => {
  const { upload, run, call } = await scenarioSandbox({ clock: 'manual' })
  await upload(dispute)
  const started = await run('long', {})
  expect([started.status, started.finished_at, started.steps.map((step: { step: string }) => step.step)]).toEqual([
    'running',
    null,
    ['create', 'wait', 'cashin.pay', 'dispute.open', 'expect', 'expect'],
  ])
  const statuses = async () =>
    (await call('GET', `/runs/${started.id}`)).body.steps.map((step: { status: string }) => step.status)
  await call('POST', '/clock/advance', { by: '1m' })
  expect(await statuses()).toEqual(['passed', 'running', 'pending', 'pending', 'pending', 'pending'])
  await call('POST', '/clock/advance', { by: '2h' })
  expect(await statuses()).toEqual(['passed', 'passed', 'passed', 'passed', 'running', 'pending'])
  await call('POST', '/clock/advance', { by: '8d' })
  expect(await statuses()).toEqual(Array.from({ length: 6 }, () => 'passed'))
  const listed = (await call('GET', '/runs?scenario=long&status=passed')).body.data
  expect(listed.map((one: { id: string }) => one.id)).toEqual([started.id])
  expect(Object.keys(listed[0].vars)).toEqual(['charge', 'dispute', 'subject'])
  expect((await call('GET', '/runs/run_nope')).status).toBe(404)
})

test('a run continues after a restart, in every kind of step', async () => {
  const db = join(temporaryFolder(), 'state.db')
  let { sandbox, ...first } = await scenarioSandbox({ clock: 'manual' }, { db })
  await first.upload(dispute)
  const { id } = await first.run('long', {})
  const restart = async () => {
    await sandbox.close(0)
    const again = await scenarioSandbox({ clock: 'manual' }, { db })
    sandbox = again.sandbox
    return again
  }
  await first.call('POST', '/clock/advance', { by: '1m' })
  const second = await restart()
  expect((await second.call('GET', `/runs/${id}`)).body.status).toBe('running')
  await second.call('DELETE', '/scenarios/long')
  await second.call('POST', '/clock/advance', { by: '2h' })
  const third = await restart()
  expect((await third.call('GET', `/runs/${id}`)).body.steps[4].status).toBe('running')
  await third.call('POST', '/trigger', { action: 'dispute.confirm' })
  await third.call('POST', '/clock/advance', { by: 0 })
  const done = (await third.call('GET', `/runs/${id}`)).body
  expect([done.status, troubles(done)]).toEqual(['passed', []])
})

test('armed scenarios survive a restart, and those of the command line are not armed twice', async () => {
  const db = join(temporaryFolder(), 'state.db')
  const first = await scenarioSandbox({}, { db, arm: ['auto-pay'] })
  await first.arm('provider-error', { times: 2 })
  await first.sandbox.close(0)
  const second = await scenarioSandbox({}, { db, arm: ['auto-pay'] })
  const armed = (await second.call('GET', '/scenarios')).body.data.flatMap((one: { armed: unknown[] }) => one.armed)
  expect(armed).toMatchObject([
    { scenario: 'auto-pay', times: null },
    { scenario: 'provider-error', times: 2 },
  ])
})

test('a canceled run stops, lets its withdrawal settle, and cannot be canceled twice', async () => {
  const { upload, run, api, call } = await scenarioSandbox({ clock: 'manual' })
  await upload('name: never\nsteps:\n  - wait: 1h\n  - cashout.fail\n')
  const made = await api.signed('/v2/transactions/cashout', {
    external_id: 'w',
    amount: 5,
    currency: 'BRL',
    key: 'a@example.com',
  })
  const { id } = await run('never', { id: 'w' })
  await call('POST', '/clock/advance', { by: '30m' })
  const canceled = await call('DELETE', `/runs/${id}`)
  expect([canceled.body.status, canceled.body.steps.map((step: { status: string }) => step.status)]).toEqual([
    'canceled',
    ['canceled', 'canceled'],
  ])
  expect((await call('DELETE', `/runs/${id}`)).body.error.code).toBe('INVALID_TRANSITION')
  await call('POST', '/clock/advance', { by: '1d' })
  expect((await call('GET', `/transactions/${made.body.data.transaction_id}`)).body.status).toBe('confirmed')
})

test('a call that waits for a run is answered when it ends, in real time too', async () => {
  const { upload, run } = await scenarioSandbox()
  await upload(
    'name: brief\nsteps:\n  - create: { cashin: { amount: 5, currency: BRL } }\n  - wait: 150ms\n  - cashin.pay\n',
  )
  const began = performance.now()
  expect((await run('brief', {})).status).toBe('running')
  expect((await run('brief', { wait: true })).status).toBe('passed')
  expect(performance.now() - began).toBeGreaterThanOrEqual(145)
})

test('many concurrent runs advance the clock together without a deadlock', async () => {
  const { upload, run, call } = await scenarioSandbox({ clock: 'manual' })
  await upload(dispute)
  const done = await Promise.all(Array.from({ length: 20 }, () => run('long')))
  expect(done.map((one) => one.status)).toEqual(Array.from({ length: 20 }, () => 'passed'))
  expect((await call('GET', '/ledger')).body.balanced).toBe(true)
})

test('a fast-forwarded run and a concurrent advance both end', async () => {
  const { upload, run, call } = await scenarioSandbox()
  await upload(dispute)
  const [done, walked, canceled] = await Promise.all([
    run('long'),
    call('POST', '/clock/advance', { by: '30d' }),
    run('long', {}).then(({ id }) => call('DELETE', `/runs/${id}`)),
  ])
  expect([done.status, walked.status]).toEqual(['passed', 200])
  expect([200, 409]).toContain(canceled.status)
})

test('a reset ends every run, and answers callers that wait for one', async () => {
  const { upload, run, call, url } = await scenarioSandbox({ clock: 'manual' })
  await upload('name: stuck\nsteps: [wait: 1d]\n')
  const waiting = call('POST', '/scenarios/stuck/run', { wait: true })
  await eventually(
    async () => (await call('GET', '/runs')).body.data,
    (runs) => runs.length === 1,
  )
  await call('POST', '/reset')
  expect((await waiting).status).toBe(404)
  expect((await call('GET', '/runs')).body.data).toEqual([])
  expect((await call('GET', '/scenarios/stuck')).status).toBe(404)
  expect((await run('pix-paid')).status).toBe('passed')
  await (await openClient(url)).charge()
})

test('workspaces have their own armed scenarios and runs, and the same built-in scenarios', async () => {
  const { url, call } = await scenarioSandbox({ clock: 'manual' })
  await call('POST', '/workspaces', { name: 'other' })
  const other = callsOf(`${url}/w/other`)
  await other.arm('auto-pay')
  expect((await other.run('pix-paid')).status).toBe('passed')
  expect((await call('GET', '/runs')).body.data).toEqual([])
  expect((await call('GET', '/scenarios/auto-pay')).body.armed).toEqual([])
})
