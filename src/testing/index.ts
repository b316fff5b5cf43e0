/** The library: a sandbox for test suites, and signing and verification for production code. */

export { type ApiClientOptions, createApiClient } from '../client/api.js'
export type { CallOptions, Change, ControlClient } from '../client/control.js'
export { SandboxError, StartError, UnreachableError, UsageError } from '../client/errors.js'
export type { ApiCallOptions, HeaderSource, UploadFile } from '../client/exchange.js'
export { type SignatureHeaders, type SignRequestOptions, signRequest } from '../client/sign-request.js'
export type { ActionParameters } from '../client/types/actions.js'
export type { ApiClient } from '../client/types/api-client.js'
export type * from '../client/types/control.js'
export type { EventData, SandboxEvent } from '../client/types/events.js'
export type * from '../client/types/requests.js'
export type * from '../client/types/responses.js'
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookRefusal,
  type WebhookVerdict,
} from '../client/verify-webhook.js'
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
export type { SandboxChaos } from './chaos.js'
export type { AdvanceOptions, SandboxClock } from './clock.js'
export type {
  ExpectedCall,
  ObjectReader,
  SandboxDisputes,
  SandboxRequests,
  SandboxTransactions,
  SandboxWallets,
} from './lists.js'
export type { Amount, Duration, StartAccount, StartOptions } from './options.js'
export type { ReceivedWebhook, Receiver, ReceiverAnswer, ReceiverOptions } from './receiver.js'
export type { Sandbox } from './sandbox.js'
export type { ArmOptions, RunOptions, SandboxRuns, SandboxScenarios } from './scenarios.js'
export { type ConnectOptions, connectSandbox, startSandbox } from './start.js'
export type { ActionInput, Trigger, Triggered } from './trigger.js'
export type { DeliveryStatus, EventFilter, SandboxWebhooks, WaitOptions, Webhook } from './webhooks.js'
