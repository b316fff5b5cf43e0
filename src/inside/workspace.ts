/** A workspace from inside: what happens in a scratch sandbox, its clock, accounts, statement and deliveries. */
export {
  demoCredential,
  findAccount,
  insertAccount,
  insertCredential,
  listAccounts,
  newSecrets,
  requireAccount,
  updateCredential,
} from '../core/auth/account.js'
export {
  type Account,
  type Credential,
  credentialForEvents,
  credentialsOf,
  issueToken,
  parsePostbackUrl,
} from '../core/auth/authenticate.js'
export { explainSignature } from '../core/auth/explain-signature.js'
export { advanceClock, changeClock } from '../core/clock/advance.js'
export { type Delivery, DeliveryQueue, type QueueWidths } from '../core/delivery/queue.js'
export { createObject } from '../core/endpoints/create-object.js'
export { objectRefOf, prepareCall } from '../core/endpoints/validate.js'
export { nextDueOf } from '../core/jobs/jobs.js'
export { balanceOf, setAvailable } from '../core/ledger/ledger.js'
export { type Fee, feeInTable, formatMoney } from '../core/ledger/pricing.js'
export { readStatement, type StatementEntry } from '../core/ledger/statement.js'
export { rateOf } from '../core/operations/conversion.js'
export {
  findObject,
  newestWallet,
  runningDispute,
  type Subject,
  selectTransactions,
  type Transaction,
  transactionsWithExternalId,
} from '../core/operations/transactions.js'
export { statusOf, subjectId } from '../core/operations/transition.js'
export { checkParams, trigger } from '../core/operations/trigger.js'
export { type NumberedRecord, requestLog } from '../core/request-log/log.js'
export { armScenario, disarmScenario, uploadScenario } from '../core/scenarios/arms.js'
export type { Send, SendProgress, SendRequest, SendResult, SplitBody } from '../core/unit/ports.js'
export type { Unit, Workspace } from '../core/unit/unit.js'
export { headersOf } from '../core/webhooks/outbox.js'
export { closeWorkspace, openWorkspace, reset } from '../core/workspace/workspace.js'
export { storedJson } from '../store/columns.js'
export { reader } from '../store/db.js'
export { selector } from '../store/rows.js'
export { events, type RequestEntry } from '../store/schema.js'
