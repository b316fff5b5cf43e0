/** An agent: the official MCP client over any transport, and how it uses a tool. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { closeAfter } from './hooks.js'

interface Answered {
  isError?: boolean
  content: { text: string }[]
}

/** How the agent uses a tool. */
export const toolsOf =
  (client: Client) =>
  async (name: string, given: Record<string, unknown> = {}) => {
    const { content, isError } = (await client.callTool({ name, arguments: given })) as unknown as Answered
    const text = content[0]?.text ?? ''
    // biome-ignore lint/suspicious/noExplicitAny: tests read answers by name, and fail where a name is missing
    const value: any = /^[{[]/.test(text) ? JSON.parse(text) : text
    return { value, refused: isError === true }
  }

/** Is closed after the test. */
export async function connectAgent(transport: Transport) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  closeAfter(() => client.close())
  return { client, use: toolsOf(client) }
}
