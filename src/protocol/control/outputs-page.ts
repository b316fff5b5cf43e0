/** The parts of docs/command-line.md that are made from the table of outputs. */
import type * as z from 'zod'
import { controlRoutes } from './index.js'
import { type Output, outputs } from './outputs.js'
import type { ControlRow } from './route.js'

/** Makes JSON Schema out of a shape: the caller has the means. */
type ToSchema = (shape: z.ZodType) => object

/** The page with its made parts, which stand between `<!-- made: NAME -->` and `<!-- end -->`. */
export function commandLinePage(page: string, examples: string, toSchema: ToSchema): string {
  const parts: Record<string, string> = { examples, outputs: outputsTable(), shapes: shapeBlocks(toSchema) }
  return Object.entries(parts).reduce((text, [name, part]) => {
    const head = `<!-- made: ${name} -->\n`
    const from = text.indexOf(head)
    const to = text.indexOf('<!-- end -->', from)
    if (from < 0 || to < 0) throw new Error(`docs/command-line.md has no place for ${name}`)
    return `${text.slice(0, from)}${head}${part}\n${text.slice(to)}`
  }, page)
}

const rows: (readonly [words: string, output: Output])[] = Object.entries(outputs).flatMap(([words, all]) =>
  all.map((output): [string, Output] => [words, output]),
)

function outputsTable(): string {
  const lines = rows.map(
    ([words, output]) =>
      `| \`${words}\` | ${output.when ?? ''} | ${wordsOf(output)}${output.lines ? '; a line for each, as they come' : ''} |`,
  )
  return ['| command | when | what |', '| --- | --- | --- |', ...lines].join('\n')
}

function wordsOf({ route, shape, says }: Output): string {
  if (route !== undefined) {
    const { method, path }: ControlRow = controlRoutes[route]
    return `the answer of \`${method} /_sandbox${path}\``
  }
  return shape === undefined ? (says ?? '') : `[${nameOf(shape())}](#${nameOf(shape()).toLowerCase()})`
}

const nameOf = (shape: z.ZodType): string => String(shape.meta()?.id ?? '')

function shapeBlocks(toSchema: ToSchema): string {
  const shapes = new Map(
    rows.flatMap(([, { shape }]): [string, z.ZodType][] => (shape === undefined ? [] : [[nameOf(shape()), shape()]])),
  )
  return [...shapes]
    .map(([name, shape]) => `### ${name}\n\n\`\`\`json\n${JSON.stringify(toSchema(shape), null, 2)}\n\`\`\``)
    .join('\n\n')
}
