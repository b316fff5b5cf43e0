/** `clock advance` on the command line: how long it waits, what it prints while webhooks are in flight, and how it is cancelled. */
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.js'
import { type Gate, gate } from '../support/gate.js'
import { control } from '../support/http.js'
import { ended, launch } from '../support/program.js'
import { openReceiver } from '../support/receiver.js'
import { charge, cli, json, paidCharge, sandbox, shareSandbox } from '../support/shared-sandbox.js'

shareSandbox()

async function holdBack(): Promise<Gate> {
  const answered = gate()
  const posts = await openReceiver(() => ({ until: answered.opened }))
  await paidCharge({ postback_url: posts.url })
  return answered
}

const clock = () => control(sandbox.url)('GET', '/clock')

test('clock advance prints the webhooks in flight when its wait ends, and exits with 1', async () => {
  const answered = await holdBack()
  const { code, stdout } = await cli('clock', 'advance', '1h', '--wait', '100ms')
  expect(code).toBe(1)
  for (const words of ['IN FLIGHT', 'cashin.confirmed', 'the advance continues', 'clock cancel'])
    expect(stdout).toContain(words)
  expect((await cli('clock')).stdout).toContain('waiting for 1 webhook in flight')
  const more = await cli('clock', 'advance', '0s', '--wait', '100ms', '--json')
  expect([more.code, JSON.parse(more.stdout).complete]).toEqual([1, false])
  answered.open()
  expect(await json('clock', 'advance', '0s')).toMatchObject({ complete: true, in_flight: [] })
  expect((await cli('clock', 'advance', '1h', '--wait', 'long')).code).toBe(2)
})

test('clock cancel stops an advance that continues in the background', async () => {
  const answered = await holdBack()
  const before = (await clock()).body.now
  await cli('clock', 'advance', '1h', '--wait', '100ms')
  expect((await cli('clock', 'cancel')).stdout).toContain('canceled; jobs that have run are not undone')
  expect(await json('clock', 'cancel')).toMatchObject({ canceled: 0, now: before })
  answered.open()
})

test('Ctrl-C cancels clock advance, which prints the time that the clock reached', async () => {
  await charge()
  const answered = await holdBack()
  const before = (await clock()).body.now
  const child = launch(['clock', 'advance', '2h'], { env: { PAYMENTS_SANDBOX_URL: sandbox.url } })
  const over = ended(child)
  await eventually(clock, ({ body }) => body.advancing !== null)
  child.kill('SIGINT')
  const { code, stderr } = await over
  expect([code, stderr]).toEqual([1, expect.stringContaining(`the advance was canceled at ${before}`)])
  expect((await eventually(clock, ({ body }) => body.advancing === null)).body.now).toBe(before)
  answered.open()
})

test('clock advance prints the events that its jobs caused, counted by their delivery', async () => {
  for (const external_id of ['one', 'two']) await charge({ external_id })
  await charge({ postback_url: (await openReceiver()).url })
  const { stdout } = await cli('clock', 'advance', '61m')
  expect(stdout).toMatch(/^events {2}2 cashin\.expired without a webhook URL, 1 cashin\.expired delivered$/m)
  expect((await cli('clock', 'advance', '1h')).stdout).not.toContain('events')
})
