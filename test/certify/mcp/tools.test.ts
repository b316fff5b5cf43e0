/** Agents over HTTP certify a receiver, a client and books. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, test } from 'vitest'
import { connectAgent } from '../../support/agent.js'
import { openSandbox } from '../../support/sandbox.js'

async function openAgent() {
  const { url } = await openSandbox()
  return connectAgent(new StreamableHTTPClientTransport(new URL(`${url}/_sandbox/mcp`)))
}

test('an agent certifies its client and books', async () => {
  const { use } = await openAgent()
  await use('create_charge', { amount: 5, currency: 'BRL' })
  expect((await use('certify_client')).value.rules.length).toBeGreaterThan(5)
  const nothing = await use('certify_books', { account: 'merchant', entries: [] })
  expect([nothing.refused, nothing.value.message]).toEqual([true, expect.stringContaining('nothing to compare')])
  const entry = { transaction_id: 'tx_unknown', type: 'charge', amount: '5.00', currency: 'BRL', date: '2026-01-01' }
  const books = await use('certify_books', { account: 'merchant', entries: [entry] })
  expect([books.refused, books.value.rules?.length > 5], JSON.stringify(books.value)).toEqual([false, true])
})

test('an agent certifies a receiver that does not run, and reads the correction', async () => {
  const { use } = await openAgent()
  const { value } = await use('certify_receiver', { url: 'http://127.0.0.1:9/' })
  expect(value).toMatchObject({ verdict: 'failed', rules: expect.arrayContaining([expect.anything()]) })
  expect(value.rules[0]).toMatchObject({ result: 'failed', fix: expect.stringContaining('Start the receiver') })
})
