/** What the control API answers, as the library hands it on: the same names, amounts as decimal strings, times as ISO 8601. */
import type { ActionName } from '../client/types/actions.js'
import type { EventName, SandboxEvent } from '../client/types/events.js'

export type Currency = 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
export type Amount = number | string
/** A number of seconds, or text: `500ms`, `90s`, `10m`, `2h`, `7d`. */
export type Duration = number | string

export interface Credential {
  client_id: string
  client_secret: string
  signing_key: string
  webhook_secret: string
  postback_url: string | null
  active: boolean
}

export interface Balance {
  available: string
  blocked: string
  pending: string
}

/** With the fields of its first credential, which is mostly the only one. */
export interface Account extends Credential {
  username: string
  name: string
  document: string
  created_at: string
  balances: Record<Currency, Balance>
  credentials: Credential[]
}

/** Any object of the faked API; which fields it has depends on its kind. */
export interface SandboxObject {
  transaction_id?: string
  infraction_id?: string
  conversion_id?: string
  wallet_id?: number
  type?: string
  status?: string
  currency?: string
  amount?: string
  account?: string
  external_id?: string | null
  created_at?: string
  [field: string]: unknown
}

/** With its life: what happened to it, what was told and posted, and what would work now. */
export interface ObjectInFull extends SandboxObject {
  history: { action: string; from: string | null; to: string; at: string }[]
  events: WebhookSummary[]
  ledger: {
    entry: number
    account: string
    bucket: string
    currency: string
    amount: string
    memo: string
    at: string
  }[]
  allowed: ActionName[]
}

export interface Triggered {
  action: ActionName
  /** As it is after the action. */
  object: SandboxObject
  events: { id: string; event: EventName }[]
}

export type DeliveryStatus = 'pending' | 'queued' | 'delivered' | 'failed'

export interface WebhookSummary {
  /** `evt_…` */
  id: string
  event: EventName
  transaction_id: string
  url: string | null
  status: DeliveryStatus
  next_attempt_at: string | null
  created_at: string
}

/** How many attempts there were; `no_url`: there was nowhere to send it. */
export interface ListedWebhook extends WebhookSummary {
  attempts: number
  outcome?: 'no_url'
}

export interface WebhookAttempt {
  number: number
  at: string
  duration_ms: number
  request_headers: Record<string, string>
  outcome: string
  status: number | null
  response_body: string | null
  detail: string | null
}

/** An event with its payload and every attempt to deliver it. */
export type Webhook<Name extends EventName = EventName> = Omit<WebhookSummary, 'event'> &
  SandboxEvent<Name> & {
    /** The exact text that was sent. */
    body: string
    attempts: WebhookAttempt[]
  }

export interface ClockReading {
  now: string
  mode: 'realtime' | 'manual'
  next_due: string | null
  /** How many jobs wait. */
  due: number
}

export interface Advanced {
  now: string
  ran: { at: string; job: string; id: string }[]
  next_due: string | null
}

export interface Arm {
  scenario: string
  /** null: whoever calls. */
  account: string | null
  /** How many calls it still takes; null: every one. */
  times: number | null
  armed_at: string
}

export interface ScenarioSummary {
  name: string
  title: string
  description: string | null
  origin: 'built-in' | 'folder' | 'uploaded'
  params: Record<string, unknown>
  armed: Arm[]
  [field: string]: unknown
}

export interface Run {
  id: string
  scenario: string
  status: 'running' | 'passed' | 'failed' | 'canceled'
  account: string
  steps: { step: string; status: string; at: string | null; detail: unknown }[]
  vars: Record<string, unknown>
  started_at: string
  finished_at: string | null
}

export interface Snapshot {
  name: string
  size_bytes: number
  created_at: string
}

export interface Ledger {
  balanced: boolean
  accounts: ({ username: string; currency: Currency } & Balance)[]
}

export interface JournalEntry {
  request_id: string
  at: string
  method: string
  path: string
  status: number
  error_code: string | null
  duration_ms: number
  account: string | null
  /** Of a signed route. */
  signature?: { verdict: string; string_to_sign: string; expected: string; received: string; hint: string | null }
  /** Scenarios that took this call, and what they did to it. */
  scenario?: string
  faults?: string[]
}

/** With what was sent and answered, secrets masked; the list leaves that out. */
export interface JournalEntryInFull extends JournalEntry {
  credential: string | null
  request_body: string | null
  response_body: string | null
}
