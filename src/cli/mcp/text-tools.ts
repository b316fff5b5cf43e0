/** The tools whose only input is one text: words to search for, or a scenario to upload. */
import type { Sandbox } from '../connection/connection.js'
import { lookUp } from './lookup.js'
import type { ObjectSchema } from './schemas.js'

interface TextTool {
  description: string
  input: ObjectSchema
  /** Whether the tool changes nothing. */
  readOnly: boolean
  call: (sandbox: Sandbox, text: string) => Promise<unknown>
}

const schemaOfOneText = (name: string, description: string): ObjectSchema => ({
  type: 'object',
  properties: { [name]: { type: 'string', description } },
  required: [name],
})

export const textTools: Readonly<Record<string, TextTool>> = {
  look_up_interface: {
    description:
      'Search the description of the API: endpoints, fields, error codes, events, and assumptions (x-assumed).',
    input: schemaOfOneText(
      'words',
      'Words to search for, such as: cashout network, INVALID_SIGNATURE, cashin.refunded',
    ),
    readOnly: true,
    call: lookUp,
  },
  write_scenario: {
    description: 'Upload a scenario, to run or arm it by its name. Mistakes are reported with line and column.',
    input: schemaOfOneText('yaml', 'The scenario as YAML; read_scenario shows examples'),
    readOnly: false,
    call: (sandbox, yaml) => sandbox.call('POST', '/scenarios', yaml, { contentType: 'application/yaml' }),
  },
}
