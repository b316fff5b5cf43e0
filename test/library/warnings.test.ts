/** Warnings of Node: a test fails on one, and the library causes none when it is used for many things at once. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { connectSandbox } from '../../src/testing/index.js'
import { start } from '../support/dashboard.js'
import { takeWarnings } from '../support/warnings.js'

test('a warning of Node in the process of a test or in a process that it starts is noticed', async () => {
  process.emitWarning('too many of them', 'MaxListenersExceededWarning')
  await new Promise(setImmediate)
  const leak = 'for (let at = 0; at < 11; at++) process.on("SIGHUP", () => {})'
  const { status, stderr } = spawnSync(process.execPath, ['-e', leak], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  const [own, started] = takeWarnings()
  expect(own).toContain('MaxListenersExceededWarning: too many of them')
  expect(started).toContain(
    'MaxListenersExceededWarning: Possible EventEmitter memory leak detected. 11 SIGHUP listeners',
  )
})

test('twelve sandboxes, receivers, waits and calls at once in one process cause no warning', async () => {
  const times = Array.from({ length: 12 }, (_, at) => at)
  const [first, ...others] = await Promise.all(times.map(() => start({ clock: 'manual' })))
  if (first === undefined) throw new Error('no sandbox')
  const connected = await Promise.all(times.map(() => connectSandbox(first.url)))
  const receivers = await Promise.all([...others, ...connected].map((sandbox) => sandbox.receiver()))
  await Promise.all(
    [first, ...connected].flatMap((sandbox, at) =>
      times.map(() => sandbox.client().cashin({ amount: 25, currency: 'BRL', external_id: `order-${at}` })),
    ),
  )
  const charges = await first.transactions.list()
  await Promise.all(charges.map(({ transaction_id: id }) => first.trigger('cashin.pay', { id })))
  const waited = times.map((at) =>
    first.webhooks.waitFor('cashin.confirmed', { external_id: `order-${at}` }, { timeout: '60s' }),
  )
  await Promise.all(waited)
  await Promise.all(receivers.map((receiver) => receiver.close()))
  await Promise.all(connected.map((sandbox) => sandbox.close()))
  expect(takeWarnings()).toEqual([])
})
