/** What the control API answers with, as far as the page reads it. */

export interface Page<T> {
  data: T[]
  next: string | null
}

export interface Health {
  status: string
  version: string
  workspace: string
}

export interface ClockReading {
  now: string
  mode: 'realtime' | 'manual'
  next_due: string | null
  due: number
}

/** What every object bears, whatever its kind; amounts are decimal strings. */
export interface Entity {
  account: string
  status?: string
  currency: string
  created_at: string
  [field: string]: unknown
}

export interface Transaction extends Entity {
  transaction_id: string
  external_id: string | null
  type: 'cashin' | 'cashout' | 'transfer' | 'conversion'
  status: string
  amount: string
  fee: string
  payment_info?: Record<string, unknown> | null
}

export interface Dispute extends Entity {
  infraction_id: string
  transaction_id: string
  type: string
  status: string
  amount: string
  reason: string | null
  deadline_at: string
  resolved_at: string | null
}

export interface Wallet extends Entity {
  wallet_id: number
  currency_type: string
  chain: string | null
  network: string
  address: string
}

export interface HistoryRow {
  action: string
  from: string | null
  to: string
  at: string
}

export interface Posting {
  entry: string | number
  account: string
  bucket: string
  currency: string
  amount: string
  memo: string | null
  at: string
}

/** The life of one object. */
export interface Life {
  history: HistoryRow[]
  events: Webhook[]
  ledger: Posting[]
  allowed: string[]
}

export interface Reply {
  reply_id: number
  message: string
  files: { name: string; size: number; sha256: string }[]
  created_at: string
}

export interface Webhook {
  id: string
  event: string
  transaction_id: string | null
  subject_id: string
  external_id: string | null
  url: string | null
  status: string
  attempts: number
  next_attempt_at: string | null
  created_at: string
}

export interface Attempt {
  number: number
  at: string
  duration_ms: number
  request_headers: Record<string, string>
  outcome: string
  status: number | null
  response_body: string | null
  detail: string | null
}

export interface WebhookDetail extends Omit<Webhook, 'attempts'> {
  body: string
  attempts: Attempt[]
}

export interface Balance {
  available: string
  blocked: string
  pending: string
}

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
  created_at: string
  balances: Record<string, Balance>
  credentials: Credential[]
}

export interface Call {
  request_id: string
  at: string
  method: string
  path: string
  status: number
  error_code: string | null
  duration_ms: number
  credential: string | null
  account: string | null
  scenario?: string
  faults?: string[]
}

export interface CallDetail extends Call {
  request_body: string | null
  response_body: string | null
  /** Of a signed route. */
  signature?: SignatureReport
}

export interface SignatureReport {
  verdict: string
  string_to_sign: string
  expected: string
  received: string
  hint: string | null
}

export interface Snapshot {
  name: string
  size_bytes: number
  created_at: string
}

export interface Workspace {
  name: string
  base_url: string
}

export interface InboxMessage {
  headers: Record<string, string>
  raw: string
  signature_valid: boolean | null
  received_at: string
}

export interface Ledger {
  balanced: boolean
  accounts: unknown[]
}

/** A field of a JSON Schema, as far as forms are made of it. */
export interface FieldSchema {
  type?: string | string[]
  enum?: string[]
  description?: string
  maxLength?: number
  properties?: Record<string, FieldSchema>
  required?: string[]
}

export interface Action {
  name: string
  subject: string
  title: string
  params: FieldSchema
}
