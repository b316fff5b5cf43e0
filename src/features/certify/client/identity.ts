/** Tells which calls are attempts of the same payment. */
import { type ClientCall, isPayment } from './calls.js'

export const isSameCall = (a: ClientCall, b: ClientCall): boolean =>
  a.entry.method === b.entry.method && a.entry.path === b.entry.path && a.text === b.text

/** Returns whether the call repeats the payment: it has the same `external_id`, or the same content if there is none. */
export const isRetry = (call: ClientCall, injected: ClientCall) =>
  call.endpoint === injected.endpoint &&
  (injected.externalId === null ? isSameCall(call, injected) : call.externalId === injected.externalId)

/** Returns whether only the `external_id` differs: the client repeats the payment, and it counts as a new one. */
export const isRenamed = (call: ClientCall, injected: ClientCall) =>
  call.endpoint === injected.endpoint &&
  call.externalId !== injected.externalId &&
  fieldsWithoutId(call) === fieldsWithoutId(injected)

const texts = new WeakMap<ClientCall, string>()

function fieldsWithoutId(call: ClientCall): string {
  const known = texts.get(call)
  if (known !== undefined) return known
  const { external_id: _, ...rest } = call.fields
  const text = JSON.stringify(rest)
  texts.set(call, text)
  return text
}

/** Returns the attempts of the payment that the first call is for. */
export const attemptsOf = (calls: readonly ClientCall[]): ClientCall[] =>
  calls.filter((call) => call === calls[0] || (calls[0] !== undefined && isRetry(call, calls[0])))

/** Returns whether the client works on several payments at a time: it made another one before it repeated one. */
export const areParallel = (log: {
  calls: readonly ClientCall[]
  injected: readonly { call: ClientCall; fault: string }[]
}): boolean =>
  log.injected.some(({ call, fault }) => {
    if (fault === 'outage') return false
    const later = log.calls.slice(log.calls.indexOf(call) + 1).filter(isPayment)
    return later.findIndex((one) => isRetry(one, call)) > 0
  })
