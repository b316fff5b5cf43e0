/** Agents on the command line: the official client pays a charge, finds out why a signature was rejected, and writes a scenario. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toolTable } from '../../src/features/mcp/tools/tools.js'
import { connectAgent, toolsOf } from '../support/agent.js'
import { built, programCommand } from '../support/built.js'
import { controlRows } from '../support/control-rows.js'
import { effortOfFourfold, effortOfProcess } from '../support/effort.js'
import { run, type Started, startHere } from '../support/program.js'

const toolNames = [...toolTable(Object.values(controlRows)).keys()]

let sandbox: Started
let transport: StdioClientTransport
const client = new Client({ name: 'test', version: '1' })
const use = toolsOf(client)

beforeAll(async () => {
  await built()
  sandbox = await startHere(['--clock', 'manual'])
  const [command, ...fixedArgs] = programCommand
  const args = [...fixedArgs, 'mcp', '--url', sandbox.url, '--tools', 'all']
  transport = new StdioClientTransport({ command, args, stderr: 'ignore' })
  await client.connect(transport)
})
afterAll(async () => {
  await client.close()
  await sandbox.stop()
})

const destructive = ['reset', 'cancel_advance', 'set_balances', 'restore_snapshot']

test('every tool has a description and a schema with its arguments', async () => {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([...toolNames, 'start_sandbox', 'look_up_interface', 'write_scenario'])
  for (const { name, description, inputSchema, annotations } of tools) {
    expect(inputSchema.additionalProperties).toBe(false)
    expect(annotations).toEqual({
      readOnlyHint: /^(read|list|explain|wait|look)_/.test(name),
      destructiveHint: destructive.includes(name),
      ...(name === 'start_sandbox' ? { idempotentHint: true } : {}),
    })
    expect(description).toMatch(/\. Example: \{.*\}$/)
    expect(inputSchema.type).toBe('object')
  }
  const trigger = tools.find(({ name }) => name === 'trigger')?.inputSchema
  expect(trigger?.required).toEqual(['action'])
  expect(trigger?.properties?.action).toMatchObject({ enum: expect.arrayContaining(['cashin.pay', 'dispute.lose']) })
  expect(tools.find(({ name }) => name === 'create_charge')?.inputSchema.required?.toSorted()).toEqual([
    'amount',
    'currency',
  ])
})

test('at most 16 tools are listed without --tools, start_sandbox among them', async () => {
  const [command, ...fixedArgs] = programCommand
  const transport = new StdioClientTransport({ command, args: [...fixedArgs, 'mcp'], stderr: 'ignore' })
  const { tools } = await (await connectAgent(transport)).client.listTools()
  expect(tools.length).toBeLessThanOrEqual(16)
  expect(tools.map(({ name }) => name)).toContain('start_sandbox')
})

test('an unknown name in --tools is a usage error with a suggestion and all names', async () => {
  const { code, stderr } = await run(['mcp', '--tools', 'create_chrge'])
  expect([code, stderr]).toEqual([2, expect.stringMatching(/did you mean create_charge\?.*start_sandbox/)])
})

test('an agent creates a charge, pays it, waits for the webhook and reads its timeline', async () => {
  const inbox = `${sandbox.url}/_sandbox/inbox/agent`
  const { value: charge } = await use('create_charge', { amount: 25, currency: 'BRL', postback_url: inbox })
  const id = charge.transaction_id
  expect((await use('trigger', { action: 'cashin.pay', id })).value.object.status).toBe('confirmed')
  const waited = await use('wait_for_webhook', { event: 'cashin.confirmed', transaction_id: id })
  expect(JSON.parse(waited.value.body).data.amount).toBe('25.00')
  const { value: timeline } = await use('read_timeline', { id })
  expect(timeline.history.map(({ action }: { action: string }) => action)).toEqual(['create', 'pay'])
  expect((await use('advance_clock', { by: '7d' })).value.now).toBeTypeOf('string')
})

test('an agent finds out why a signature was rejected', async () => {
  const { client_id, client_secret } = sandbox.ready.accounts[0]?.credentials[0] ?? { client_id: '', client_secret: '' }
  const headers = { 'Content-Type': 'application/json' }
  const token = await fetch(`${sandbox.url}/v2/oauth/token`, {
    method: 'POST',
    headers: { ...headers, Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
    body: '{"grant_type":"client_credentials"}',
  })
  const { access_token } = (await token.json()) as { access_token: string }
  await fetch(`${sandbox.url}/v2/transactions/cashout`, {
    method: 'POST',
    headers: {
      ...headers,
      Authorization: `Bearer ${access_token}`,
      'X-Timestamp': String(Date.now()),
      'X-Nonce': crypto.randomUUID(),
      'X-Signature': 'ab'.repeat(32),
    },
    body: '{"amount":1,"currency":"BRL","key":"ana@example.com"}',
  })
  const { value: refused } = await use('list_requests', { error_code: 'INVALID_TIMESTAMP' })
  const { value: call } = await use('explain_request', { id: refused.data[0].request_id })
  expect(call.signature).toMatchObject({ verdict: 'bad_timestamp', hint: expect.stringContaining('millisecond') })
})

test('an agent writes a scenario, reads its mistakes, and runs it', async () => {
  const wrong = await use('write_scenario', { yaml: 'name: mine\nsteps:\n  - cashin.pya\n' })
  expect(wrong.refused).toBe(true)
  expect(JSON.stringify(wrong.value)).toContain('cashin.pay')
  const yaml = 'name: mine\nsteps:\n  - create: { cashin: { amount: 5, currency: BRL } }\n  - cashin.pay\n'
  expect((await use('write_scenario', { yaml })).refused).toBe(false)
  const { value: run } = await use('run_scenario', { name: 'mine', fast_forward: true, wait: true })
  expect(run.status).toBe('passed')
})

test('an agent searches the documentation of the interface', async () => {
  const { value } = await use('look_up_interface', { words: 'withdrawal network cashout' })
  expect(value).toContain('/v2/transactions/cashout')
  expect((await use('look_up_interface', { words: 'zzzz' })).value).toContain('No match for zzzz')
})

test('a rejected call returns its error code, and an unknown tool is reported by name', async () => {
  const refused = await use('create_charge', { amount: -1, currency: 'BRL' })
  expect([refused.refused, refused.value.code]).toEqual([true, 'INVALID_AMOUNT'])
  const unknown = await use('pay_everything')
  expect([unknown.refused, unknown.value]).toEqual([true, expect.stringContaining('create_charge')])
})

test('an unknown argument is rejected with a suggestion, and the tool does not run', async () => {
  const before = (await use('list_transactions')).value.data.length
  const mistyped = await use('create_charge', { amount: 5, currency: 'BRL', externalid: 'order-1' })
  expect([mistyped.refused, mistyped.value]).toEqual([true, expect.stringContaining('did you mean external_id?')])
  for (const [name, given] of [
    ['advance_clock', { by: '1m', waits: '1s' }],
    ['read_timeline', { id: 'x', ids: 1 }],
    ['look_up_interface', { word: 'cashout' }],
    ['reset', { all: true }],
  ] as const)
    expect((await use(name, given)).refused, name).toBe(true)
  expect((await use('list_transactions')).value.data).toHaveLength(before)
  expect((await use('look_up_interfaces')).value).toContain('did you mean look_up_interface?')
})

test('a message of 20 MB is rejected in time that grows with its length, and the next one is answered', async () => {
  const messages = { 1: 'x'.repeat(5 * 1024 * 1024), 4: 'x'.repeat(20 * 1024 * 1024) }
  const reject = (message: string) =>
    expect(client.callTool({ name: 'write_scenario', arguments: { yaml: message } })).rejects.toThrow(
      'larger than 1048576 bytes',
    )
  const timesAsMuch = await effortOfFourfold(
    async (times) => {
      for (let nth = 0; nth < 8; nth++) await reject(messages[times])
    },
    effortOfProcess(transport.pid ?? 0),
  )
  expect(timesAsMuch).toBeLessThan(8)
  expect((await use('read_clock')).value.mode).toBe('manual')
})
