/** Which answers the OpenAPI document describes, by operation: a status and, of an error, its code. */
import { buildDocument } from '../../src/http/openapi/document.js'
import type { Answer } from '../../src/http/openapi/types.js'

/** Of an operation: the codes by status, `4XX` included; none where the answer is no error. */
type Described = ReadonlyMap<string, readonly string[]>

let described: ReadonlyMap<string, Described> | undefined

function describe(): ReadonlyMap<string, Described> {
  const { paths, components } = buildDocument({ baseUrl: 'http://127.0.0.1:4010', version: '0.0.0' })
  const codesOf = ({ $ref, content = {} }: Answer): string[] =>
    $ref === undefined
      ? Object.keys(content['application/json']?.examples ?? {})
      : codesOf(components.responses[$ref.split('/').at(-1) ?? ''] ?? {})
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  return new Map(
    operations.map(({ operationId, responses }) => [
      operationId,
      new Map(Object.entries(responses).map(([status, answer]) => [status, codesOf(answer)])),
    ]),
  )
}

/** `code` is empty where the body is no error. */
export function isDocumented(operation: string, status: number, code: string): boolean {
  described ??= describe()
  const answers = described.get(operation)
  const codes = answers?.get(String(status)) ?? answers?.get(`${String(status).charAt(0)}XX`)
  return codes !== undefined && (code === '' || codes.includes(code))
}

/** In words, those of the recorded answers, `operation status code`, that the document lacks. */
export function undocumented(recorded: Iterable<string>): string[] {
  const lacking = [...new Set(recorded)].filter((line) => {
    const [operation = '', status, code = ''] = line.split(' ')
    return !isDocumented(operation, Number(status), code)
  })
  return lacking.length === 0 ? [] : [`the OpenAPI document lacks these answers: ${lacking.sort().join(', ')}`]
}
