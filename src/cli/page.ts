/** Generates parts of docs/command-line.md from the commands: examples, outputs and their JSON Schemas. */
import type * as z from 'zod'
import { withParts } from '../base/markdown.js'
import { controlRoutes } from '../protocol/control/index.js'
import type { ControlRow } from '../protocol/control/route.js'
import { shapes } from '../protocol/control/shapes/outputs.js'
import { warningTable } from '../protocol/platform/warnings.js'
import { type CommandTable, commandGroups, type Output, type Usage } from './command.js'

/** Converts a shape to JSON Schema. Injected, because the converter belongs to a higher floor. */
type ToSchema = (shape: z.ZodType) => object

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
    examples: examplesPart(all),
    warnings: warningTable(),
    outputs: outputsTable(all),
    shapes: shapeBlocks(all, toSchema),
  }
  return withParts(page, 'docs/command-line.md', parts)
}

function examplesPart(all: readonly Row[]): string {
  const linesOf = (groupName: string) =>
    all
      .filter(({ group }) => group === groupName)
      .flatMap(({ examples }) => examples.map(({ run, says }) => `# ${says}\n${run}`))
      .join('\n')
  const groups = [...new Set(all.map(({ group }) => group))]
  return groups.map((group) => `### ${group}\n\n\`\`\`sh\n${linesOf(group)}\n\`\`\``).join('\n\n')
}

function outputsTable(all: readonly Row[]): string {
  const lines = all.flatMap(({ command, jsonOutputs }) =>
    jsonOutputs.map((output) => `| \`${command}\` | ${output.when ?? ''} | ${wordsOf(output)} |`),
  )
  return ['| command | when | output |', '| --- | --- | --- |', ...lines].join('\n')
}

function wordsOf({ route, shape, description: says }: Output): string {
  if (route !== undefined) {
    const { method, path }: ControlRow = typeof route === 'string' ? controlRoutes[route] : route
    return `the response of \`${method} /_sandbox${path}\``
  }
  const link = shape === undefined ? [] : [`[${nameOf(shape)}](#${nameOf(shape).toLowerCase()})`]
  return [says ?? [], link].flat().join(': ')
}

const nameOf = (shape: keyof typeof shapes): string => String(shapes[shape]().meta()?.id ?? '')

function shapeBlocks(all: readonly Row[], toSchema: ToSchema): string {
  const used = new Set(all.flatMap(({ jsonOutputs }) => jsonOutputs.flatMap(({ shape }) => shape ?? [])))
  return [...used]
    .map((shape) => `### ${nameOf(shape)}\n\n\`\`\`json\n${JSON.stringify(toSchema(shapes[shape]()), null, 2)}\n\`\`\``)
    .join('\n\n')
}
