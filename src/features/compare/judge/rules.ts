/** What an answer shows by itself: about lists, and about paths that do not exist. */
import type { Config } from '../../../inside/control.js'
import { unknownPathError } from '../../../inside/handlers.js'
import {
  type Currency,
  chainsOf,
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
import type { RecordedAnswer } from '../replay/requests.js'
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

/** A chain in `details.supported` that the platform itself has rejected for that currency. */
export function listedDifference(
  { code, details }: RecordedAnswer,
  request: unknown,
  rejected: Set<string>,
): Difference | null {
  const { currency, chain } = fieldsIn(request)
  if (code !== 'UNSUPPORTED_CHAIN' || !Array.isArray(details.supported)) return null
  rejected.add(`${String(currency)} ${String(chain)}`)
  if (!details.supported.some((one) => rejected.has(`${String(currency)} ${String(one)}`))) return null
  const about = { documented: '`details.supported` lists the chains', breaks: 'it lists a chain that is rejected' }
  return {
    ...plainDifference('error.details.supported', [details.supported, undefined], about),
    kind: 'value',
    isInEveryMessage: true,
  }
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

export const idNames = ['transaction_id', 'conversion_id', 'infraction_id']

/** The transaction of an answer, perhaps within another field. */
export function transactionIn(body: Fields | null): Fields {
  const data = fieldsIn(body?.data)
  return [data, ...Object.values(data).map(fieldsIn)].find((one) => one.transaction_id !== undefined) ?? data
}

export function idsIn(body: Fields | null): string[] {
  const data = fieldsIn(body?.data)
  return idNames.map((name) => data[name]).filter((id) => typeof id === 'string')
}

export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : []
}

export function usernamesIn({ username, split }: Fields): string[] {
  const items = Array.isArray(split) ? split.map((item) => fieldsIn(item).username) : []
  return [username, ...items].filter((name) => typeof name === 'string')
}

/** Whether the documented condition of a code holds for a request; other codes depend on more than the request. */
export const conditions: Readonly<Partial<Record<string, (request: Fields) => boolean>>> = {
  MISSING_REQUIRED_FIELD: ({ amount, currency }) => amount === undefined || currency === undefined,
  INVALID_AMOUNT: ({ amount }) =>
    amount !== undefined && (!(amount instanceof JsonNumber) || !(Number(amount.text) > 0)),
  INVALID_CURRENCY: (request) =>
    ['currency', 'base_currency', 'destination_currency'].some(
      (name) => request[name] !== undefined && !(typeof request[name] === 'string' && isCurrency(request[name])),
    ),
  UNSUPPORTED_CHAIN: ({ currency, chain }) =>
    typeof currency === 'string' &&
    isCurrency(currency) &&
    chain !== undefined &&
    !chainsOf(currency).some((one) => one === chain),
}

/** The only side that repeats the field of the request with the same name. */
export function echoIn(
  { path, platform, sandbox }: Difference,
  { request }: { request: unknown },
): 'platform' | 'sandbox' | null {
  const value = fieldAt(request, path.slice(path.lastIndexOf('.') + 1))
  if (value === undefined) return null
  const sent = String(value instanceof JsonNumber ? Number(value.text) : value)
  const isEcho = String(platform) === sent
  if (isEcho === (String(sandbox) === sent)) return null
  return isEcho ? 'platform' : 'sandbox'
}
