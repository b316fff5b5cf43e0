/** Subcommands for disputes, workspaces, waiting and account settings: their effects and rejections. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.js'
import { control } from '../support/http.js'
import { launch, printed, run, startHereForTest, withoutProgress } from '../support/program.js'
import { cli, paidCharge, sandbox, shareSandbox } from '../support/shared-sandbox.js'

shareSandbox()

const charge = '{"amount":25,"currency":"BRL","external_id":"order-1"}'
const order = () => paidCharge({ external_id: 'order-1' })
const call = (method: string, path: string, body?: unknown) => control(sandbox.url)(method, path, body)
const inbox = () => `${sandbox.url}/_sandbox/inbox/mine`
const hooksTo = (postback_url: string) => call('PATCH', '/credentials/client_sandbox_merchant', { postback_url })

describe('webhooks wait', () => {
  test('prints the event as soon as it exists, or exits with 1 and prints the events that did occur', async () => {
    await hooksTo(inbox())
    const waiting = cli('webhooks', 'wait', 'cashin.confirmed', '--external-id', 'order-1', '--timeout', '2m')
    await order()
    const found = await waiting
    expect([found.code, withoutProgress(found.stderr)]).toEqual([0, ''])
    expect(found.stdout).toMatch(/^cashin\.confirmed evt_\w+ of tx_\w+ is delivered\n$/)
    const missed = await cli('webhooks', 'wait', 'cashin.refunded', '--timeout', '50ms')
    expect([missed.code, missed.stdout]).toEqual([1, ''])
    expect(missed.stderr).toContain('WAIT_TIMEOUT')
    const late = await cli('webhooks', 'wait', 'cashin.confirmed', '--status', 'failed', '--timeout', '50ms')
    expect(late.stderr).toMatch(/^ {2}id evt_\w+, event cashin\.confirmed, .*status delivered, attempts 1/m)
    expect((await cli('webhooks', 'wait', 'cashin.confirmd')).stderr).toContain('cashin.confirmed')
  })
})

describe('account set', () => {
  test('changes addresses, limits and fees, and the next call obeys them', async () => {
    const { url } = await startHereForTest(['--clock', 'manual', '--webhook-url', 'http://127.0.0.1:9/hooks'])
    const say = (...words: string[]) => run([...words, '--url', url])
    const set = await say(
      'account',
      'set',
      'merchant',
      '--webhook-url',
      'http://127.0.0.1:9/x',
      '--limit',
      'BRL:cashin:max_amount=20',
      '--json',
    )
    expect(JSON.parse(set.stdout).credentials[0].postback_url).toBe('http://127.0.0.1:9/x')
    const refused = await say('request', 'POST', '/v2/transactions/cashin', '--data', charge)
    expect(JSON.parse(refused.stdout).error.code).toBe('EXCEEDS_MAX_LIMIT')
    await say(
      'account',
      'set',
      'merchant',
      '--limit',
      'BRL:cashin:max_amount=100',
      '--fee',
      'BRL:cashin:percent=0',
      '--fee',
      'BRL:cashin:fixed=2',
    )
    const charged = await say('request', 'POST', '/v2/transactions/cashin', '--data', charge)
    expect(JSON.parse(charged.stdout).data.fee).toBe(2)
    const none = await say('account', 'set', 'merchant', '--webhook-url', 'none', '--json')
    expect(JSON.parse(none.stdout).credentials[0].postback_url).toBe('http://127.0.0.1:9/hooks')
  })

  test('rejects a value that it cannot parse, and shows the correct form', async () => {
    expect((await cli('account', 'set', 'merchant')).code).toBe(2)
    expect((await cli('account', 'set', 'nobody', '--webhook-url', 'none')).code).toBe(2)
    expect(await cli('account', 'set', 'merchant', '--limit', 'BRL=5')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('BRL:cashin:max_amount=500'),
    })
    expect((await cli('account', 'set', 'merchant', '--limit', 'BRL:cashin:most=5')).code).toBe(1)
  })
})

test('disputes lists and filters disputes, and shows one with its deadline', async () => {
  expect((await cli('disputes')).stdout).toContain('dispute.open')
  await call('POST', '/trigger', { action: 'dispute.open', id: await order() })
  const { data } = JSON.parse((await cli('disputes', '--status', 'open', '--json')).stdout)
  expect(data).toHaveLength(1)
  expect((await cli('disputes', data[0].infraction_id)).stdout).toContain('possible now: dispute.respond')
  expect(JSON.parse((await cli('disputes', '--status', 'won', '--json')).stdout).data).toEqual([])
})

test('inbox lists the built-in receivers, and the messages of one', async () => {
  expect((await cli('inbox')).stdout).toContain('no webhooks yet')
  await hooksTo(inbox())
  await order()
  await call('GET', '/webhooks/wait?event=cashin.confirmed&timeout=2m')
  expect((await cli('inbox')).stdout).toMatch(/mine +1 +\S+ +http/)
  expect((await cli('inbox', 'mine')).stdout).toMatch(/cashin\.confirmed +tx_\w+ +confirmed +valid/)
  expect(JSON.parse((await cli('inbox', 'mine', '--json')).stdout).data).toHaveLength(1)
})

test('workspace creates, lists and deletes sandboxes that --workspace then selects', async () => {
  expect((await cli('workspace', 'create', 'team')).stdout).toContain('/w/team')
  expect((await cli('workspace', 'list')).stdout).toMatch(/default[\s\S]*team/)
  expect((await cli('account', 'create', 'shop', '--workspace', 'team')).code).toBe(0)
  expect((await cli('account', 'list')).stdout).not.toContain('shop')
  expect((await cli('workspace', 'delete', 'team')).code).toBe(0)
  expect((await cli('account', 'list', '--workspace', 'team')).code).toBe(1)
})

test('logs prints calls and webhooks as they happen, without secrets', async () => {
  const child = launch(['logs', '--url', sandbox.url])
  const line = printed(child, /\/v2\/oauth\/token/)
  let said = ''
  void line.then((text) => {
    said = text
  })
  // Events before the command listens are not printed.
  await eventually(
    async () => (await order()) && said,
    (text) => text !== '',
  )
  expect(await line).toMatch(/^\d\d:\d\d:\d\d 200 POST \/v2\/oauth\/token$/m)
  child.kill('SIGTERM')
})

test('every command explains how to give the token of a shared sandbox', async () => {
  const { url } = await startHereForTest(['--host', '0.0.0.0', '--admin-token', 'a-token-for-this-test'])
  const local = url.replace('0.0.0.0', '127.0.0.1')
  for (const words of [
    ['transactions'],
    ['clock'],
    ['trigger', 'cashin.pay'],
    ['webhooks', 'wait'],
    ['account', 'list'],
  ]) {
    const refused = await run([...words, '--url', local])
    expect([words, refused.code, refused.stderr]).toEqual([words, 1, expect.stringContaining('--admin-token')])
  }
  expect((await run(['clock', '--url', local, '--admin-token', 'a-token-for-this-test'])).code).toBe(0)
})
