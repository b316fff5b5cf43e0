/** Agents over HTTP: the official client over Streamable HTTP, in a workspace, with an admin token, and at the limits. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, test } from 'vitest'
import { toolTable } from '../../src/features/mcp/tools/tools.js'
import { connectAgent } from '../support/agent.js'
import { controlRows } from '../support/control-rows.js'
import { features } from '../support/features.js'
import { control, send } from '../support/http.js'
import { openSandbox } from '../support/sandbox.js'
import { onWorkers } from '../support/workers.js'

const toolNames = [...toolTable(Object.values(controlRows)).keys()]

const openAgent = (baseUrl: string, headers: Record<string, string> = {}, search = '') =>
  connectAgent(
    new StreamableHTTPClientTransport(new URL(`${baseUrl}/_sandbox/mcp${search}`), { requestInit: { headers } }),
  )

const toolCall = (name: string, given: object, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given },
})

test('an agent lists the tools over HTTP, creates a charge, pays it and waits for the webhook', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const { client, use } = await openAgent(url, {}, '?tools=all')
  expect(client.getServerVersion()?.name).toBe('payments-sandbox')
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining([...toolNames]))
  const inbox = `${url}/_sandbox/inbox/agent`
  const { value: charge } = await use('create_charge', { amount: 25, currency: 'BRL', postback_url: inbox })
  expect((await use('trigger', { action: 'cashin.pay', id: charge.transaction_id })).refused).toBe(false)
  const waited = await use('wait_for_webhook', { event: 'cashin.confirmed', transaction_id: charge.transaction_id })
  expect(JSON.parse(waited.value.body).data.amount).toBe('25.00')
  const { value: listed } = await use('list_requests', { error_code: 'INVALID_SIGNATURE' })
  expect(listed.data).toEqual([])
})

test('at most 16 tools are listed by default, and a client selects others', async () => {
  const { url } = await openSandbox()
  const { client, use } = await openAgent(url)
  const { tools } = await client.listTools()
  // The command line has one more: start_sandbox.
  expect(tools.length).toBeLessThanOrEqual(15)
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['create_charge', 'trigger', ...(features.includes('certify') ? ['certify_receiver'] : [])]),
  )
  for (const name of toolNames)
    if (!tools.some((tool) => tool.name === name)) expect(client.getInstructions()).toContain(name)
  expect((await use('read_clock')).refused).toBe(false)

  const { client: selecting, use: useSelected } = await openAgent(url, {}, '?tools=read_clock,%20set_clock')
  expect((await selecting.listTools()).tools.map(({ name }) => name)).toEqual(['read_clock', 'set_clock'])
  expect((await useSelected('set_clock', { mode: 'manual' })).value.mode).toBe('manual')
  expect(await useSelected('reset')).toEqual({ refused: true, value: expect.stringContaining('use one of read_clock') })
  const { client: more } = await openAgent(url, {}, '?tools=default,reset')
  expect((await more.listTools()).tools).toHaveLength(tools.length + 1)

  for (const wrong of ['reed_clock', 'constructor', ',']) {
    const { status, body } = await send('POST', `${url}/_sandbox/mcp?tools=${wrong}`, toolCall('read_clock', {}))
    expect([status, body.error.details.field, body.error.details.rule], wrong).toEqual([
      422,
      'tools',
      expect.stringContaining('read_clock'),
    ])
  }
})

test('the example of every tool works as it is written', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const { client, use } = await openAgent(url, {}, '?tools=all')
  await control(url)('PATCH', '/credentials/client_sandbox_merchant', { postback_url: `${url}/_sandbox/inbox/agent` })
  await use('set_balances', { username: 'merchant', BRL: '500.00' })
  const ids: Record<string, string> = {}
  const { tools } = await client.listTools()
  // A reset empties the request log, which certify_client judges.
  const resetLast = tools.toSorted((one, other) => Number(one.name === 'reset') - Number(other.name === 'reset'))
  for (const { name, description = '' } of resetLast) {
    // A hosted sandbox does not compare recordings.
    if (onWorkers && name === 'compare') continue
    const example = JSON.parse(/ Example: (\{.*\})$/.exec(description)?.[1] ?? '')
    // Ids depend on the sandbox, and nothing may listen at the port of the example.
    const id = /^(evt|req|run)_…$/.test(example.id) ? ids[example.id] : example.id
    const address = name === 'certify_receiver' ? { url: 'http://127.0.0.1:9/' } : {}
    const { value, refused } = await use(name, { ...example, ...(id && { id }), ...address })
    expect(refused, `${name}: ${JSON.stringify(value)}`).toBe(false)
    if (name === 'wait_for_webhook') ids['evt_…'] = value.id
    if (name === 'run_scenario') ids['run_…'] = value.id
    if (name === 'list_requests') ids['req_…'] = (await use('list_requests')).value.data[0].request_id
  }
})

test('a withdrawal is signed, and acts as the account in the address', async () => {
  const { url } = await openSandbox()
  const { use } = await openAgent(url, {}, '?account=customer')
  const { value: before } = await use('list_accounts')
  expect(before.data[1].username).toBe('customer')
  await use('set_balances', { username: 'customer', BRL: '500.00' })
  const { value, refused } = await use('withdraw', {
    external_id: 'w-1',
    amount: 10,
    currency: 'BRL',
    key: 'ana@example.com',
  })
  expect(refused, JSON.stringify(value)).toBe(false)
  const { value: made } = await use('read_timeline', { id: value.transaction_id })
  expect(made.account).toBe('customer')
  const { use: useStranger } = await openAgent(url, {}, '?account=nobody')
  expect(await useStranger('read_balance')).toMatchObject({ refused: true, value: { code: 'NOT_FOUND' } })
})

test('an agent saves and restores the state, and sets chaos', async () => {
  const { url } = await openSandbox()
  const { use } = await openAgent(url)
  await use('save_snapshot', { name: 'before' })
  await use('create_charge', { amount: 5, currency: 'BRL' })
  expect((await use('list_snapshots')).value.data[0].name).toBe('before')
  expect((await use('set_chaos', { seed: 'a', error: '1%' })).value.error).toBe('1%')
  expect((await use('read_chaos')).value.seed).toBe('a')
  await use('set_chaos', { reset: '100%' })
  const cut = await use('create_charge', { amount: 5, currency: 'BRL' })
  expect([cut.refused, cut.value]).toEqual([true, expect.stringContaining('closed the connection')])
  expect((await use('end_chaos')).value).toEqual({})
  expect((await use('restore_snapshot', { name: 'before' })).refused).toBe(false)
  expect((await use('list_transactions')).value.data).toEqual([])
})

test('an agent reads the interface, the assumptions and the scenario schema, and gets task prompts', async () => {
  const { url } = await openSandbox()
  const { client } = await openAgent(url)
  const { resources } = await client.listResources()
  const texts = new Map<string, string>()
  for (const { uri } of resources) {
    const [read] = (await client.readResource({ uri })).contents
    texts.set(uri, read !== undefined && 'text' in read ? read.text : '')
  }
  expect(texts.get('sandbox://interface')).toContain('post /v2/transactions/cashin: ')
  expect(texts.get('sandbox://assumptions')).toContain('filter_day')
  expect(texts.get('sandbox://scenario-schema')).toContain('cashin.pay')
  await expect(client.readResource({ uri: 'sandbox://other' })).rejects.toThrow('sandbox://interface')
  const { prompts } = await client.listPrompts()
  expect(prompts.map(({ name }) => name)).toEqual(['test_webhook_receiver', 'explain_rejected_call'])
  const ask = async (name: string, given: Record<string, string>) =>
    JSON.stringify((await client.getPrompt({ name, arguments: given })).messages)
  expect(await ask('test_webhook_receiver', { url: 'http://127.0.0.1:3000/' })).toContain('http://127.0.0.1:3000/')
  expect(await ask('explain_rejected_call', {})).toContain('list_requests')
  expect(await ask('explain_rejected_call', { request_id: 'req_7' })).toContain('the call req_7')
  await expect(ask('test_webhook_receiver', {})).rejects.toThrow('url is required')
  await expect(ask('other', {})).rejects.toThrow('test_webhook_receiver')
})

test('an unknown argument, event or tool is rejected with a suggestion, and a rejected call returns its code', async () => {
  const { url } = await openSandbox()
  const { use } = await openAgent(url)
  const mistyped = await use('create_charge', { amount: 5, currency: 'BRL', externalid: 'order-1' })
  expect([mistyped.refused, mistyped.value]).toEqual([true, expect.stringContaining('did you mean external_id?')])
  const misnamed = await use('wait_for_webhook', { event: 'cashin.confirmd' })
  expect([misnamed.refused, JSON.stringify(misnamed.value)]).toEqual([
    true,
    expect.stringContaining('did you mean cashin.confirmed?'),
  ])
  expect((await use('list_scenarioz')).value).toContain('did you mean list_scenarios?')
  expect((await use('create_charge', { amount: -1, currency: 'BRL' })).value.code).toBe('INVALID_AMOUNT')
  expect((await use('read_timeline', { id: 'none' })).value.code).toBe('NOT_FOUND')
  expect((await use('list_transactions')).value.data).toEqual([])
})

test('an agent at the address of a workspace acts on that workspace alone', async () => {
  const { url } = await openSandbox()
  const { body } = await control(url)('POST', '/workspaces', { name: 'agents' })
  const { use } = await openAgent(body.base_url)
  const { value } = await use('create_charge', { amount: 5, currency: 'BRL' })
  expect((await use('list_transactions')).value.data).toHaveLength(1)
  expect((await control(body.base_url)('GET', `/transactions/${value.transaction_id}`)).status).toBe(200)
  expect((await control(url)('GET', '/transactions')).body.data).toEqual([])
})

test('a shared sandbox asks agents for its admin token', async () => {
  const adminToken = 'a-token-for-this-test'
  const { url } = await openSandbox({ demoSecrets: 'known' }, { host: '0.0.0.0', adminToken })
  const denied = await send('POST', `${url}/_sandbox/mcp`, toolCall('read_clock', {}))
  expect([denied.status, denied.code]).toEqual([401, 'UNAUTHORIZED'])
  const { use } = await openAgent(url, { 'X-Sandbox-Admin-Token': adminToken })
  expect((await use('read_clock')).value.mode).toBe('realtime')
  expect((await use('create_charge', { amount: 5, currency: 'BRL' })).refused).toBe(false)
})

test('messages that are too long, malformed, or of an unknown version are rejected', async () => {
  const { url } = await openSandbox()
  const post = (body: unknown, headers = {}) => send('POST', `${url}/_sandbox/mcp`, body, headers)
  const long = await post(toolCall('write_scenario', { yaml: 'x'.repeat(1024 * 1024) }))
  expect([long.status, long.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  expect((await post(toolCall('write_scenario', { yaml: 'x'.repeat(1024 * 900) }))).status).toBe(200)
  expect((await post('{"jsonrpc"')).code).toBe('INVALID_JSON')
  expect((await post({ hello: 1 })).code).toBe('INVALID_VALUE')
  expect((await post([toolCall('read_clock', {})])).status).toBe(400)
  expect((await post(toolCall('read_clock', {}), { 'MCP-Protocol-Version': '1999-01-01' })).status).toBe(400)
  expect((await post(toolCall('read_clock', {}), { Origin: 'http://evil.example' })).code).toBe('FORBIDDEN_ORIGIN')
  expect((await send('GET', `${url}/_sandbox/mcp`)).status).toBe(405)
  const notified = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  expect([notified.status, notified.text]).toEqual([202, ''])
  expect((await post({ jsonrpc: '2.0', id: 7, method: 'unknown/method' })).body).toMatchObject({
    id: 7,
    error: { code: -32601 },
  })
})
