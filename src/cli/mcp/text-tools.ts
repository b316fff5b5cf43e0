/** The tools whose input is a text of the agent's own: words to look up, a scenario to keep. */
import type { Sandbox } from '../connection/connection.js'
import { lookUp } from './lookup.js'
import type { ObjectSchema } from './schemas.js'

interface TextTool {
  says: string
  input: ObjectSchema
  /** Changes nothing. */
  readOnly: boolean
  call: (sandbox: Sandbox, text: string) => Promise<unknown>
}

const taking = (name: string, description: string): ObjectSchema => ({
  type: 'object',
  properties: { [name]: { type: 'string', description } },
  required: [name],
})

export const textTools: Readonly<Record<string, TextTool>> = {
  look_up_interface: {
    says: 'Search the description of the API: endpoints, fields, error codes, events, and what is our assumption (x-assumed).',
    input: taking('words', 'Such as: cashout network, INVALID_SIGNATURE, cashin.refunded'),
    readOnly: true,
    call: lookUp,
  },
  write_scenario: {
    says: 'Keep a scenario of your own, to be run or armed by its name; mistakes come back with line and column.',
    input: taking('yaml', 'The file; read_scenario shows how others look'),
    readOnly: false,
    call: (sandbox, yaml) => sandbox.call('POST', '/scenarios', yaml, { contentType: 'application/yaml' }),
  },
}
