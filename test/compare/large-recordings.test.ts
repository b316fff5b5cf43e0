/** Large recordings: refused before anything is kept, or handled in a thread while other callers are answered. */
import { expect, test } from 'vitest'
import { answeredDuring, busyDuring, many, mostBusy } from '../support/large-bodies.js'
import { recordTraffic } from '../support/recorded-traffic.js'
import { harOf } from '../support/recording.js'
import { openSandbox } from '../support/sandbox.js'

test('a recording of a thousand calls is compared in a thread, and the report is that of a small one', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const recorded = await recordTraffic({}, async ({ api }) => void (await api.cashin({ amount: 10, currency: 'BRL' })))
  const [call] = recorded.filter(({ _webhook }) => !_webhook)
  const repeated = many(1000, (at) => ({
    ...call,
    startedDateTime: new Date(Date.parse(call.startedDateTime) + at * 1000).toISOString(),
  }))
  const { status, body, busy } = await busyDuring(url, '/compare', 'application/json', harOf(repeated))
  expect([status, body.exchanges]).toEqual([200, 1000])
  expect(busy).toBeLessThan(mostBusy)
})

test('a recording with a field beside its log is refused before the field is read', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const log = JSON.parse(harOf([])).log
  const large = Object.fromEntries(many(300_000, (at) => [`k${at}`, 1]))
  for (const value of [1, large]) {
    const { status, body } = await answeredDuring(
      url,
      '/compare',
      'application/json',
      JSON.stringify({ log, x: value }),
    )
    expect([status, body.error.details]).toEqual([
      422,
      { field: 'x', rule: 'it is not a HAR file: it has the field x beside its log', fields: ['log'] },
    ])
  }
})

test('errors in large recordings are those of small ones', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const cases: [text: string, expected: unknown[]][] = [
    [' '.repeat(100_000), [422, 'INVALID_VALUE']],
    [`${' '.repeat(100_000)}[]`, [422, 'INVALID_VALUE']],
  ]
  for (const [text, expected] of cases) {
    const { status, body } = await answeredDuring(url, '/compare', 'application/json', text)
    expect([status, body.error.code], text.slice(-100)).toEqual(expected)
  }
})
