/** What an answer shows by itself: about lists, and about paths that do not exist. */
import { unknownPathError } from '../../../inside/handlers.js'
import { endpointNames, endpoints } from '../../../inside/platform.js'
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

/** Filters whose value an item repeats. */
const repeated = ['type', 'status'] as const

/** An item that a filter of the call must leave out. */
export function unfilteredIn(body: Fields, request: unknown): Difference | null {
  const { items } = fieldsIn(body.data)
  if (!Array.isArray(items)) return null
  for (const name of repeated) {
    const wanted = fieldAt(request, name)
    const other = items
      .map((item) => fieldAt(item, name))
      .find((value) => typeof value === 'string' && value !== wanted)
    if (typeof wanted !== 'string' || other === undefined) continue
    const about = { documented: `Filter \`${name}\``, breaks: 'the filter leaves it out', isAssumed: false }
    return { ...plainDifference(`data.items[].${name}`, [other, wanted], about), sentence: 'list-filters' }
  }
  return null
}

/** Whether a page holds all objects of its list. An older object can be on a page that is not shown. */
export function isWhole(items: unknown[], pagination: Fields = {}): boolean {
  const [page, size, total] = [pagination.page, pagination.page_size, pagination.total].map((value) =>
    value instanceof JsonNumber ? Number(value.text) : value,
  )
  return items.length === total || (page === 1 && typeof size === 'number' && items.length < size)
}
