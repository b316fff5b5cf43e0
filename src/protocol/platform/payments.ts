/** Which calls make the same payment, and whether a caller got a response: for the request log, certification and the dashboard. */
import type { EndpointName } from './endpoints.js'

/** Calls that create payments, transfers or conversions. */
export const paymentEndpoints = [
  'cashin',
  'cashout',
  'pixPayment',
  'transfer',
  'conversion',
] as const satisfies readonly EndpointName[]
/** Those that send money away: without a payer, a second charge costs nothing. */
export const outgoingEndpoints = ['cashout', 'pixPayment', 'transfer'] as const satisfies readonly EndpointName[]

/** The fields that identify a payment: what is paid to whom. Others can differ from run to run, such as the port of a webhook URL. */
const paymentFields = [
  ...['amount', 'currency', 'chain', 'network', 'key', 'creditParty'],
  ...['username', 'base_currency', 'destination_currency', 'payer'],
]

/** Equal for calls that pay the same to the same, whatever their references. */
export const paymentKey = (endpoint: string | null, fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify([endpoint, ...paymentFields.map((name) => fields[name])])

/** Whether the caller got no response. */
export const isDropped = ({
  status,
  faults,
}: {
  status?: number | string
  faults?: readonly string[] | undefined
}): boolean => status === 0 || faults?.some((fault) => fault.startsWith('disconnect')) === true
