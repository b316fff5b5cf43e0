/** What an answer shows by itself: about lists, and about paths that do not exist. */
import type { Config } from '../../../inside/control.js'
import { unknownPathError } from '../../../inside/handlers.js'
import {
  type Currency,
  currencies,
  currencyNames,
  endpointNames,
  endpoints,
  errorCatalogue,
  isCurrency,
  isStatusDocumented,
  operations,
  sources,
  statusesOf,
} from '../../../inside/platform.js'
import { type Fields, fieldAt, fieldsIn, isJsonObject, isKeyOf, JsonNumber, keysOf } from '../../../inside/values.js'
import { feeInTable } from '../../../inside/workspace.js'
import type { RecordedCall } from '../har/recording.js'
import { textOf } from './field-value.js'
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

const filters = {
  type: operations,
  status: statusesOf(...operations),
  source: sources,
  currency: currencyNames,
} as const

/** An item that a filter of the call must leave out. What an unknown name finds is not documented, nor by which currency a conversion is found. */
export function unfilteredIn(body: Fields, request: unknown): Difference | null {
  const { items } = fieldsIn(body.data)
  for (const item of Array.isArray(items) ? items.map(fieldsIn) : [])
    for (const name of keysOf(filters)) {
      const [wanted, value] = [filters[name].find((one) => one === fieldAt(request, name)), item[name]]
      if (wanted === undefined || typeof value !== 'string' || value === wanted) continue
      if (name === 'currency' && item.type === 'conversion') continue
      const about = { documented: `Filter \`${name}\``, breaks: 'the filter leaves it out', isAssumed: false }
      return { ...plainDifference(`data.items[].${name}`, [value, wanted], about), sentence: 'list-filters' }
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

export const notJson: Difference = {
  ...plainDifference('body', [null, 'a JSON object'], {
    documented: 'Bodies are JSON',
    breaks: 'it is not a JSON object',
  }),
  isInEveryMessage: true,
}

export const noCode = { documented: 'string, always present', breaks: 'it is missing' }

/** What is documented about the sandbox's error code. */
export function codeBasis(code: string | null): { documented: string | null } {
  const row = code !== null && isKeyOf(errorCatalogue, code) ? errorCatalogue[code] : undefined
  return { documented: row?.basis === 'spec' ? `${code} (${row.status}): ${row.message}` : null }
}

const bearer = 'All endpoints except the token endpoint require a bearer token'

export function outcomeDifference(
  call: RecordedCall,
  response: Response,
  code: string | null,
  ownCode: string | null,
): Difference {
  const show = (status: number, name: string | null) => (name === null ? status : `${status} ${name}`)
  const values = [show(call.status, code), show(response.status, ownCode)] as const
  const name = code ?? ownCode ?? ''
  return plainDifference('status', values, {
    kind: 'outcome',
    ...(name === 'UNAUTHORIZED' ? { documented: bearer } : codeBasis(name)),
  })
}

export function statusDifference(call: RecordedCall, response: Response, code: string | null): Difference {
  const values = [call.status, response.status] as const
  if (code !== null && isKeyOf(errorCatalogue, code)) {
    const { status, basis } = errorCatalogue[code]
    const documented = basis === 'spec' ? `${code} has the status ${status}` : null
    const isRight = call.status === status
    return plainDifference('status', values, { documented, breaks: isRight ? null : `it is ${call.status}` })
  }
  const { endpoint } = call
  if (endpoint === null || !isStatusDocumented(endpoint)) return plainDifference('status', values)
  const documented = `status ${endpoints[endpoint].status}`
  return plainDifference('status', values, { documented, breaks: `it is ${call.status}` })
}

/** Whether a fee or the result of a conversion had to be rounded; null if another way of rounding would not show. */
export function roundedIn(name: string, data: Fields, config: Config): 'fee' | 'result' | null {
  const of = (...names: string[]) => Number(textOf(names.map((one) => data[one]).find((one) => one !== undefined) ?? 0))
  const isHalf = (value: number, currency: Currency) => (value * 10 ** currencies[currency].scale + 10 ** -6) % 1 >= 0.5
  const { currency, destination_currency: to = data.currency_to } = data
  const amount = of('amount', 'from_amount', 'amount_from')
  if (name === 'cashin' && isCurrency(currency)) {
    const { percentPpm } = feeInTable(config, currency, 'cashin')
    return isHalf((amount * Number(percentPpm)) / 10 ** 6, currency) ? 'fee' : null
  }
  return isCurrency(to) && isHalf((amount - of('fee')) * of('rate'), to) ? 'result' : null
}
