/** Tools that do more than call one route. Those here take one text: words to search for, or a scenario to upload. */
import { type Fields, fieldsIn } from '../../../inside/values.js'
import type { Caller, ObjectSchema, Tool } from './call.js'

const schemaOfOneText = (name: string, description: string) => (): ObjectSchema => ({
  type: 'object',
  properties: { [name]: { type: 'string', description } },
  required: [name],
})

export const textTools: Readonly<Record<string, Tool>> = {
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

const maxMatches = 4
const maxMatchChars = 6000

export const documentOf = async (caller: Caller): Promise<Fields> =>
  fieldsIn(await caller.control('GET', '/openapi.json'))

/** Returns the parts that contain most of the words; a match in a name counts more. */
async function lookUp(caller: Caller, words: string): Promise<string> {
  const document = await documentOf(caller)
  const terms = words.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 20)
  const scored = partsOf(document)
    .map((part) => ({ ...part, score: scoreOf(part, terms) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxMatches)
  if (scored.length === 0) return `No match for ${words} in the description of the API.`
  return scored.map(({ name, text }) => `## ${name}\n${text.slice(0, maxMatchChars)}`).join('\n\n')
}

function partsOf({ paths, webhooks, components }: Fields): { name: string; text: string }[] {
  const operations = Object.entries(fieldsIn(paths)).flatMap(([path, methods]) =>
    Object.entries(fieldsIn(methods)).map(([method, one]) => [`${method.toUpperCase()} ${path}`, one] as const),
  )
  const others = [webhooks, fieldsIn(components).schemas].flatMap((part) => Object.entries(fieldsIn(part)))
  return [...operations, ...others].map(([name, one]) => ({ name, text: JSON.stringify(one, null, 1) }))
}

function scoreOf({ name, text }: { name: string; text: string }, terms: readonly string[]): number {
  const [title, body] = [name.toLowerCase(), text.toLowerCase()]
  return terms.reduce((sum, word) => sum + (title.includes(word) ? 10 : 0) + (body.includes(word) ? 1 : 0), 0)
}
