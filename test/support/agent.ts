/** An agent: the official MCP client over any transport. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { closeAfter } from './hooks.js'

interface Answered {
  isError?: boolean
  content: { text: string }[]
}

/** Returns a function that calls a tool and parses its result. */
export const toolsOf =
  (client: Client) =>
  async (name: string, given: Record<string, unknown> = {}) => {
    const { content, isError } = (await client.callTool({ name, arguments: given })) as unknown as Answered
    const text = content[0]?.text ?? ''
    // biome-ignore lint/suspicious/noExplicitAny: tests read fields by name, and a missing field fails the test
    const value: any = /^[{[]/.test(text) ? JSON.parse(text) : text
    return { value, refused: isError === true }
  }

/** Connects an agent, which is closed after the test. */
export async function connectAgent(transport: Transport) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  closeAfter(() => client.close())
  return { client, use: toolsOf(client) }
}
