/** What a comparison of answers reads from them: differing statuses and codes, and the objects that a call names. */

import { type Endpoint, errorCatalogue } from '../../../inside/platform.js'
import { type Fields, fieldsIn, isKeyOf } from '../../../inside/values.js'
import type { RecordedCall } from '../har/recording.js'
import { plainDifference } from './headers.js'
import type { Difference } from './values.js'

/** What is documented about the sandbox's error code. */
export function codeBasis(code: string | null): { documented: string | null } {
  const row = code !== null && isKeyOf(errorCatalogue, code) ? errorCatalogue[code] : undefined
  return { documented: row?.basis === 'spec' ? `${code} (${row.status}): ${row.message}` : null }
}

/** One side executed the call, the other rejected it. */
export function outcomeDifference(
  call: RecordedCall,
  response: Response,
  code: string | null,
  ownCode: string | null,
): Difference {
  const show = (status: number, name: string | null) => (name === null ? status : `${status} ${name}`)
  const values = [show(call.status, code), show(response.status, ownCode)] as const
  const name = code ?? ownCode ?? ''
  const row = isKeyOf(errorCatalogue, name) ? errorCatalogue[name] : undefined
  const documented = row?.basis === 'spec' ? `${name} (${row.status}): ${row.message}` : null
  return plainDifference('status', values, { kind: 'outcome', documented })
}

export function statusDifference(
  call: RecordedCall,
  response: Response,
  endpoint: Endpoint,
  code: string | null,
): Difference {
  const values = [call.status, response.status] as const
  if (code !== null && isKeyOf(errorCatalogue, code)) {
    const { status, basis } = errorCatalogue[code]
    const documented = basis === 'spec' ? `${code} has the status ${status}` : null
    const isRight = call.status === status
    return plainDifference('status', values, { documented, breaks: isRight ? null : `it is ${call.status}` })
  }
  const isDocumented = ['cashin', 'token'].includes(call.endpoint ?? '')
  const documented = isDocumented ? `status ${endpoint.status}` : null
  return plainDifference('status', values, { documented, breaks: isDocumented ? `it is ${call.status}` : null })
}

export const createdIds = ['data.wallet_id', 'data.transaction_id', 'data.conversion_id']
const idNames = ['transaction_id', 'conversion_id', 'infraction_id']

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
