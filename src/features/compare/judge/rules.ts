/** What an answer shows by itself: about lists, and about paths that do not exist. */
import { unknownPathError } from '../../../inside/handlers.js'
import { endpointNames, endpoints, operations } from '../../../inside/platform.js'
import { type Fields, fieldAt, fieldsIn, isJsonObject, JsonNumber } from '../../../inside/values.js'
import { plainDifference } from './headers.js'
import type { Difference } from './values.js'

const paths: ReadonlySet<string> = new Set(endpointNames.map((name) => endpoints[name].path))

/** How an answer with 404 differs from that of the sandbox. */
export function unknownPathDifferences(path: string, { code, details }: Fields): Difference[] {
  // Of a path that exists, the method is wrong.
  if (!path.startsWith('/v2/') || paths.has(path)) return []
  const own = unknownPathError(path)
  if (code !== own.code) return [plainDifference('error.code', [code, own.code])]
  if (!isJsonObject(details)) {
    const about = {
      documented: 'object, always present',
      breaks: details === undefined ? 'it is missing' : 'it is not an object',
    }
    return [{ ...plainDifference('error.details', [details, own.details], about), isInEveryMessage: true }]
  }
  return Object.entries(own.details).flatMap(([name, value]) =>
    details[name] === value ? [] : [plainDifference(`error.details.${name}`, [details[name], value])],
  )
}

/** An item that the filter of the call must leave out. What an unknown type finds is not documented. */
export function unfilteredIn(body: Fields, request: unknown): Difference | null {
  const wanted = operations.find((name) => name === fieldAt(request, 'type'))
  const { items } = fieldsIn(body.data)
  if (wanted === undefined || !Array.isArray(items)) return null
  const other = items.map((item) => fieldAt(item, 'type')).find((type) => typeof type === 'string' && type !== wanted)
  if (other === undefined) return null
  const about = { documented: 'Filter `type`', breaks: 'the filter leaves it out', isAssumed: false }
  return { ...plainDifference('data.items[].type', [other, wanted], about), sentence: 'list-filters' }
}

/** Whether a page holds all objects of its list. An older object can be on a page that is not shown. */
export function isWhole(items: unknown[], pagination: Fields = {}): boolean {
  const [page, size, total] = [pagination.page, pagination.page_size, pagination.total].map((value) =>
    value instanceof JsonNumber ? Number(value.text) : value,
  )
  return items.length === total || (page === 1 && typeof size === 'number' && items.length < size)
}
