/** The library: a sandbox for test suites, and signing and verification for production code. */

export { type ApiClientOptions, createApiClient } from '../client/api.js'
export type { CallOptions, Change, ControlClient } from '../client/control.js'
export { SandboxError, StartError, UnreachableError, UsageError } from '../client/errors.js'
export type { ApiCallOptions, HeaderSource, UploadFile } from '../client/exchange.js'
export {
  type SignatureHeaders,
  type SignRequestOptions,
  signRequest,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookRefusal,
  type WebhookVerdict,
} from '../client/signatures.js'
export type { ActionParameters } from '../client/types/actions.js'
export type { ApiClient } from '../client/types/api-client.js'
export type * from '../client/types/control.js'
export type { EventData, SandboxEvent } from '../client/types/events.js'
export type * from '../client/types/requests.js'
export type * from '../client/types/responses.js'
export * from '../features/library.js'
export type {
  Account,
  AccountChanges,
  AccountOptions,
  Accounts,
  Balances,
  FeeChange,
  LimitChange,
  StatementFilter,
  StatementOf,
} from './accounts.js'
export type {
  ActionInput,
  AdvanceOptions,
  ArmOptions,
  RunOptions,
  SandboxChaos,
  SandboxClock,
  SandboxRuns,
  SandboxScenarios,
  Trigger,
  Triggered,
} from './controls.js'
export type {
  DeliveryStatus,
  EventFilter,
  ExpectedCall,
  ObjectReader,
  SandboxDisputes,
  SandboxRequests,
  SandboxTransactions,
  SandboxWallets,
  SandboxWebhooks,
  WaitOptions,
  Webhook,
} from './lists.js'
export type { Amount, Duration, StartAccount, StartOptions } from './options.js'
export type { ReceivedWebhook, Receiver, ReceiverAnswer, ReceiverOptions } from './receiver.js'
export type { Sandbox } from './start.js'
export { type ConnectOptions, connectSandbox, startSandbox } from './start.js'
