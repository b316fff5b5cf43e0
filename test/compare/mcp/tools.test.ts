/** Agents over HTTP compare a recording. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, test } from 'vitest'
import { connectAgent } from '../../support/agent.js'
import { openSandbox } from '../../support/sandbox.js'

test('an agent that compares a recording without calls reads that there is nothing to compare', async () => {
  const { url } = await openSandbox()
  const { use } = await connectAgent(new StreamableHTTPClientTransport(new URL(`${url}/_sandbox/mcp`)))
  const log = { version: '1.2', creator: { name: 'test', version: '1' }, entries: [] }
  const compared = await use('compare', { log })
  expect([compared.refused, compared.value.details.rule]).toEqual([true, expect.stringContaining('nothing to compare')])
})
