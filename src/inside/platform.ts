/** The tables of the platform API: endpoints, events, errors, currencies, rails, assumptions, actions. */
export { type ActionName, actionTable } from '../protocol/actions/actions.js'
export { statusesFor } from '../protocol/actions/creation-steps.js'
export * from '../protocol/platform/assumptions.js'
export * from '../protocol/platform/currencies.js'
export * from '../protocol/platform/documented-sentences.js'
export * from '../protocol/platform/endpoints.js'
export * from '../protocol/platform/entry-types.js'
export * from '../protocol/platform/errors.js'
export * from '../protocol/platform/events.js'
export * from '../protocol/platform/failures.js'
export * from '../protocol/platform/fidelity.js'
export { choice, decimal, unwrapType, usernamePattern } from '../protocol/platform/fields.js'
export * from '../protocol/platform/headers.js'
export * from '../protocol/platform/limits.js'
export { isDropped, paymentEndpoints, paymentKey, repeatKey } from '../protocol/platform/payments.js'
export { word } from '../protocol/platform/shell-calls.js'
export * from '../protocol/platform/transitions.js'
export * from '../protocol/platform/warnings.js'
export { eip55, isAddress } from '../protocol/rails/chain.js'
export { railOf } from '../protocol/rails/index.js'
export { crc16, field, parseBrCode, readFields } from '../protocol/rails/pix.js'
export {
  inferPixKeyType,
  isDocument,
  isPixKey,
  isUuid,
  newUuid,
  normalizeDocument,
  normalizePixKey,
} from '../protocol/rails/pix-key.js'
export { clabeCheckDigit, isClabe } from '../protocol/rails/spei.js'
