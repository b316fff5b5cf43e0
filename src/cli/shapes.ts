/** The answers of the control API, as far as commands read them. */

export interface Credential {
  client_id: string
  client_secret: string
  signing_key: string
  webhook_secret: string
  postback_url: string | null
  active: boolean
}

export interface Account {
  username: string
  name: string
  document: string
  balances: Record<string, { available: string; blocked: string; pending: string }>
  credentials: Credential[]
}

export interface Page<T> {
  data: T[]
  next: string | null
}

/** Any object of the faked API: a transaction, a dispute or a wallet. */
export interface Thing {
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

export interface History {
  action: string
  from: string | null
  to: string
  at: string
}

export interface ThingInFull extends Thing {
  history: History[]
  events: WebhookRow[]
  ledger: {
    entry: number
    account: string
    bucket: string
    currency: string
    amount: string
    memo: string
    at: string
  }[]
  allowed: string[]
}

export interface WebhookRow {
  id: string
  event: string
  transaction_id: string
  url: string | null
  status: string
  attempts: number
  outcome?: string
  next_attempt_at: string | null
  created_at: string
}

export interface Webhook extends Omit<WebhookRow, 'attempts'> {
  body: string
  attempts: {
    number: number
    at: string
    duration_ms: number
    request_headers: Record<string, string>
    outcome: string
    status: number | null
    response_body: string | null
    detail?: string | null
  }[]
}

export interface RequestRow {
  request_id: string
  at: string
  method: string
  path: string
  status: number
  error_code: string | null
  duration_ms: number
  account: string | null
  signature?: { verdict: string; string_to_sign: string; expected: string; received: string; hint: string | null }
  scenario?: string
  faults?: string[]
}

export interface RequestInFull extends RequestRow {
  credential: string | null
  request_body: string | null
  response_body: string | null
}

export interface ClockReading {
  now: string
  mode: string
  next_due: string | null
  due: number
}

export interface Health {
  status: string
  version: string
  workspace: string
  clock: { now: string; mode: string }
}

export interface Ledger {
  balanced: boolean
  accounts: { username: string; currency: string; available: string; blocked: string; pending: string }[]
}

export interface Triggered {
  action: string
  object: Thing
  events: { id: string; event: string }[]
  /** What was done before, where an object was made for the action. */
  created?: { action: string; id: string }[]
}

export const idOf = (thing: Thing): string =>
  String(thing.infraction_id ?? thing.conversion_id ?? thing.transaction_id ?? thing.wallet_id ?? '')
