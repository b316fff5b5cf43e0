/** Tools that do more than call one route. Those here take one text: words to search for, or a scenario to upload. */
import type { Arguments, Caller } from './call.js'
import { lookUp } from './lookup.js'
import type { ObjectSchema } from './schemas.js'

export interface OwnTool {
  description: string
  /** Arguments that show how the tool is called. */
  example: Arguments
  /** Whether the tool is listed unless others are selected. */
  isDefault?: true
  input: ObjectSchema
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint?: boolean }
  call: (caller: Caller, input: Arguments) => Promise<unknown>
}

const schemaOfOneText = (name: string, description: string): ObjectSchema => ({
  type: 'object',
  properties: { [name]: { type: 'string', description } },
  required: [name],
})

export const textTools: Readonly<Record<string, OwnTool>> = {
  look_up_interface: {
    description:
      'Search the description of the API: endpoints, fields, error codes, events, and assumptions (x-assumed).',
    example: { words: 'cashout network' },
    isDefault: true,
    input: schemaOfOneText(
      'words',
      'Words to search for, such as: cashout network, INVALID_SIGNATURE, cashin.refunded',
    ),
    annotations: { readOnlyHint: true, destructiveHint: false },
    call: (caller, { words }) => lookUp(caller, String(words ?? '')),
  },
  write_scenario: {
    description: 'Upload a scenario, to run or arm it by its name. Mistakes are reported with line and column.',
    example: { yaml: 'name: paid\non: { operation: cashin }\nsteps:\n  - cashin.pay' },
    input: schemaOfOneText('yaml', 'The scenario as YAML; read_scenario shows examples'),
    annotations: { readOnlyHint: false, destructiveHint: false },
    call: (caller, { yaml }) =>
      caller.control('POST', '/scenarios', String(yaml ?? ''), { contentType: 'application/yaml' }),
  },
}
