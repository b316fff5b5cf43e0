/** Generates parts of docs/command-line.md from the commands: the outputs of `--json` and their fields. */
import type * as z from 'zod'
import { type CommandTable, commandGroups, type Output, type Usage } from '../../src/cli/command.js'
import { controlRoutes } from '../../src/protocol/control/index.js'
import { shapes } from '../../src/protocol/control/outputs.js'
import type { ControlRow } from '../../src/protocol/control/route.js'
import { callWarnings, warningCodes } from '../../src/protocol/platform/warnings.js'
import { code, markdownTable, withParts } from './markdown.js'

/** Converts a shape to JSON Schema. Injected, because the converter belongs to a higher layer. */
type ToSchema = (shape: z.ZodType) => Schema

interface Row extends Usage {
  group: string
  command: string
}

/** Returns all commands and subcommands, in the order of the help. */
async function everyUsage(commands: CommandTable): Promise<Row[]> {
  const rows = Object.values(commands).map(async ({ group, load }) =>
    Object.entries((await load()).usages).map(([command, usage]): Row => ({ group, command, ...usage })),
  )
  const all = (await Promise.all(rows)).flat()
  return commandGroups.flatMap((groupName) => all.filter(({ group }) => group === groupName))
}

/** Returns the page with its generated parts, which are between `<!-- made: NAME -->` and `<!-- end -->`. */
export async function commandLinePage(page: string, commands: CommandTable, toSchema: ToSchema): Promise<string> {
  const all = await everyUsage(commands)
  const parts = {
    warnings: markdownTable(
      ['code', 'when'],
      warningCodes.map((name) => [code(name), callWarnings[name].when]),
    ),
    outputs: outputsTable(all),
    shapes: shapesTable(all, toSchema),
  }
  return withParts(page, 'docs/command-line.md', parts)
}

function outputsTable(all: readonly Row[]): string {
  const lines = all.flatMap(({ command, jsonOutputs }) =>
    jsonOutputs.map((output) => [[`\`${command}\``, output.when ?? []].flat().join(' '), contentOf(output)]),
  )
  return markdownTable(['command', 'output'], lines)
}

function contentOf({ route, shape, description }: Output): string {
  if (route !== undefined) {
    const { method, path }: ControlRow = typeof route === 'string' ? controlRoutes[route] : route
    return `\`${method} /_sandbox${path}\``
  }
  return [description ?? [], shape === undefined ? [] : `\`${nameOf(shape)}\``].flat().join(': ')
}

const nameOf = (shape: keyof typeof shapes): string => String(shapes[shape]().meta()?.id ?? '')

function shapesTable(all: readonly Row[], toSchema: ToSchema): string {
  const used = new Set(all.flatMap(({ jsonOutputs }) => jsonOutputs.flatMap(({ shape }) => shape ?? [])))
  const rows = [...used].map((shape) => [`\`${nameOf(shape)}\``, `\`${typeText(toSchema(shapes[shape]()))}\``])
  return markdownTable(['output', 'JSON'], rows)
}

interface Schema {
  $ref?: string
  $defs?: Readonly<Record<string, Schema>>
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
  enum?: readonly unknown[]
  const?: unknown
  type?: string | readonly string[]
}

/** Formats a JSON Schema as a type: `{ calls: integer, files: [string], log?: string }`. */
function typeText(schema: Schema, definitions = schema.$defs): string {
  const inner = (one: Schema) => typeText(one, definitions)
  const { $ref, properties, required = [], items, anyOf, type = 'any' } = schema
  if ($ref !== undefined) return inner(definitions?.[$ref.replace('#/$defs/', '')] ?? {})
  if (anyOf !== undefined) return anyOf.map(inner).join(' or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' or ')
  if (items !== undefined) return `[${inner(items)}]`
  if (properties === undefined) return [type].flat().join(' or ')
  const fields = Object.entries(properties).map(
    ([name, field]) => `${name}${required.includes(name) ? '' : '?'}: ${inner(field)}`,
  )
  return `{ ${fields.join(', ')} }`
}
