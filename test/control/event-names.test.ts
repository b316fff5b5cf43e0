/** An event name that does not exist is rejected at once, with the name that was meant, wherever one can be given. */
import { expect, test } from 'vitest'
import { nearestName } from '../../src/protocol/actions/nearest-name.js'
import { currencyNames } from '../../src/protocol/platform/currencies.js'
import { type EventName, eventNames } from '../../src/protocol/platform/events.js'
import { connectSandbox } from '../../src/testing/index.js'
import { control } from '../support/http.js'
import { run } from '../support/program.js'
import { openSandbox } from '../support/sandbox.js'

const wrong = 'cashin.paid'
const right = 'cashin.confirmed'
/** Calls as callers without types make them. */
const untyped = wrong as EventName

test('the control API rejects an unknown event name in every filter, and suggests the right one', async () => {
  const call = control((await openSandbox()).url)
  for (const path of ['/webhooks', '/webhooks/wait', '/inbox/main']) {
    const { status, body } = await call('GET', `${path}?event=${wrong}`)
    expect([status, body.error.code, body.error.details.did_you_mean], path).toEqual([422, 'INVALID_VALUE', right])
    expect(body.error.message).toBe(`event must be one of ${eventNames.join(', ')}; did you mean ${right}?`)
    expect(body.error.details.supported).toEqual(eventNames)
  }
  const file = { name: 'wrong', steps: [{ create: { cashin: { amount: 5 } } }, { expect: { event: wrong } }] }
  const { status, body } = await call('POST', '/scenarios', file)
  expect([status, JSON.stringify(body.error)]).toEqual([422, expect.stringContaining(`did you mean ${right}?`)])
})

test('the library rejects an unknown event name at once, also a receiver, which knows no sandbox', async () => {
  const { url } = await openSandbox()
  const sandbox = await connectSandbox(url)
  const receiver = await sandbox.receiver({ account: null })
  // Longer than the test's time limit: each must end at once.
  await expect(receiver.waitFor(untyped, {}, { timeout: '5m' })).rejects.toThrow(
    `${wrong} is not an event; did you mean ${right}?`,
  )
  await expect(receiver.waitFor('nonsense' as EventName)).rejects.toThrow(
    `nonsense is not an event; use one of ${eventNames.join(', ')}`,
  )
  await expect(sandbox.webhooks.waitFor(untyped, {}, { timeout: '5m' })).rejects.toThrow(`did you mean ${right}?`)
  await expect(sandbox.webhooks.all({ event: untyped })).rejects.toThrow(`did you mean ${right}?`)
  await receiver.close()
  await sandbox.close()
})

test('the command line rejects an unknown event name with a suggestion', async () => {
  const { url } = await openSandbox()
  const lines = [
    `webhooks wait ${wrong} --timeout 5m`,
    `webhooks --event ${wrong}`,
    `webhooks --follow --event ${wrong}`,
  ]
  for (const line of lines) {
    const { code, stderr } = await run([...line.split(' '), '--url', url])
    expect([code, stderr.split('\n')[0]], line).toEqual([1, expect.stringContaining(`did you mean ${right}?`)])
  }
})

test('the suggestion follows the action, the result and the words of other platforms', () => {
  const meant: Record<string, EventName | null> = {
    'cashin.pay': 'cashin.confirmed',
    CASHIN_CONFIRMED: 'cashin.confirmed',
    'charge.paid': 'cashin.confirmed',
    'payment.received': 'cashin.confirmed',
    'wallet.deposit': 'cashin.confirmed',
    'withdrawal.failed': 'cashout.failed',
    'cashout.rejected': 'cashout.failed',
    'dispute.opened': 'chargeback.opened',
    'dispute.created': 'chargeback.opened',
    'conversion.completed': 'conversion.confirmed',
    'cashin.confirmd': 'cashin.confirmed',
    nonsense: null,
    [`cashin.${'x'.repeat(100_000)}`]: null,
  }
  for (const [text, event] of Object.entries(meant)) expect(nearestName(text, eventNames), text).toBe(event)
  expect(nearestName('cashin.pay', currencyNames)).toBe(null)
})
