/** The tables of the platform API: endpoints, events, errors, currencies, rails, assumptions, actions. */
export { type ActionName, actionTable } from '../protocol/actions/actions.js'
export { statusesFor } from '../protocol/actions/creation-steps.js'
export {
  type AssumedPlace,
  type Assumption,
  type AssumptionId,
  assumptionOf,
  assumptionRows,
  type DifferenceKind,
} from '../protocol/platform/assumptions.js'
export {
  byCurrency,
  type Currency,
  type CurrencyRow,
  chainsOf,
  currencies,
  currencyNames,
  isCurrency,
  labelOf,
  networkNames,
  networksOf,
} from '../protocol/platform/currencies.js'
export {
  type DocumentedSentenceId,
  type FidelityTier,
  fidelityTiers,
  unobservableReasons,
} from '../protocol/platform/documented-sentences.js'
export {
  type Endpoint,
  type EndpointName,
  endpointNames,
  endpoints,
  isStatusDocumented,
  signatureErrors,
} from '../protocol/platform/endpoints.js'
export { type EntryType, entryTypes, postingName, postingTypeNames } from '../protocol/platform/entry-types.js'
export { ApiError, errorCatalogue } from '../protocol/platform/errors.js'
export { type EventName, eventNames, eventTable } from '../protocol/platform/events.js'
export {
  type AttemptOutcome,
  attemptOutcomes,
  blockedWords,
  type CashoutFailure,
  canFail,
  outcomeWords,
} from '../protocol/platform/failures.js'
export { fidelityRows, measureFidelity } from '../protocol/platform/fidelity.js'
export { choice, decimal, unwrapType, usernamePattern } from '../protocol/platform/fields.js'
export {
  cliUserAgent,
  lowerCaseWebhookHeaders,
  requestHeaders,
  responseHeaders,
  webhookHeaders,
  webhookUserAgent,
} from '../protocol/platform/headers.js'
export {
  advisedResponseMs,
  bodyLimits,
  cashoutSettleMs,
  disputeWindowMs,
  feeRoundings,
  formatDays,
  maxPercentPpm,
  megabyte,
  minutes,
  type Operation,
  operations,
  ratePlaces,
  rates,
  seconds,
  signatureWindowMs,
  tokenLifeMs,
  webhookAttempts,
  webhookRetryDelaysMs,
  webhookTimeouts,
} from '../protocol/platform/limits.js'
export { word } from '../protocol/platform/shell-calls.js'
export { objectKinds, transitions } from '../protocol/platform/transitions.js'
export { type CallWarning, warningCodes } from '../protocol/platform/warnings.js'
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
