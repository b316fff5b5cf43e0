/** The responses that the OpenAPI document describes, by operation: status and, for errors, code. */
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buildDocument } from '../../src/http/openapi/document.js'
import type { Answer } from '../../src/http/openapi/json-schema.js'
import { bin } from './built.js'
import { featureRoutes } from './control-rows.js'

/** The codes of each operation by status, including `4XX`. A success has no codes. */
type Described = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

let described: Described | undefined

/** Computed once for each build of the program, because the document takes longer than a small test file. */
function describedOfBuild(): Described {
  const program = join(dirname(bin), '../dist/program.cjs')
  const file = join(tmpdir(), `payments-sandbox-answers-${program.replaceAll(/\W+/g, '-')}.json`)
  const builtMs = statSync(program).mtimeMs
  try {
    const stored = JSON.parse(readFileSync(file, 'utf8')) as { builtMs: number; described: Described }
    if (stored.builtMs === builtMs) return stored.described
  } catch {
    // Nothing is stored before the first run.
  }
  const computed = describe()
  writeFileSync(`${file}.${process.pid}`, JSON.stringify({ builtMs, described: computed }))
  renameSync(`${file}.${process.pid}`, file)
  return computed
}

function describe(): Described {
  const { paths, components } = buildDocument({
    baseUrl: 'http://127.0.0.1:4010',
    version: '0.0.0',
    features: featureRoutes,
  })
  const codesOf = ({ $ref, content = {} }: Answer): string[] =>
    $ref === undefined
      ? Object.keys(content['application/json']?.examples ?? {})
      : codesOf(components.responses[$ref.split('/').at(-1) ?? ''] ?? {})
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  return Object.fromEntries(
    operations.map(({ operationId, responses }) => [
      operationId,
      Object.fromEntries(Object.entries(responses).map(([status, answer]) => [status, codesOf(answer)])),
    ]),
  )
}

/** Whether the setting `withdrawal_status` decides the status; the document describes only its default. */
const isBySetting = (operation: string, status: number) =>
  ['cashout', 'pixPayment'].includes(operation) && [200, 201].includes(status)

/** `code` is empty if the body is not an error. */
export function isDocumented(operation: string, status: number, code: string): boolean {
  described ??= describedOfBuild()
  const answers = described[operation]
  const codes = answers?.[String(status)] ?? answers?.[`${String(status).charAt(0)}XX`]
  return codes === undefined ? isBySetting(operation, status) : code === '' || codes.includes(code)
}
