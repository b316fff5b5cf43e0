/** Which calls make the same payment, and whether a caller got a response: for the request log, certification and the dashboard. */
import { isJsonObject } from '../../base/unknown.js'
import type { EndpointName } from './endpoints.js'
import { type TransitionRow, transitions } from './transitions.js'

/** Calls with which a client charges or pays somebody: a second time, if it repeats one as a new one. */
export const chargingEndpoints = [
  'cashin',
  'cashout',
  'pixPayment',
  'transfer',
] as const satisfies readonly EndpointName[]
/** Calls that create payments, transfers or conversions. */
export const paymentEndpoints = [...chargingEndpoints, 'conversion'] as const

/** Whether no money has moved, or it has come back. */
export const isUnpaid = ({ status }: { status: string }): boolean =>
  transitions.some(({ to, returns }: TransitionRow) => to === status && returns !== undefined)

/** The fields that identify a payment: what is paid to whom. Others can differ from run to run, such as the port of a webhook URL. */
const paymentFields = [
  ...['amount', 'currency', 'chain', 'network', 'key', 'creditParty'],
  ...['username', 'base_currency', 'destination_currency', 'payer'],
]

/** Equal for calls that pay the same to the same, whatever their references. */
export const paymentKey = (endpoint: string | null, fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify([endpoint, ...paymentFields.map((name) => fields[name])])

/**
 * The same for calls that a client has meant as one. Charges with nothing but another reference may be for different
 * payers if they name none, so this is not certain.
 */
export function repeatKey(
  endpoint: EndpointName,
  fields: Readonly<Record<string, unknown>>,
  body: string,
): { key: string; certain: boolean } {
  if (endpoint !== 'cashin' || isJsonObject(fields.payer)) return { key: paymentKey(endpoint, fields), certain: true }
  const { external_id: reference = null, ...others } = fields
  return reference === null ? { key: body, certain: true } : { key: JSON.stringify(others), certain: false }
}

/** Whether the caller got no response. */
export const isDropped = ({
  status,
  faults,
}: {
  status?: number | string
  faults?: readonly string[] | undefined
}): boolean => status === 0 || faults?.some((fault) => fault.startsWith('disconnect')) === true
