/** What each route of the control API takes and answers. Generated from the schemas by `npm run client-types`: change those instead. */

export interface Account {
  /** Name of an account of the service. */
  username: string
  name: string
  /** CPF or CNPJ. */
  document: string
  /** When it came into being. */
  created_at: string
  balances: {
    BRL: Balance
    MXN: Balance
    USDT: Balance
    USDC: Balance
    BTC: Balance
    ETH: Balance
    SOL: Balance
    BNB: Balance
  }
  /** At least one */
  credentials: [Credential, ...Array<Credential>]
}

export type ActionName =
  | 'cashin.pay'
  | 'cashin.expire'
  | 'cashin.refund'
  | 'cashout.confirm'
  | 'cashout.fail'
  | 'cashout.refund'
  | 'conversion.refund'
  | 'wallet.deposit'
  | 'dispute.open'
  | 'dispute.respond'
  | 'dispute.confirm'
  | 'dispute.win'
  | 'dispute.lose'
  | 'dispute.cancel'

export interface ActivitySpan {
  /** When it begins */
  at: string
  /** Charges paid, deposits, withdrawals that came back */
  in: { [Name in 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB']?: string | undefined }
  /** Withdrawals settled, charges returned */
  out: { [Name in 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB']?: string | undefined }
  /** Attempts that a receiver acknowledged */
  delivered: number
  /** Attempts that failed */
  failed: number
}

export interface Advanced {
  now: string
  /** In order, without what is in flight */
  ran: Array<RanJob>
  next_due: string | null
  /** Everything due up to the target has run, and every webhook of it has been answered */
  complete: boolean
  /** It ended before that. Where neither this nor `complete` is true, it continues */
  canceled: boolean
  /** Webhooks whose answers the clock waits for */
  in_flight: Array<JobInFlight>
}

export interface Arm {
  scenario: string
  /** null: whoever calls */
  account: string | null
  /** How many calls it still takes; null: every one */
  times: number | null
  armed_at: string
}

export interface Balance {
  /** What can be spent. */
  available: string
  /** What disputes hold back. */
  blocked: string
  /** What is on its way out. */
  pending: string
}

export interface CallWarning {
  /** `unknown_field`: The body, at any depth, or the query has a name that the endpoint does not know. The value has no effect. A known name within two edits is suggested. `token_per_call`: A token is requested although each of the last 2 tokens of the same client was used for one call only and had not expired. `no_external_id`: A call that creates something leaves out an optional `external_id`, so that it cannot be repeated safely. `duplicate_header`: A header that takes one value was sent more than once. */
  code: 'unknown_field' | 'token_per_call' | 'no_external_id' | 'duplicate_header'
  /** A sentence, with the name that was probably meant */
  message: string
  /** The field, query parameter or header */
  field?: string | undefined
}

export interface CashinTransaction {
  /** Identifier of the transaction. */
  transaction_id: string
  /** The caller's own identifier; the same one again returns the same object. */
  external_id: string | null
  /** `dynamic_qr` for charges, `static` for deposits to fixed wallets. */
  source: string | null
  /** Currency of the amount. */
  currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Kind of the currency. */
  currency_type: 'fiat' | 'crypto'
  /** Network that carries the money. */
  network:
    | 'PIX'
    | 'SPEI'
    | 'SOLANA'
    | 'TRC20'
    | 'ERC20'
    | 'BEP20'
    | 'POLYGON'
    | 'SPL'
    | 'BITCOIN'
    | 'ARBITRUM'
    | 'BASE'
    | 'OPTIMISM'
    | null
  /** Amount in the currency of the operation. */
  amount: string
  /** Fee charged. */
  fee: string
  /** When it came into being. */
  created_at: string
  /** When its state last changed. */
  updated_at: string
  type: 'cashin'
  status: 'pending' | 'confirmed' | 'expired' | 'refunded'
  /** Rail of the charge. */
  payment_method: 'pix' | 'spei' | 'crypto'
  /** How to pay: fields depend on payment_method. */
  payment_info:
    | {
        /** PIX copy-and-paste payload (BR Code). */
        qrcode: string
        /** Seconds until it expires. */
        expiration: number
        /** When it expires. */
        expires_at: string
      }
    | {
        /** Where to pay to: a PIX key, a CLABE, or an on-chain address. */
        address: string
        /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
        chain: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | 'arbitrum' | 'base' | 'optimism'
        /** Network that carries the money. */
        network:
          | 'PIX'
          | 'SPEI'
          | 'SOLANA'
          | 'TRC20'
          | 'ERC20'
          | 'BEP20'
          | 'POLYGON'
          | 'SPL'
          | 'BITCOIN'
          | 'ARBITRUM'
          | 'BASE'
          | 'OPTIMISM'
        /** Blocks until a payment counts. */
        min_confirmations: number
        /** Seconds until it expires. */
        expiration: number
        /** When it expires. */
        expires_at: string
      }
    | {
        /** Bank account number to pay to by SPEI, 18 digits. */
        clabe: string
        /** Code of the bank. */
        bank_code: string | null
        /** Name of the bank. */
        bank_name: string | null
        /** Name that the transfer is made out to. */
        beneficiary_name: string
        /** Reference to quote in the transfer. */
        reference: string
      }
    | null
  /** PIX end-to-end id. */
  e2e_id: string | null
  /** Tracking key of the SPEI transfer. */
  tracking_key: string | null
  /** PIX end-to-end id or on-chain transaction hash. */
  hash: string | null
  /** Who pays. */
  payer: {
    name: string | null
    /** CPF or CNPJ. */
    document: string | null
    /** E-mail address. */
    email?: string | null | undefined
  } | null
  /** Identifier of the fixed wallet. */
  wallet_id?: number | undefined
  /** Destination key or address. */
  wallet?: string | undefined
  /** Amount that went back. */
  amount_refunded?: string | undefined
  /** The reason given. */
  reason?: string | undefined
  postback_url: string | null
  /** The username of the account that it belongs to */
  account: string
  /** Where the payer would pay it: a page for people */
  pay_url: string
}

export interface CashoutTransaction {
  /** Identifier of the transaction. */
  transaction_id: string
  /** The caller's own identifier; the same one again returns the same object. */
  external_id: string | null
  /** `dynamic_qr` for charges, `static` for deposits to fixed wallets. */
  source: string | null
  /** Currency of the amount. */
  currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Kind of the currency. */
  currency_type: 'fiat' | 'crypto'
  /** Network that carries the money. */
  network:
    | 'PIX'
    | 'SPEI'
    | 'SOLANA'
    | 'TRC20'
    | 'ERC20'
    | 'BEP20'
    | 'POLYGON'
    | 'SPL'
    | 'BITCOIN'
    | 'ARBITRUM'
    | 'BASE'
    | 'OPTIMISM'
    | null
  /** Amount in the currency of the operation. */
  amount: string
  /** Fee charged. */
  fee: string
  /** When it came into being. */
  created_at: string
  /** When its state last changed. */
  updated_at: string
  type: 'cashout'
  status: 'pending' | 'confirmed' | 'failed' | 'refunded'
  /** Destination key or address. */
  wallet: string | null
  /** Kind of the PIX key. */
  key_type: string | null
  /** PIX end-to-end id. */
  e2e_id: string | null
  /** Tracking key of the SPEI transfer. */
  tracking_key: string | null
  /** PIX end-to-end id or on-chain transaction hash. */
  hash: string | null
  /** Who received the money. */
  receiver: {
    name: string | null
    /** CPF or CNPJ. */
    document: string | null
    bank: string | null
  } | null
  error_code:
    | 'TRON_ENERGY_FAIL'
    | 'INSUFFICIENT_BALANCE'
    | 'NO_HOT_WALLET'
    | 'INVALID_ADDRESS'
    | 'BLACKLISTED'
    | 'BLOCKCHAIN_REVERT'
    | 'BROADCAST_FAIL'
    | 'PIX_KEY_NOT_FOUND'
    | 'PROVIDER_TIMEOUT'
    | 'UNKNOWN'
    | null
  /** The reason in words. */
  error_message: string | null
  /** Amount that went back. */
  amount_refunded?: string | undefined
  /** The reason given. */
  reason?: string | undefined
  postback_url: string | null
  /** The username of the account that it belongs to */
  account: string
}

export interface Certificate {
  /** `right`: no rule is broken, warnings aside */
  verdict: 'right' | 'broken'
  rules: Array<CertifiedRule>
  /** The rules that one broken rule kept from being tested, in groups */
  not_tested: Array<{
    blocked_by:
      | 'accept.signed'
      | 'accept.raw-body'
      | 'signature.checked'
      | 'signature.required'
      | 'signature.key'
      | 'signature.whole'
      | 'signature.encoding'
      | 'timestamp.old'
      | 'timestamp.ahead'
      | 'timestamp.number'
      | 'timestamp.tolerance'
      | 'refuse.status'
      | 'refuse.no-trace'
      | 'answer.in-time'
      | 'answer.soon'
      | 'answer.many'
      | 'answer.beside-slow'
      | 'events.all'
      | 'events.rails'
      | 'events.unknown'
      | 'events.more-fields'
      | 'effect.applied'
      | 'amounts.exact'
      | 'missed.late'
      | 'duplicate.answered'
      | 'duplicate.in-a-row'
      | 'duplicate.at-once'
      | 'duplicate.later'
      | 'different.event'
      | 'different.kind'
      | 'order.refund-first'
      | 'order.expired-late'
      | 'order.dispute'
      | 'retry.after-failure'
      | 'durable.restart'
      | 'production.sandbox'
      | 'production.https'
    /** The reason given. */
    reason: string
    rules: Array<
      | 'accept.signed'
      | 'accept.raw-body'
      | 'signature.checked'
      | 'signature.required'
      | 'signature.key'
      | 'signature.whole'
      | 'signature.encoding'
      | 'timestamp.old'
      | 'timestamp.ahead'
      | 'timestamp.number'
      | 'timestamp.tolerance'
      | 'refuse.status'
      | 'refuse.no-trace'
      | 'answer.in-time'
      | 'answer.soon'
      | 'answer.many'
      | 'answer.beside-slow'
      | 'events.all'
      | 'events.rails'
      | 'events.unknown'
      | 'events.more-fields'
      | 'effect.applied'
      | 'amounts.exact'
      | 'missed.late'
      | 'duplicate.answered'
      | 'duplicate.in-a-row'
      | 'duplicate.at-once'
      | 'duplicate.later'
      | 'different.event'
      | 'different.kind'
      | 'order.refund-first'
      | 'order.expired-late'
      | 'order.dispute'
      | 'retry.after-failure'
      | 'durable.restart'
      | 'production.sandbox'
      | 'production.https'
    >
  }>
}

export interface CertifiedRule {
  id:
    | 'accept.signed'
    | 'accept.raw-body'
    | 'signature.checked'
    | 'signature.required'
    | 'signature.key'
    | 'signature.whole'
    | 'signature.encoding'
    | 'timestamp.old'
    | 'timestamp.ahead'
    | 'timestamp.number'
    | 'timestamp.tolerance'
    | 'refuse.status'
    | 'refuse.no-trace'
    | 'answer.in-time'
    | 'answer.soon'
    | 'answer.many'
    | 'answer.beside-slow'
    | 'events.all'
    | 'events.rails'
    | 'events.unknown'
    | 'events.more-fields'
    | 'effect.applied'
    | 'amounts.exact'
    | 'missed.late'
    | 'duplicate.answered'
    | 'duplicate.in-a-row'
    | 'duplicate.at-once'
    | 'duplicate.later'
    | 'different.event'
    | 'different.kind'
    | 'order.refund-first'
    | 'order.expired-late'
    | 'order.dispute'
    | 'retry.after-failure'
    | 'durable.restart'
    | 'production.sandbox'
    | 'production.https'
  /** What the receiver has to do */
  duty: string
  /** The part of the interface, and its sentence */
  source: string
  /** A warning is no reason to fail */
  severity: 'error' | 'warning'
  /** `unseen`: nothing could be told, and `seen` says why */
  result: 'holds' | 'broken' | 'unseen'
  seen: string
  tried: string
  /** What to do; depends on what was observed */
  mend: string
  /** The call that showed it, where one did */
  evidence: {
    request: {
      url: string
      headers: Record<string, string>
      body: string
    }
    answer: {
      outcome:
        | 'ok'
        | 'http_error'
        | 'timeout'
        | 'connect_timeout'
        | 'refused'
        | 'reset'
        | 'dns'
        | 'tls'
        | 'insecure_url'
        | 'no_url'
      status: number | null
      body: string | null
      duration_ms: number
    }
  } | null
  /** The broken rule that kept this one from being tested */
  blocked_by?:
    | 'accept.signed'
    | 'accept.raw-body'
    | 'signature.checked'
    | 'signature.required'
    | 'signature.key'
    | 'signature.whole'
    | 'signature.encoding'
    | 'timestamp.old'
    | 'timestamp.ahead'
    | 'timestamp.number'
    | 'timestamp.tolerance'
    | 'refuse.status'
    | 'refuse.no-trace'
    | 'answer.in-time'
    | 'answer.soon'
    | 'answer.many'
    | 'answer.beside-slow'
    | 'events.all'
    | 'events.rails'
    | 'events.unknown'
    | 'events.more-fields'
    | 'effect.applied'
    | 'amounts.exact'
    | 'missed.late'
    | 'duplicate.answered'
    | 'duplicate.in-a-row'
    | 'duplicate.at-once'
    | 'duplicate.later'
    | 'different.event'
    | 'different.kind'
    | 'order.refund-first'
    | 'order.expired-late'
    | 'order.dispute'
    | 'retry.after-failure'
    | 'durable.restart'
    | 'production.sandbox'
    | 'production.https'
    | undefined
}

export interface ClockReading {
  now: string
  mode: 'realtime' | 'manual'
  /** When the next job is due */
  next_due: string | null
  /** How many jobs wait */
  due: number
  /** An advance that is under way, with the webhooks whose answers it waits for; null: none */
  advancing: {
    in_flight: Array<JobInFlight>
  } | null
}

export interface ClockState {
  now: string
  mode: 'realtime' | 'manual'
}

export interface ConversionTransaction {
  /** Identifier of the transaction. */
  transaction_id: string
  /** The caller's own identifier; the same one again returns the same object. */
  external_id: string | null
  /** `dynamic_qr` for charges, `static` for deposits to fixed wallets. */
  source: string | null
  /** Currency of the amount. */
  currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Kind of the currency. */
  currency_type: 'fiat' | 'crypto'
  /** Network that carries the money. */
  network:
    | 'PIX'
    | 'SPEI'
    | 'SOLANA'
    | 'TRC20'
    | 'ERC20'
    | 'BEP20'
    | 'POLYGON'
    | 'SPL'
    | 'BITCOIN'
    | 'ARBITRUM'
    | 'BASE'
    | 'OPTIMISM'
    | null
  /** Amount in the currency of the operation. */
  amount: string
  /** Fee charged. */
  fee: string
  /** When it came into being. */
  created_at: string
  /** When its state last changed. */
  updated_at: string
  type: 'conversion'
  status: 'completed' | 'refunded'
  /** Identifier of the conversion. */
  conversion_id: string
  /** Amount that left the source balance. */
  amount_from: string
  /** Source currency. */
  currency_from: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Amount that reached the destination balance. */
  amount_to: string
  /** Destination currency. */
  currency_to: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** What one unit of the source currency buys. */
  rate: string
  /** When the conversion was carried out. */
  completed_at: string
  postback_url: string | null
  /** The username of the account that it belongs to */
  account: string
}

export interface Credential {
  client_id: string
  client_secret: string
  signing_key: string
  webhook_secret: string
  /** Where its webhooks go */
  postback_url: string | null
  active: boolean
}

export type Currency = 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'

export interface Dispute {
  /** Identifier of the dispute. */
  infraction_id: string
  /** Identifier of the transaction. */
  transaction_id: string
  type: string
  status: 'open' | 'responded' | 'confirmed' | 'won' | 'lost' | 'canceled'
  /** Amount in the currency of the operation. */
  amount: string
  /** Currency of the amount. */
  currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** PIX end-to-end id. */
  e2e_id: string
  /** The reason given. */
  reason: string
  /** Until when the dispute can be answered: 7 days after it was opened. */
  deadline_at: string
  /** When it came into being. */
  created_at: string
  /** When it was decided. */
  resolved_at: string | null
  /** The username of the account that it belongs to */
  account: string
}

export interface DisputeInFull {
  /** Identifier of the dispute. */
  infraction_id: string
  /** Identifier of the transaction. */
  transaction_id: string
  type: string
  status: 'open' | 'responded' | 'confirmed' | 'won' | 'lost' | 'canceled'
  /** Amount in the currency of the operation. */
  amount: string
  /** Currency of the amount. */
  currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** PIX end-to-end id. */
  e2e_id: string
  /** The reason given. */
  reason: string
  /** Until when the dispute can be answered: 7 days after it was opened. */
  deadline_at: string
  /** When it came into being. */
  created_at: string
  /** When it was decided. */
  resolved_at: string | null
  /** The username of the account that it belongs to */
  account: string
  history: Array<HistoryEntry>
  events: Array<WebhookSummary>
  ledger: Array<Posting>
  /** Actions that would work now */
  allowed: Array<ActionName>
  /** What the merchant replied. */
  replies: Array<{
    /** Identifier of the reply. */
    reply_id: number
    message: string
    /** The files of the reply. */
    files: Array<{
      name: string
      /** Bytes. */
      size: number
      type: string
      /** SHA-256 of the file, in hex. */
      sha256: string
    }>
    /** When it came into being. */
    created_at: string
  }>
}

export type EventName =
  | 'cashin.confirmed'
  | 'cashin.refunded'
  | 'cashin.expired'
  | 'cashout.confirmed'
  | 'cashout.failed'
  | 'cashout.refunded'
  | 'transfer.confirmed'
  | 'conversion.confirmed'
  | 'conversion.refunded'
  | 'wallet.created'
  | 'chargeback.opened'
  | 'chargeback.responded'
  | 'chargeback.confirmed'
  | 'chargeback.won'
  | 'chargeback.lost'
  | 'chargeback.canceled'

export interface Health {
  status: 'ok'
  version?: string | undefined
  workspace?: string | undefined
  clock?: ClockState | undefined
  database_driver?: 'better-sqlite3' | 'node' | 'durable-object' | undefined
  /** What it runs in; absent in a Durable Object */
  process?:
    | {
        pid: number
        started_at: string
      }
    | undefined
  hosted?: Hosted | undefined
}

export interface HistoryEntry {
  action:
    | 'create'
    | 'pay'
    | 'deposit'
    | 'expire'
    | 'refund'
    | 'lose_dispute'
    | 'confirm'
    | 'fail'
    | 'receive'
    | 'open'
    | 'respond'
    | 'win'
    | 'lose'
    | 'cancel'
  /** null: it came into being */
  from:
    | 'pending'
    | 'confirmed'
    | 'expired'
    | 'refunded'
    | 'failed'
    | 'completed'
    | 'created'
    | 'open'
    | 'responded'
    | 'won'
    | 'lost'
    | 'canceled'
    | null
  to:
    | 'pending'
    | 'confirmed'
    | 'expired'
    | 'refunded'
    | 'failed'
    | 'completed'
    | 'created'
    | 'open'
    | 'responded'
    | 'won'
    | 'lost'
    | 'canceled'
  at: string
}

export interface Hosted {
  /** When it is deleted, unless somebody uses it before */
  deleted_at: string
  /** One row for each currency and operation. */
  limits: {
    calls_per_second: number
    /** Of each address that is not authenticated */
    stranger_calls_per_minute: number
    storage_bytes: number
    webhooks_per_minute: number
    certifications_per_hour: number
    snapshots: number
  }
  /** What it takes now */
  storage_bytes: number
}

export interface Inbox {
  name: string
  /** What to set as `postback_url` */
  url: string
  /** How many it holds */
  messages: number
  last_received_at: string | null
}

export interface InboxMessage {
  headers: Record<string, string>
  /** The value of the JSON text; null if it is not JSON, is nested deeper than 32 levels or holds more than 10,000 values: `raw` has the text then */
  body: unknown
  /** The text exactly as it came */
  raw: string
  /** null: it came without a signature */
  signature_valid: boolean | null
  received_at: string
}

export interface JobInFlight {
  at: string
  job: 'deliver'
  id: string
  event: EventName
  /** Whose answer the clock waits for */
  url: string | null
}

export interface Ledger {
  balanced: boolean
  accounts: Array<{
    /** Name of an account of the service. */
    username: string
    currency: Currency
    /** What can be spent. */
    available: string
    /** What disputes hold back. */
    blocked: string
    /** What is on its way out. */
    pending: string
  }>
}

export interface LoggedCall {
  /** The `X-Request-Id` of its answer */
  request_id: string
  at: string
  method: string
  path: string
  /** 0: the connection was dropped */
  status: number
  error_code: string | null
  duration_ms: number
  credential: string | null
  account: string | null
  /** The scenario that took this call */
  scenario?: string | undefined
  /** What it did to the call */
  faults?: Array<string> | undefined
  /** Probable mistakes that are no errors */
  warnings: Array<CallWarning>
}

export interface LoggedCallInFull {
  /** The `X-Request-Id` of its answer */
  request_id: string
  at: string
  method: string
  path: string
  /** 0: the connection was dropped */
  status: number
  error_code: string | null
  duration_ms: number
  credential: string | null
  account: string | null
  /** The scenario that took this call */
  scenario?: string | undefined
  /** What it did to the call */
  faults?: Array<string> | undefined
  /** Probable mistakes that are no errors */
  warnings: Array<CallWarning>
  /** Secrets are masked */
  request_headers: Record<string, string>
  /** Secrets are masked; of a form its fields, and what its files were */
  request_body: string | null
  /** Those that the sandbox sets itself */
  response_headers: Record<string, string>
  /** Secrets are masked */
  response_body: string | null
  /** Of a signed route */
  signature?: SignatureReport | undefined
}

export interface NearMiss {
  request_id: string
  differs: Array<{
    /** `status`, `body.amount`, `headers.x-nonce`, … */
    field: string
    expected: unknown
    /** null: it is not there */
    received: unknown
  }>
}

export interface Posting {
  /** Postings of one entry sum to zero */
  entry: number
  /** A username, or `platform` */
  account: string
  bucket: 'available' | 'blocked' | 'pending' | 'rail' | 'fees'
  currency: Currency
  /** Amount in the currency of the operation. */
  amount: string
  memo: string
  at: string
}

export interface RanJob {
  at: string
  job: 'expire' | 'settle' | 'deliver' | 'deadline' | 'scenario'
  id: string
}

export interface Run {
  id: string
  scenario: string
  status: 'running' | 'passed' | 'failed' | 'canceled'
  started_by: 'run' | 'armed' | 'header'
  account: string
  steps: Array<{
    step:
      | 'cashin.pay'
      | 'cashin.expire'
      | 'cashin.refund'
      | 'cashout.confirm'
      | 'cashout.fail'
      | 'cashout.refund'
      | 'conversion.refund'
      | 'wallet.deposit'
      | 'dispute.open'
      | 'dispute.respond'
      | 'dispute.confirm'
      | 'dispute.win'
      | 'dispute.lose'
      | 'dispute.cancel'
      | 'create'
      | 'wait'
      | 'expect'
      | 'respond'
      | 'latency'
      | 'disconnect'
      | 'webhooks'
    /** What the step says, names of `vars` as they stand in it */
    params: unknown
    status: 'pending' | 'running' | 'passed' | 'failed' | 'skipped' | 'canceled'
    at: string | null
    detail: string | null
  }>
  vars: Record<string, string | number | boolean | null>
  started_at: string
  finished_at: string | null
}

export interface Scenario {
  name: string
  title: string
  /** Free text. */
  description: string | null
  /** What it is about: an operation, disputes, how webhooks come, what calls are answered */
  about: 'cashin' | 'cashout' | 'transfer' | 'conversion' | 'wallet' | 'dispute' | 'webhooks' | 'answers' | 'mixed'
  origin: 'built-in' | 'folder' | 'uploaded'
  /** Of one from the folder */
  file?: string | undefined
  /** Which calls it catches when armed; null: it can only be run */
  on: {
    /** What the row is about. */
    operation:
      | 'cashin'
      | 'cashout'
      | 'transfer'
      | 'conversion'
      | 'wallet'
      | 'dispute_reply'
      | 'POST /v2/oauth/token'
      | 'POST /v2/transactions/cashin'
      | 'POST /v2/transactions/wallet'
      | 'POST /v2/transactions/cashout'
      | 'POST /v2/pix/payment'
      | 'POST /v2/internal_transfers/payment'
      | 'POST /v2/conversions/rate'
      | 'POST /v2/conversions/simulate'
      | 'POST /v2/conversions/new'
      | 'POST /v2/account/transactions/list'
      | 'GET /v2/account/balance'
      | 'GET /v2/account/profile'
      | 'GET /v2/account/limits'
      | 'GET /v2/account/fees'
      | 'GET /v2/account/infractions'
      | 'GET /v2/account/infractions/detail'
      | 'POST /v2/account/infractions/reply'
    /** What the request must say */
    where?: Record<string, string | number | boolean | null | Array<string | number | boolean>> | undefined
  } | null
  times: number | null
  params: Record<string, string | number | boolean>
  step_count: number | null
  outcome_count: number | null
  armed: Array<Arm>
  settle: 'auto' | 'manual'
  steps: Array<Record<string, unknown>> | null
  outcomes: Array<{
    title: string
    on: {
      /** What the row is about. */
      operation:
        | 'cashin'
        | 'cashout'
        | 'transfer'
        | 'conversion'
        | 'wallet'
        | 'dispute_reply'
        | 'POST /v2/oauth/token'
        | 'POST /v2/transactions/cashin'
        | 'POST /v2/transactions/wallet'
        | 'POST /v2/transactions/cashout'
        | 'POST /v2/pix/payment'
        | 'POST /v2/internal_transfers/payment'
        | 'POST /v2/conversions/rate'
        | 'POST /v2/conversions/simulate'
        | 'POST /v2/conversions/new'
        | 'POST /v2/account/transactions/list'
        | 'GET /v2/account/balance'
        | 'GET /v2/account/profile'
        | 'GET /v2/account/limits'
        | 'GET /v2/account/fees'
        | 'GET /v2/account/infractions'
        | 'GET /v2/account/infractions/detail'
        | 'POST /v2/account/infractions/reply'
      /** What the request must say */
      where?: Record<string, string | number | boolean | null | Array<string | number | boolean>> | undefined
    }
    steps: Array<Record<string, unknown>>
  }> | null
  /** All of it as a file */
  yaml: string
}

export interface ScenarioSummary {
  name: string
  title: string
  /** Free text. */
  description: string | null
  /** What it is about: an operation, disputes, how webhooks come, what calls are answered */
  about: 'cashin' | 'cashout' | 'transfer' | 'conversion' | 'wallet' | 'dispute' | 'webhooks' | 'answers' | 'mixed'
  origin: 'built-in' | 'folder' | 'uploaded'
  /** Of one from the folder */
  file?: string | undefined
  /** Which calls it catches when armed; null: it can only be run */
  on: {
    /** What the row is about. */
    operation:
      | 'cashin'
      | 'cashout'
      | 'transfer'
      | 'conversion'
      | 'wallet'
      | 'dispute_reply'
      | 'POST /v2/oauth/token'
      | 'POST /v2/transactions/cashin'
      | 'POST /v2/transactions/wallet'
      | 'POST /v2/transactions/cashout'
      | 'POST /v2/pix/payment'
      | 'POST /v2/internal_transfers/payment'
      | 'POST /v2/conversions/rate'
      | 'POST /v2/conversions/simulate'
      | 'POST /v2/conversions/new'
      | 'POST /v2/account/transactions/list'
      | 'GET /v2/account/balance'
      | 'GET /v2/account/profile'
      | 'GET /v2/account/limits'
      | 'GET /v2/account/fees'
      | 'GET /v2/account/infractions'
      | 'GET /v2/account/infractions/detail'
      | 'POST /v2/account/infractions/reply'
    /** What the request must say */
    where?: Record<string, string | number | boolean | null | Array<string | number | boolean>> | undefined
  } | null
  times: number | null
  params: Record<string, string | number | boolean>
  step_count: number | null
  outcome_count: number | null
  armed: Array<Arm>
}

export interface SearchHit {
  kind: 'transaction' | 'dispute' | 'wallet' | 'webhook'
  id: string
  /** The kind of transaction, or the event */
  title: string
  status: string | null
  /** Amount in the currency of the operation. */
  amount: string | null
  /** Currency of the amount. */
  currency: Currency | null
  matched: 'id' | 'external_id' | 'payer' | 'receiver' | 'proof' | 'destination' | 'address' | 'e2e_id' | 'event'
  /** What stands in the field that matched */
  value: string
  at: string
}

export interface SignatureReport {
  verdict: 'valid' | 'invalid' | 'missing' | 'bad_timestamp' | 'replayed'
  /** As the sandbox put it together */
  string_to_sign: string
  expected: string
  received: string
  /** Which known mistake gives what was received */
  hint: string | null
}

export interface Snapshot {
  name: string
  size_bytes: number
  /** When it came into being. */
  created_at: string
}

export interface SnapshotAndClock {
  name: string
  size_bytes: number
  /** When it came into being. */
  created_at: string
  clock: ClockState
}

export interface SnapshotFile {
  format: 'payments-sandbox snapshot'
  /** Of the form of the file */
  version: number
  /** Of the tables */
  schema: number
  tables: Record<
    string,
    {
      columns: Array<string>
      rows: Array<Array<string | number | null>>
    }
  >
  /** Of the JSON text of `[version, schema, tables]` */
  sha256: string
}

export type Transaction = CashinTransaction | CashoutTransaction | TransferTransaction | ConversionTransaction

export type TransactionInFull =
  | {
      /** Identifier of the transaction. */
      transaction_id: string
      /** The caller's own identifier; the same one again returns the same object. */
      external_id: string | null
      /** `dynamic_qr` for charges, `static` for deposits to fixed wallets. */
      source: string | null
      /** Currency of the amount. */
      currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
      /** Kind of the currency. */
      currency_type: 'fiat' | 'crypto'
      /** Network that carries the money. */
      network:
        | 'PIX'
        | 'SPEI'
        | 'SOLANA'
        | 'TRC20'
        | 'ERC20'
        | 'BEP20'
        | 'POLYGON'
        | 'SPL'
        | 'BITCOIN'
        | 'ARBITRUM'
        | 'BASE'
        | 'OPTIMISM'
        | null
      /** Amount in the currency of the operation. */
      amount: string
      /** Fee charged. */
      fee: string
      /** When it came into being. */
      created_at: string
      /** When its state last changed. */
      updated_at: string
      type: 'cashin'
      status: 'pending' | 'confirmed' | 'expired' | 'refunded'
      /** Rail of the charge. */
      payment_method: 'pix' | 'spei' | 'crypto'
      /** How to pay: fields depend on payment_method. */
      payment_info:
        | {
            /** PIX copy-and-paste payload (BR Code). */
            qrcode: string
            /** Seconds until it expires. */
            expiration: number
            /** When it expires. */
            expires_at: string
          }
        | {
            /** Where to pay to: a PIX key, a CLABE, or an on-chain address. */
            address: string
            /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
            chain: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | 'arbitrum' | 'base' | 'optimism'
            /** Network that carries the money. */
            network:
              | 'PIX'
              | 'SPEI'
              | 'SOLANA'
              | 'TRC20'
              | 'ERC20'
              | 'BEP20'
              | 'POLYGON'
              | 'SPL'
              | 'BITCOIN'
              | 'ARBITRUM'
              | 'BASE'
              | 'OPTIMISM'
            /** Blocks until a payment counts. */
            min_confirmations: number
            /** Seconds until it expires. */
            expiration: number
            /** When it expires. */
            expires_at: string
          }
        | {
            /** Bank account number to pay to by SPEI, 18 digits. */
            clabe: string
            /** Code of the bank. */
            bank_code: string | null
            /** Name of the bank. */
            bank_name: string | null
            /** Name that the transfer is made out to. */
            beneficiary_name: string
            /** Reference to quote in the transfer. */
            reference: string
          }
        | null
      /** PIX end-to-end id. */
      e2e_id: string | null
      /** Tracking key of the SPEI transfer. */
      tracking_key: string | null
      /** PIX end-to-end id or on-chain transaction hash. */
      hash: string | null
      /** Who pays. */
      payer: {
        name: string | null
        /** CPF or CNPJ. */
        document: string | null
        /** E-mail address. */
        email?: string | null | undefined
      } | null
      /** Identifier of the fixed wallet. */
      wallet_id?: number | undefined
      /** Destination key or address. */
      wallet?: string | undefined
      /** Amount that went back. */
      amount_refunded?: string | undefined
      /** The reason given. */
      reason?: string | undefined
      postback_url: string | null
      /** The username of the account that it belongs to */
      account: string
      /** Where the payer would pay it: a page for people */
      pay_url: string
      history: Array<HistoryEntry>
      events: Array<WebhookSummary>
      ledger: Array<Posting>
      /** Actions that would work now */
      allowed: Array<ActionName>
    }
  | {
      /** Identifier of the transaction. */
      transaction_id: string
      /** The caller's own identifier; the same one again returns the same object. */
      external_id: string | null
      /** `dynamic_qr` for charges, `static` for deposits to fixed wallets. */
      source: string | null
      /** Currency of the amount. */
      currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
      /** Kind of the currency. */
      currency_type: 'fiat' | 'crypto'
      /** Network that carries the money. */
      network:
        | 'PIX'
        | 'SPEI'
        | 'SOLANA'
        | 'TRC20'
        | 'ERC20'
        | 'BEP20'
        | 'POLYGON'
        | 'SPL'
        | 'BITCOIN'
        | 'ARBITRUM'
        | 'BASE'
        | 'OPTIMISM'
        | null
      /** Amount in the currency of the operation. */
      amount: string
      /** Fee charged. */
      fee: string
      /** When it came into being. */
      created_at: string
      /** When its state last changed. */
      updated_at: string
      type: 'cashout'
      status: 'pending' | 'confirmed' | 'failed' | 'refunded'
      /** Destination key or address. */
      wallet: string | null
      /** Kind of the PIX key. */
      key_type: string | null
      /** PIX end-to-end id. */
      e2e_id: string | null
      /** Tracking key of the SPEI transfer. */
      tracking_key: string | null
      /** PIX end-to-end id or on-chain transaction hash. */
      hash: string | null
      /** Who received the money. */
      receiver: {
        name: string | null
        /** CPF or CNPJ. */
        document: string | null
        bank: string | null
      } | null
      error_code:
        | 'TRON_ENERGY_FAIL'
        | 'INSUFFICIENT_BALANCE'
        | 'NO_HOT_WALLET'
        | 'INVALID_ADDRESS'
        | 'BLACKLISTED'
        | 'BLOCKCHAIN_REVERT'
        | 'BROADCAST_FAIL'
        | 'PIX_KEY_NOT_FOUND'
        | 'PROVIDER_TIMEOUT'
        | 'UNKNOWN'
        | null
      /** The reason in words. */
      error_message: string | null
      /** Amount that went back. */
      amount_refunded?: string | undefined
      /** The reason given. */
      reason?: string | undefined
      postback_url: string | null
      /** The username of the account that it belongs to */
      account: string
      history: Array<HistoryEntry>
      events: Array<WebhookSummary>
      ledger: Array<Posting>
      /** Actions that would work now */
      allowed: Array<ActionName>
    }
  | {
      /** Identifier of the transaction. */
      transaction_id: string
      /** The caller's own identifier; the same one again returns the same object. */
      external_id: string | null
      /** `dynamic_qr` for charges, `static` for deposits to fixed wallets. */
      source: string | null
      /** Currency of the amount. */
      currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
      /** Kind of the currency. */
      currency_type: 'fiat' | 'crypto'
      /** Network that carries the money. */
      network:
        | 'PIX'
        | 'SPEI'
        | 'SOLANA'
        | 'TRC20'
        | 'ERC20'
        | 'BEP20'
        | 'POLYGON'
        | 'SPL'
        | 'BITCOIN'
        | 'ARBITRUM'
        | 'BASE'
        | 'OPTIMISM'
        | null
      /** Amount in the currency of the operation. */
      amount: string
      /** Fee charged. */
      fee: string
      /** When it came into being. */
      created_at: string
      /** When its state last changed. */
      updated_at: string
      type: 'transfer'
      status: 'confirmed'
      /** Whether this account sent or received. */
      direction: 'sent' | 'received'
      /** Username of the sender. */
      from_user: string
      /** Username of the recipient. */
      to_user: string
      /** Free text. */
      description: string | null
      postback_url: string | null
      /** The username of the account that it belongs to */
      account: string
      history: Array<HistoryEntry>
      events: Array<WebhookSummary>
      ledger: Array<Posting>
      /** Actions that would work now */
      allowed: Array<ActionName>
    }
  | {
      /** Identifier of the transaction. */
      transaction_id: string
      /** The caller's own identifier; the same one again returns the same object. */
      external_id: string | null
      /** `dynamic_qr` for charges, `static` for deposits to fixed wallets. */
      source: string | null
      /** Currency of the amount. */
      currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
      /** Kind of the currency. */
      currency_type: 'fiat' | 'crypto'
      /** Network that carries the money. */
      network:
        | 'PIX'
        | 'SPEI'
        | 'SOLANA'
        | 'TRC20'
        | 'ERC20'
        | 'BEP20'
        | 'POLYGON'
        | 'SPL'
        | 'BITCOIN'
        | 'ARBITRUM'
        | 'BASE'
        | 'OPTIMISM'
        | null
      /** Amount in the currency of the operation. */
      amount: string
      /** Fee charged. */
      fee: string
      /** When it came into being. */
      created_at: string
      /** When its state last changed. */
      updated_at: string
      type: 'conversion'
      status: 'completed' | 'refunded'
      /** Identifier of the conversion. */
      conversion_id: string
      /** Amount that left the source balance. */
      amount_from: string
      /** Source currency. */
      currency_from: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
      /** Amount that reached the destination balance. */
      amount_to: string
      /** Destination currency. */
      currency_to: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
      /** What one unit of the source currency buys. */
      rate: string
      /** When the conversion was carried out. */
      completed_at: string
      postback_url: string | null
      /** The username of the account that it belongs to */
      account: string
      history: Array<HistoryEntry>
      events: Array<WebhookSummary>
      ledger: Array<Posting>
      /** Actions that would work now */
      allowed: Array<ActionName>
    }

export interface TransferTransaction {
  /** Identifier of the transaction. */
  transaction_id: string
  /** The caller's own identifier; the same one again returns the same object. */
  external_id: string | null
  /** `dynamic_qr` for charges, `static` for deposits to fixed wallets. */
  source: string | null
  /** Currency of the amount. */
  currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Kind of the currency. */
  currency_type: 'fiat' | 'crypto'
  /** Network that carries the money. */
  network:
    | 'PIX'
    | 'SPEI'
    | 'SOLANA'
    | 'TRC20'
    | 'ERC20'
    | 'BEP20'
    | 'POLYGON'
    | 'SPL'
    | 'BITCOIN'
    | 'ARBITRUM'
    | 'BASE'
    | 'OPTIMISM'
    | null
  /** Amount in the currency of the operation. */
  amount: string
  /** Fee charged. */
  fee: string
  /** When it came into being. */
  created_at: string
  /** When its state last changed. */
  updated_at: string
  type: 'transfer'
  status: 'confirmed'
  /** Whether this account sent or received. */
  direction: 'sent' | 'received'
  /** Username of the sender. */
  from_user: string
  /** Username of the recipient. */
  to_user: string
  /** Free text. */
  description: string | null
  postback_url: string | null
  /** The username of the account that it belongs to */
  account: string
}

export type TriggerRequest =
  | {
      /** Who pays (default: the payer of the charge, or a generated one) */
      payer?:
        | {
            name?: string | undefined
            /** CPF or CNPJ. */
            document?: string | undefined
          }
        | undefined
      /** The amount received (crypto, SPEI; default: the amount of the charge) */
      amount?: number | string | undefined
      /** The PIX end-to-end id or on-chain hash (default: generated) */
      hash?: string | undefined
      action: 'cashin.pay'
      /** Its id or external_id; without it the newest object that the action is allowed on */
      id?: string | number | undefined
      /** The username of its account: without an id, or with create; any account, or the first */
      account?: string | undefined
      /** Makes a fitting object first, through the same code as the API, and brings it to where the action is allowed */
      create?: boolean | undefined
      /** With create: what the object is made of; what is left out is usual for the currency */
      fields?:
        | {
            /** Currency of the amount. */
            currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
            /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
            chain?: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | undefined
            postback_url?: string | undefined
            /** Who pays. */
            payer?:
              | {
                  name?: string | undefined
                  /** CPF or CNPJ. */
                  document?: string | undefined
                  /** E-mail address. */
                  email?: string | undefined
                }
              | undefined
            /** Amount in the currency of the operation. */
            amount?: number | string | undefined
            /** The caller's own identifier; the same one again returns the same object. */
            external_id?: string | undefined
            /** Divides the net amount among accounts of the service. */
            split?:
              | Array<{
                  /** Name of an account of the service. */
                  username: string
                  [more: string]: unknown
                }>
              | undefined
          }
        | undefined
    }
  | {
      action: 'cashin.expire'
      /** Its id or external_id; without it the newest object that the action is allowed on */
      id?: string | number | undefined
      /** The username of its account: without an id, or with create; any account, or the first */
      account?: string | undefined
      /** Makes a fitting object first, through the same code as the API, and brings it to where the action is allowed */
      create?: boolean | undefined
      /** With create: what the object is made of; what is left out is usual for the currency */
      fields?:
        | {
            /** Currency of the amount. */
            currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
            /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
            chain?: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | undefined
            postback_url?: string | undefined
            /** Who pays. */
            payer?:
              | {
                  name?: string | undefined
                  /** CPF or CNPJ. */
                  document?: string | undefined
                  /** E-mail address. */
                  email?: string | undefined
                }
              | undefined
            /** Amount in the currency of the operation. */
            amount?: number | string | undefined
            /** The caller's own identifier; the same one again returns the same object. */
            external_id?: string | undefined
            /** Divides the net amount among accounts of the service. */
            split?:
              | Array<{
                  /** Name of an account of the service. */
                  username: string
                  [more: string]: unknown
                }>
              | undefined
          }
        | undefined
    }
  | {
      /** Part of the amount (default: the full amount) */
      amount?: number | string | undefined
      /** Reason, as reported in the event */
      reason?: string | undefined
      action: 'cashin.refund'
      /** Its id or external_id; without it the newest object that the action is allowed on */
      id?: string | number | undefined
      /** The username of its account: without an id, or with create; any account, or the first */
      account?: string | undefined
      /** Makes a fitting object first, through the same code as the API, and brings it to where the action is allowed */
      create?: boolean | undefined
      /** With create: what the object is made of; what is left out is usual for the currency */
      fields?:
        | {
            /** Currency of the amount. */
            currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
            /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
            chain?: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | undefined
            postback_url?: string | undefined
            /** Who pays. */
            payer?:
              | {
                  name?: string | undefined
                  /** CPF or CNPJ. */
                  document?: string | undefined
                  /** E-mail address. */
                  email?: string | undefined
                }
              | undefined
            /** Amount in the currency of the operation. */
            amount?: number | string | undefined
            /** The caller's own identifier; the same one again returns the same object. */
            external_id?: string | undefined
            /** Divides the net amount among accounts of the service. */
            split?:
              | Array<{
                  /** Name of an account of the service. */
                  username: string
                  [more: string]: unknown
                }>
              | undefined
          }
        | undefined
    }
  | {
      /** The PIX end-to-end id or on-chain hash (default: generated) */
      hash?: string | undefined
      /** Who received the money (default: the receiver of the withdrawal) */
      receiver?:
        | {
            name?: string | undefined
            /** CPF or CNPJ. */
            document?: string | undefined
            bank?: string | undefined
          }
        | undefined
      action: 'cashout.confirm'
      /** Its id or external_id; without it the newest object that the action is allowed on */
      id?: string | number | undefined
      /** The username of its account: without an id, or with create; any account, or the first */
      account?: string | undefined
      /** Makes a fitting object first, through the same code as the API, and brings it to where the action is allowed */
      create?: boolean | undefined
      /** With create: what the object is made of; what is left out is usual for the currency */
      fields?:
        | {
            /** Currency of the amount. */
            currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
            /** Destination: a PIX key, a CLABE, or an on-chain address. */
            key?: string | undefined
            /** Kind of the PIX key. */
            key_type?: 'cpf' | 'cnpj' | 'email' | 'phone' | 'random' | undefined
            /** Network that carries the money. */
            network?:
              | 'tron'
              | 'ethereum'
              | 'bsc'
              | 'polygon'
              | 'solana'
              | 'bitcoin'
              | 'arbitrum'
              | 'base'
              | 'optimism'
              | undefined
            name?: string | undefined
            /** Code of the bank. */
            bank_code?: string | undefined
            /** Free text. */
            description?: string | undefined
            /** Amount in the currency of the operation. */
            amount?: number | string | undefined
            /** The caller's own identifier; the same one again returns the same object. */
            external_id?: string | undefined
          }
        | undefined
    }
  | {
      /** Error code (default: `UNKNOWN`) */
      error_code?:
        | 'TRON_ENERGY_FAIL'
        | 'INSUFFICIENT_BALANCE'
        | 'NO_HOT_WALLET'
        | 'INVALID_ADDRESS'
        | 'BLACKLISTED'
        | 'BLOCKCHAIN_REVERT'
        | 'BROADCAST_FAIL'
        | 'PIX_KEY_NOT_FOUND'
        | 'PROVIDER_TIMEOUT'
        | 'UNKNOWN'
        | undefined
      /** Error message (default: the message of the code) */
      error_message?: string | undefined
      action: 'cashout.fail'
      /** Its id or external_id; without it the newest object that the action is allowed on */
      id?: string | number | undefined
      /** The username of its account: without an id, or with create; any account, or the first */
      account?: string | undefined
      /** Makes a fitting object first, through the same code as the API, and brings it to where the action is allowed */
      create?: boolean | undefined
      /** With create: what the object is made of; what is left out is usual for the currency */
      fields?:
        | {
            /** Currency of the amount. */
            currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
            /** Destination: a PIX key, a CLABE, or an on-chain address. */
            key?: string | undefined
            /** Kind of the PIX key. */
            key_type?: 'cpf' | 'cnpj' | 'email' | 'phone' | 'random' | undefined
            /** Network that carries the money. */
            network?:
              | 'tron'
              | 'ethereum'
              | 'bsc'
              | 'polygon'
              | 'solana'
              | 'bitcoin'
              | 'arbitrum'
              | 'base'
              | 'optimism'
              | undefined
            name?: string | undefined
            /** Code of the bank. */
            bank_code?: string | undefined
            /** Free text. */
            description?: string | undefined
            /** Amount in the currency of the operation. */
            amount?: number | string | undefined
            /** The caller's own identifier; the same one again returns the same object. */
            external_id?: string | undefined
          }
        | undefined
    }
  | {
      /** Part of the amount (default: the full amount) */
      amount?: number | string | undefined
      /** Reason, as reported in the event */
      reason?: string | undefined
      action: 'cashout.refund'
      /** Its id or external_id; without it the newest object that the action is allowed on */
      id?: string | number | undefined
      /** The username of its account: without an id, or with create; any account, or the first */
      account?: string | undefined
      /** Makes a fitting object first, through the same code as the API, and brings it to where the action is allowed */
      create?: boolean | undefined
      /** With create: what the object is made of; what is left out is usual for the currency */
      fields?:
        | {
            /** Currency of the amount. */
            currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
            /** Destination: a PIX key, a CLABE, or an on-chain address. */
            key?: string | undefined
            /** Kind of the PIX key. */
            key_type?: 'cpf' | 'cnpj' | 'email' | 'phone' | 'random' | undefined
            /** Network that carries the money. */
            network?:
              | 'tron'
              | 'ethereum'
              | 'bsc'
              | 'polygon'
              | 'solana'
              | 'bitcoin'
              | 'arbitrum'
              | 'base'
              | 'optimism'
              | undefined
            name?: string | undefined
            /** Code of the bank. */
            bank_code?: string | undefined
            /** Free text. */
            description?: string | undefined
            /** Amount in the currency of the operation. */
            amount?: number | string | undefined
            /** The caller's own identifier; the same one again returns the same object. */
            external_id?: string | undefined
          }
        | undefined
    }
  | {
      /** Reason, as reported in the event */
      reason?: string | undefined
      action: 'conversion.refund'
      /** Its id or external_id; without it the newest object that the action is allowed on */
      id?: string | number | undefined
      /** The username of its account: without an id, or with create; any account, or the first */
      account?: string | undefined
      /** Makes a fitting object first, through the same code as the API, and brings it to where the action is allowed */
      create?: boolean | undefined
      /** With create: what the object is made of; what is left out is usual for the currency */
      fields?:
        | {
            /** Currency to convert from. */
            base_currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
            /** Currency to convert to. */
            destination_currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
            /** Amount in the currency of the operation. */
            amount?: number | string | undefined
            /** The caller's own identifier; the same one again returns the same object. */
            external_id?: string | undefined
          }
        | undefined
    }
  | {
      /** The amount received */
      amount: number | string
      /** Who pays (default: the payer of the charge, or a generated one) */
      payer?:
        | {
            name?: string | undefined
            /** CPF or CNPJ. */
            document?: string | undefined
          }
        | undefined
      /** The PIX end-to-end id or on-chain hash (default: generated) */
      hash?: string | undefined
      action: 'wallet.deposit'
      /** Its id or external_id; without it the newest object that the action is allowed on */
      id?: string | number | undefined
      /** The username of its account: without an id, or with create; any account, or the first */
      account?: string | undefined
      /** Makes a fitting object first, through the same code as the API, and brings it to where the action is allowed */
      create?: boolean | undefined
      /** With create: what the object is made of; what is left out is usual for the currency */
      fields?:
        | {
            /** Currency of the amount. */
            currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
            /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
            chain?: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | undefined
          }
        | undefined
    }
  | {
      /** Part of the amount (default: the full amount) */
      amount?: number | string | undefined
      /** Type of the dispute (default: `REFUND_REQUEST`) */
      type?: string | undefined
      /** Reason that the payer gives */
      reason?: string | undefined
      action: 'dispute.open'
      /** Its id or external_id; without it the newest object that the action is allowed on */
      id?: string | number | undefined
      /** The username of its account: without an id, or with create; any account, or the first */
      account?: string | undefined
      /** Makes a fitting object first, through the same code as the API, and brings it to where the action is allowed */
      create?: boolean | undefined
      /** With create: what the object is made of; what is left out is usual for the currency */
      fields?:
        | {
            /** Currency of the amount. */
            currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
            /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
            chain?: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | undefined
            postback_url?: string | undefined
            /** Who pays. */
            payer?:
              | {
                  name?: string | undefined
                  /** CPF or CNPJ. */
                  document?: string | undefined
                  /** E-mail address. */
                  email?: string | undefined
                }
              | undefined
            /** Amount in the currency of the operation. */
            amount?: number | string | undefined
            /** The caller's own identifier; the same one again returns the same object. */
            external_id?: string | undefined
            /** Divides the net amount among accounts of the service. */
            split?:
              | Array<{
                  /** Name of an account of the service. */
                  username: string
                  [more: string]: unknown
                }>
              | undefined
          }
        | undefined
    }
  | {
      /** The defence */
      message?: string | undefined
      action: 'dispute.respond'
      /** Its id or external_id; without it the newest object that the action is allowed on */
      id?: string | number | undefined
      /** The username of its account: without an id, or with create; any account, or the first */
      account?: string | undefined
      /** Makes a fitting object first, through the same code as the API, and brings it to where the action is allowed */
      create?: boolean | undefined
      /** With create: what the object is made of; what is left out is usual for the currency */
      fields?:
        | {
            /** Currency of the amount. */
            currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
            /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
            chain?: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | undefined
            postback_url?: string | undefined
            /** Who pays. */
            payer?:
              | {
                  name?: string | undefined
                  /** CPF or CNPJ. */
                  document?: string | undefined
                  /** E-mail address. */
                  email?: string | undefined
                }
              | undefined
            /** Amount in the currency of the operation. */
            amount?: number | string | undefined
            /** The caller's own identifier; the same one again returns the same object. */
            external_id?: string | undefined
            /** Divides the net amount among accounts of the service. */
            split?:
              | Array<{
                  /** Name of an account of the service. */
                  username: string
                  [more: string]: unknown
                }>
              | undefined
          }
        | undefined
    }
  | {
      action: 'dispute.confirm'
      /** Its id or external_id; without it the newest object that the action is allowed on */
      id?: string | number | undefined
      /** The username of its account: without an id, or with create; any account, or the first */
      account?: string | undefined
      /** Makes a fitting object first, through the same code as the API, and brings it to where the action is allowed */
      create?: boolean | undefined
      /** With create: what the object is made of; what is left out is usual for the currency */
      fields?:
        | {
            /** Currency of the amount. */
            currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
            /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
            chain?: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | undefined
            postback_url?: string | undefined
            /** Who pays. */
            payer?:
              | {
                  name?: string | undefined
                  /** CPF or CNPJ. */
                  document?: string | undefined
                  /** E-mail address. */
                  email?: string | undefined
                }
              | undefined
            /** Amount in the currency of the operation. */
            amount?: number | string | undefined
            /** The caller's own identifier; the same one again returns the same object. */
            external_id?: string | undefined
            /** Divides the net amount among accounts of the service. */
            split?:
              | Array<{
                  /** Name of an account of the service. */
                  username: string
                  [more: string]: unknown
                }>
              | undefined
          }
        | undefined
    }
  | {
      action: 'dispute.win'
      /** Its id or external_id; without it the newest object that the action is allowed on */
      id?: string | number | undefined
      /** The username of its account: without an id, or with create; any account, or the first */
      account?: string | undefined
      /** Makes a fitting object first, through the same code as the API, and brings it to where the action is allowed */
      create?: boolean | undefined
      /** With create: what the object is made of; what is left out is usual for the currency */
      fields?:
        | {
            /** Currency of the amount. */
            currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
            /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
            chain?: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | undefined
            postback_url?: string | undefined
            /** Who pays. */
            payer?:
              | {
                  name?: string | undefined
                  /** CPF or CNPJ. */
                  document?: string | undefined
                  /** E-mail address. */
                  email?: string | undefined
                }
              | undefined
            /** Amount in the currency of the operation. */
            amount?: number | string | undefined
            /** The caller's own identifier; the same one again returns the same object. */
            external_id?: string | undefined
            /** Divides the net amount among accounts of the service. */
            split?:
              | Array<{
                  /** Name of an account of the service. */
                  username: string
                  [more: string]: unknown
                }>
              | undefined
          }
        | undefined
    }
  | {
      action: 'dispute.lose'
      /** Its id or external_id; without it the newest object that the action is allowed on */
      id?: string | number | undefined
      /** The username of its account: without an id, or with create; any account, or the first */
      account?: string | undefined
      /** Makes a fitting object first, through the same code as the API, and brings it to where the action is allowed */
      create?: boolean | undefined
      /** With create: what the object is made of; what is left out is usual for the currency */
      fields?:
        | {
            /** Currency of the amount. */
            currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
            /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
            chain?: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | undefined
            postback_url?: string | undefined
            /** Who pays. */
            payer?:
              | {
                  name?: string | undefined
                  /** CPF or CNPJ. */
                  document?: string | undefined
                  /** E-mail address. */
                  email?: string | undefined
                }
              | undefined
            /** Amount in the currency of the operation. */
            amount?: number | string | undefined
            /** The caller's own identifier; the same one again returns the same object. */
            external_id?: string | undefined
            /** Divides the net amount among accounts of the service. */
            split?:
              | Array<{
                  /** Name of an account of the service. */
                  username: string
                  [more: string]: unknown
                }>
              | undefined
          }
        | undefined
    }
  | {
      action: 'dispute.cancel'
      /** Its id or external_id; without it the newest object that the action is allowed on */
      id?: string | number | undefined
      /** The username of its account: without an id, or with create; any account, or the first */
      account?: string | undefined
      /** Makes a fitting object first, through the same code as the API, and brings it to where the action is allowed */
      create?: boolean | undefined
      /** With create: what the object is made of; what is left out is usual for the currency */
      fields?:
        | {
            /** Currency of the amount. */
            currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
            /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
            chain?: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | undefined
            postback_url?: string | undefined
            /** Who pays. */
            payer?:
              | {
                  name?: string | undefined
                  /** CPF or CNPJ. */
                  document?: string | undefined
                  /** E-mail address. */
                  email?: string | undefined
                }
              | undefined
            /** Amount in the currency of the operation. */
            amount?: number | string | undefined
            /** The caller's own identifier; the same one again returns the same object. */
            external_id?: string | undefined
            /** Divides the net amount among accounts of the service. */
            split?:
              | Array<{
                  /** Name of an account of the service. */
                  username: string
                  [more: string]: unknown
                }>
              | undefined
          }
        | undefined
    }

export type Triggered =
  | {
      action: 'cashin.pay'
      /** As it is after the action */
      object: CashinTransaction
      events: Array<{
        id: string
        event: EventName
      }>
      /** With create: what was done before, `cashin.create` first */
      created?:
        | Array<{
            action:
              | 'cashin.create'
              | 'cashout.create'
              | 'wallet.create'
              | 'transfer.create'
              | 'conversion.create'
              | 'cashin.pay'
              | 'cashin.expire'
              | 'cashin.refund'
              | 'cashout.confirm'
              | 'cashout.fail'
              | 'cashout.refund'
              | 'conversion.refund'
              | 'wallet.deposit'
              | 'dispute.open'
              | 'dispute.respond'
              | 'dispute.confirm'
              | 'dispute.win'
              | 'dispute.lose'
              | 'dispute.cancel'
            id: string
          }>
        | undefined
    }
  | {
      action: 'cashin.expire'
      /** As it is after the action */
      object: CashinTransaction
      events: Array<{
        id: string
        event: EventName
      }>
      /** With create: what was done before, `cashin.create` first */
      created?:
        | Array<{
            action:
              | 'cashin.create'
              | 'cashout.create'
              | 'wallet.create'
              | 'transfer.create'
              | 'conversion.create'
              | 'cashin.pay'
              | 'cashin.expire'
              | 'cashin.refund'
              | 'cashout.confirm'
              | 'cashout.fail'
              | 'cashout.refund'
              | 'conversion.refund'
              | 'wallet.deposit'
              | 'dispute.open'
              | 'dispute.respond'
              | 'dispute.confirm'
              | 'dispute.win'
              | 'dispute.lose'
              | 'dispute.cancel'
            id: string
          }>
        | undefined
    }
  | {
      action: 'cashin.refund'
      /** As it is after the action */
      object: CashinTransaction
      events: Array<{
        id: string
        event: EventName
      }>
      /** With create: what was done before, `cashin.create` first */
      created?:
        | Array<{
            action:
              | 'cashin.create'
              | 'cashout.create'
              | 'wallet.create'
              | 'transfer.create'
              | 'conversion.create'
              | 'cashin.pay'
              | 'cashin.expire'
              | 'cashin.refund'
              | 'cashout.confirm'
              | 'cashout.fail'
              | 'cashout.refund'
              | 'conversion.refund'
              | 'wallet.deposit'
              | 'dispute.open'
              | 'dispute.respond'
              | 'dispute.confirm'
              | 'dispute.win'
              | 'dispute.lose'
              | 'dispute.cancel'
            id: string
          }>
        | undefined
    }
  | {
      action: 'cashout.confirm'
      /** As it is after the action */
      object: CashoutTransaction
      events: Array<{
        id: string
        event: EventName
      }>
      /** With create: what was done before, `cashin.create` first */
      created?:
        | Array<{
            action:
              | 'cashin.create'
              | 'cashout.create'
              | 'wallet.create'
              | 'transfer.create'
              | 'conversion.create'
              | 'cashin.pay'
              | 'cashin.expire'
              | 'cashin.refund'
              | 'cashout.confirm'
              | 'cashout.fail'
              | 'cashout.refund'
              | 'conversion.refund'
              | 'wallet.deposit'
              | 'dispute.open'
              | 'dispute.respond'
              | 'dispute.confirm'
              | 'dispute.win'
              | 'dispute.lose'
              | 'dispute.cancel'
            id: string
          }>
        | undefined
    }
  | {
      action: 'cashout.fail'
      /** As it is after the action */
      object: CashoutTransaction
      events: Array<{
        id: string
        event: EventName
      }>
      /** With create: what was done before, `cashin.create` first */
      created?:
        | Array<{
            action:
              | 'cashin.create'
              | 'cashout.create'
              | 'wallet.create'
              | 'transfer.create'
              | 'conversion.create'
              | 'cashin.pay'
              | 'cashin.expire'
              | 'cashin.refund'
              | 'cashout.confirm'
              | 'cashout.fail'
              | 'cashout.refund'
              | 'conversion.refund'
              | 'wallet.deposit'
              | 'dispute.open'
              | 'dispute.respond'
              | 'dispute.confirm'
              | 'dispute.win'
              | 'dispute.lose'
              | 'dispute.cancel'
            id: string
          }>
        | undefined
    }
  | {
      action: 'cashout.refund'
      /** As it is after the action */
      object: CashoutTransaction
      events: Array<{
        id: string
        event: EventName
      }>
      /** With create: what was done before, `cashin.create` first */
      created?:
        | Array<{
            action:
              | 'cashin.create'
              | 'cashout.create'
              | 'wallet.create'
              | 'transfer.create'
              | 'conversion.create'
              | 'cashin.pay'
              | 'cashin.expire'
              | 'cashin.refund'
              | 'cashout.confirm'
              | 'cashout.fail'
              | 'cashout.refund'
              | 'conversion.refund'
              | 'wallet.deposit'
              | 'dispute.open'
              | 'dispute.respond'
              | 'dispute.confirm'
              | 'dispute.win'
              | 'dispute.lose'
              | 'dispute.cancel'
            id: string
          }>
        | undefined
    }
  | {
      action: 'conversion.refund'
      /** As it is after the action */
      object: ConversionTransaction
      events: Array<{
        id: string
        event: EventName
      }>
      /** With create: what was done before, `cashin.create` first */
      created?:
        | Array<{
            action:
              | 'cashin.create'
              | 'cashout.create'
              | 'wallet.create'
              | 'transfer.create'
              | 'conversion.create'
              | 'cashin.pay'
              | 'cashin.expire'
              | 'cashin.refund'
              | 'cashout.confirm'
              | 'cashout.fail'
              | 'cashout.refund'
              | 'conversion.refund'
              | 'wallet.deposit'
              | 'dispute.open'
              | 'dispute.respond'
              | 'dispute.confirm'
              | 'dispute.win'
              | 'dispute.lose'
              | 'dispute.cancel'
            id: string
          }>
        | undefined
    }
  | {
      action: 'wallet.deposit'
      /** As it is after the action */
      object: CashinTransaction
      events: Array<{
        id: string
        event: EventName
      }>
      /** With create: what was done before, `cashin.create` first */
      created?:
        | Array<{
            action:
              | 'cashin.create'
              | 'cashout.create'
              | 'wallet.create'
              | 'transfer.create'
              | 'conversion.create'
              | 'cashin.pay'
              | 'cashin.expire'
              | 'cashin.refund'
              | 'cashout.confirm'
              | 'cashout.fail'
              | 'cashout.refund'
              | 'conversion.refund'
              | 'wallet.deposit'
              | 'dispute.open'
              | 'dispute.respond'
              | 'dispute.confirm'
              | 'dispute.win'
              | 'dispute.lose'
              | 'dispute.cancel'
            id: string
          }>
        | undefined
    }
  | {
      action: 'dispute.open'
      /** As it is after the action */
      object: Dispute
      events: Array<{
        id: string
        event: EventName
      }>
      /** With create: what was done before, `cashin.create` first */
      created?:
        | Array<{
            action:
              | 'cashin.create'
              | 'cashout.create'
              | 'wallet.create'
              | 'transfer.create'
              | 'conversion.create'
              | 'cashin.pay'
              | 'cashin.expire'
              | 'cashin.refund'
              | 'cashout.confirm'
              | 'cashout.fail'
              | 'cashout.refund'
              | 'conversion.refund'
              | 'wallet.deposit'
              | 'dispute.open'
              | 'dispute.respond'
              | 'dispute.confirm'
              | 'dispute.win'
              | 'dispute.lose'
              | 'dispute.cancel'
            id: string
          }>
        | undefined
    }
  | {
      action: 'dispute.respond'
      /** As it is after the action */
      object: Dispute
      events: Array<{
        id: string
        event: EventName
      }>
      /** With create: what was done before, `cashin.create` first */
      created?:
        | Array<{
            action:
              | 'cashin.create'
              | 'cashout.create'
              | 'wallet.create'
              | 'transfer.create'
              | 'conversion.create'
              | 'cashin.pay'
              | 'cashin.expire'
              | 'cashin.refund'
              | 'cashout.confirm'
              | 'cashout.fail'
              | 'cashout.refund'
              | 'conversion.refund'
              | 'wallet.deposit'
              | 'dispute.open'
              | 'dispute.respond'
              | 'dispute.confirm'
              | 'dispute.win'
              | 'dispute.lose'
              | 'dispute.cancel'
            id: string
          }>
        | undefined
    }
  | {
      action: 'dispute.confirm'
      /** As it is after the action */
      object: Dispute
      events: Array<{
        id: string
        event: EventName
      }>
      /** With create: what was done before, `cashin.create` first */
      created?:
        | Array<{
            action:
              | 'cashin.create'
              | 'cashout.create'
              | 'wallet.create'
              | 'transfer.create'
              | 'conversion.create'
              | 'cashin.pay'
              | 'cashin.expire'
              | 'cashin.refund'
              | 'cashout.confirm'
              | 'cashout.fail'
              | 'cashout.refund'
              | 'conversion.refund'
              | 'wallet.deposit'
              | 'dispute.open'
              | 'dispute.respond'
              | 'dispute.confirm'
              | 'dispute.win'
              | 'dispute.lose'
              | 'dispute.cancel'
            id: string
          }>
        | undefined
    }
  | {
      action: 'dispute.win'
      /** As it is after the action */
      object: Dispute
      events: Array<{
        id: string
        event: EventName
      }>
      /** With create: what was done before, `cashin.create` first */
      created?:
        | Array<{
            action:
              | 'cashin.create'
              | 'cashout.create'
              | 'wallet.create'
              | 'transfer.create'
              | 'conversion.create'
              | 'cashin.pay'
              | 'cashin.expire'
              | 'cashin.refund'
              | 'cashout.confirm'
              | 'cashout.fail'
              | 'cashout.refund'
              | 'conversion.refund'
              | 'wallet.deposit'
              | 'dispute.open'
              | 'dispute.respond'
              | 'dispute.confirm'
              | 'dispute.win'
              | 'dispute.lose'
              | 'dispute.cancel'
            id: string
          }>
        | undefined
    }
  | {
      action: 'dispute.lose'
      /** As it is after the action */
      object: Dispute
      events: Array<{
        id: string
        event: EventName
      }>
      /** With create: what was done before, `cashin.create` first */
      created?:
        | Array<{
            action:
              | 'cashin.create'
              | 'cashout.create'
              | 'wallet.create'
              | 'transfer.create'
              | 'conversion.create'
              | 'cashin.pay'
              | 'cashin.expire'
              | 'cashin.refund'
              | 'cashout.confirm'
              | 'cashout.fail'
              | 'cashout.refund'
              | 'conversion.refund'
              | 'wallet.deposit'
              | 'dispute.open'
              | 'dispute.respond'
              | 'dispute.confirm'
              | 'dispute.win'
              | 'dispute.lose'
              | 'dispute.cancel'
            id: string
          }>
        | undefined
    }
  | {
      action: 'dispute.cancel'
      /** As it is after the action */
      object: Dispute
      events: Array<{
        id: string
        event: EventName
      }>
      /** With create: what was done before, `cashin.create` first */
      created?:
        | Array<{
            action:
              | 'cashin.create'
              | 'cashout.create'
              | 'wallet.create'
              | 'transfer.create'
              | 'conversion.create'
              | 'cashin.pay'
              | 'cashin.expire'
              | 'cashin.refund'
              | 'cashout.confirm'
              | 'cashout.fail'
              | 'cashout.refund'
              | 'conversion.refund'
              | 'wallet.deposit'
              | 'dispute.open'
              | 'dispute.respond'
              | 'dispute.confirm'
              | 'dispute.win'
              | 'dispute.lose'
              | 'dispute.cancel'
            id: string
          }>
        | undefined
    }

export interface Wallet {
  /** Identifier of the fixed wallet. */
  wallet_id: number
  /** Currency of the amount. */
  currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Kind of the currency. */
  currency_type: 'fiat' | 'crypto'
  /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
  chain: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | 'arbitrum' | 'base' | 'optimism' | null
  /** Network that carries the money. */
  network:
    | 'PIX'
    | 'SPEI'
    | 'SOLANA'
    | 'TRC20'
    | 'ERC20'
    | 'BEP20'
    | 'POLYGON'
    | 'SPL'
    | 'BITCOIN'
    | 'ARBITRUM'
    | 'BASE'
    | 'OPTIMISM'
  /** Where to pay to: a PIX key, a CLABE, or an on-chain address. */
  address: string
  /** Blocks until a payment counts. */
  min_confirmations: number
  /** When it came into being. */
  created_at: string
  /** The username of the account that it belongs to */
  account: string
}

export interface WalletInFull {
  /** Identifier of the fixed wallet. */
  wallet_id: number
  /** Currency of the amount. */
  currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
  /** Kind of the currency. */
  currency_type: 'fiat' | 'crypto'
  /** Blockchain of origin. Required for crypto, left out for BRL and MXN. */
  chain: 'tron' | 'ethereum' | 'bsc' | 'polygon' | 'solana' | 'bitcoin' | 'arbitrum' | 'base' | 'optimism' | null
  /** Network that carries the money. */
  network:
    | 'PIX'
    | 'SPEI'
    | 'SOLANA'
    | 'TRC20'
    | 'ERC20'
    | 'BEP20'
    | 'POLYGON'
    | 'SPL'
    | 'BITCOIN'
    | 'ARBITRUM'
    | 'BASE'
    | 'OPTIMISM'
  /** Where to pay to: a PIX key, a CLABE, or an on-chain address. */
  address: string
  /** Blocks until a payment counts. */
  min_confirmations: number
  /** When it came into being. */
  created_at: string
  /** The username of the account that it belongs to */
  account: string
  history: Array<HistoryEntry>
  events: Array<WebhookSummary>
  ledger: Array<Posting>
  /** Actions that would work now */
  allowed: Array<ActionName>
}

export interface Webhook {
  /** `evt_…` */
  id: string
  event: EventName
  /** Identifier of the transaction. */
  transaction_id: string
  /** The object that it tells of */
  subject_id: string
  /** The caller's own identifier; the same one again returns the same object. */
  external_id: string | null
  /** What it says of money; null: nothing */
  amount: string | null
  /** Currency of the amount. */
  currency: Currency | null
  /** Where it goes; null: nowhere */
  url: string | null
  status: 'pending' | 'queued' | 'delivered' | 'failed'
  outcome?: 'no_url' | undefined
  next_attempt_at: string | null
  /** When it came into being. */
  created_at: string
  /** The exact text that was sent */
  body: string
  attempts: Array<WebhookAttempt>
}

export interface WebhookAttempt {
  number: number
  at: string
  duration_ms: number
  request_headers: Record<string, string>
  outcome:
    | 'ok'
    | 'http_error'
    | 'timeout'
    | 'connect_timeout'
    | 'refused'
    | 'reset'
    | 'dns'
    | 'tls'
    | 'insecure_url'
    | 'no_url'
  status: number | null
  response_body: string | null
  /** The outcome in words */
  detail: string | null
}

export interface WebhookSummary {
  /** `evt_…` */
  id: string
  event: EventName
  /** Identifier of the transaction. */
  transaction_id: string
  /** The object that it tells of */
  subject_id: string
  /** The caller's own identifier; the same one again returns the same object. */
  external_id: string | null
  /** What it says of money; null: nothing */
  amount: string | null
  /** Currency of the amount. */
  currency: Currency | null
  /** Where it goes; null: nowhere */
  url: string | null
  status: 'pending' | 'queued' | 'delivered' | 'failed'
  outcome?: 'no_url' | undefined
  next_attempt_at: string | null
  /** When it came into being. */
  created_at: string
  /** How many there were */
  attempts: number
}

export interface WorkspaceAddress {
  name: string
  base_url: string
}

/** The object that each action leaves behind. */
export interface ActionResults {
  'cashin.pay': CashinTransaction
  'cashin.expire': CashinTransaction
  'cashin.refund': CashinTransaction
  'cashout.confirm': CashoutTransaction
  'cashout.fail': CashoutTransaction
  'cashout.refund': CashoutTransaction
  'conversion.refund': ConversionTransaction
  'wallet.deposit': CashinTransaction
  'dispute.open': Dispute
  'dispute.respond': Dispute
  'dispute.confirm': Dispute
  'dispute.win': Dispute
  'dispute.lose': Dispute
  'dispute.cancel': Dispute
}

/** By method and path. */
export interface ControlRoutes {
  /** Whether the sandbox works and its store can be written. */
  'GET /health': {
    answer: Health
  }
  /** Recompute every balance from its postings. */
  'GET /ledger': {
    answer: Ledger
  }
  /** Rotate the admin token: the old one ends at once, the new one is shown this once. */
  'POST /admin-token': {
    answer: {
      admin_token: string
    }
  }
  /** Back to the state right after start. */
  'POST /reset': {
    answer: {
      status: 'ok'
      workspace: string
      clock: ClockState
      accounts: Array<Account>
    }
  }
  /** Every action with its parameters. */
  'GET /actions': {
    query: {
      /** At most so many (default: all) */
      limit?: number | undefined
      /** The `next` of an earlier page */
      after?: string | undefined
    }
    answer: {
      data: Array<{
        name: ActionName
        subject: 'cashin' | 'cashout' | 'transfer' | 'conversion' | 'wallet' | 'dispute'
        title: string
        /** JSON Schema of its parameters */
        params: Record<string, unknown>
      }>
      next: string | null
    }
  }
  /** Do an action of the state table. */
  'POST /trigger': {
    body: TriggerRequest
    answer: Triggered
  }
  /** Transactions of every kind, newest first. */
  'GET /transactions': {
    query: {
      type?: 'cashin' | 'cashout' | 'transfer' | 'conversion' | undefined
      status?: 'pending' | 'confirmed' | 'expired' | 'refunded' | 'failed' | 'completed' | undefined
      /** The caller's own identifier; the same one again returns the same object. */
      external_id?: string | undefined
      account?: string | undefined
      /** Currency of the amount. */
      currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
      /** The fixed wallet that it came to */
      wallet_id?: number | undefined
      /** At most so many; 50 where absent */
      limit?: number | undefined
      /** The `next` of an earlier page */
      after?: string | undefined
    }
    answer: {
      data: Array<Transaction>
      next: string | null
    }
  }
  /** One transaction with its history, events and postings. */
  'GET /transactions/{id}': {
    params: { id: string | number }
    answer: TransactionInFull
  }
  /** Disputes, newest first. */
  'GET /disputes': {
    query: {
      type?: string | undefined
      status?: 'open' | 'responded' | 'confirmed' | 'won' | 'lost' | 'canceled' | undefined
      /** Identifier of the transaction. */
      transaction_id?: string | undefined
      account?: string | undefined
      /** At most so many; 50 where absent */
      limit?: number | undefined
      /** The `next` of an earlier page */
      after?: string | undefined
    }
    answer: {
      data: Array<Dispute>
      next: string | null
    }
  }
  /** One dispute. */
  'GET /disputes/{id}': {
    params: { id: string | number }
    answer: DisputeInFull
  }
  /** Fixed wallets, newest first. */
  'GET /wallets': {
    query: {
      /** Currency of the amount. */
      currency?: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB' | undefined
      account?: string | undefined
      /** At most so many; 50 where absent */
      limit?: number | undefined
      /** The `next` of an earlier page */
      after?: string | undefined
    }
    answer: {
      data: Array<Wallet>
      next: string | null
    }
  }
  /** One wallet. */
  'GET /wallets/{id}': {
    params: { id: string | number }
    answer: WalletInFull
  }
  /** The business clock and what is due. */
  'GET /clock': {
    answer: ClockReading
  }
  /** Freeze, resume or set the clock. */
  'PUT /clock': {
    body: {
      mode?: 'realtime' | 'manual' | undefined
      /** May only lie ahead */
      now?: string | undefined
    }
    answer: ClockReading
  }
  /** Advance the clock from job to job. */
  'POST /clock/advance': {
    body: {
      by?: number | string | undefined
      to?: string | undefined
      /** `idle`: until the jobs that exist now, and what they cause, have run; jobs of others do not count */
      until?: 'idle' | undefined
      /** Real time after which the call answers in any case, and the advance continues (default: 30s) */
      wait?: number | string | undefined
    }
    answer: Advanced
  }
  /** Cancel every advance of the clock; what has run is kept. */
  'DELETE /clock/advance': {
    answer: {
      /** How many there were, those that waited for their turn included */
      canceled: number
      now: string
      next_due: string | null
    }
  }
  /** All accounts with their credentials. */
  'GET /accounts': {
    query: {
      /** At most so many (default: all) */
      limit?: number | undefined
      /** The `next` of an earlier page */
      after?: string | undefined
    }
    answer: {
      data: Array<Account>
      next: string | null
    }
  }
  /** Make an account. */
  'POST /accounts': {
    body: {
      /** Made up where absent */
      username?: string | undefined
      name?: string | undefined
      /** CPF or CNPJ. */
      document?: string | undefined
      balances?:
        | {
            BRL?: number | string | undefined
            MXN?: number | string | undefined
            USDT?: number | string | undefined
            USDC?: number | string | undefined
            BTC?: number | string | undefined
            ETH?: number | string | undefined
            SOL?: number | string | undefined
            BNB?: number | string | undefined
          }
        | undefined
      credential?:
        | {
            postback_url?: string | null | undefined
            webhook_secret?: string | undefined
            active?: boolean | undefined
          }
        | undefined
    }
    answer: Account
  }
  /** One account. */
  'GET /accounts/{username}': {
    params: { username: string | number }
    answer: Account
  }
  /** Change limits and fees. */
  'PATCH /accounts/{username}': {
    params: { username: string | number }
    body: {
      /** One row for each currency and operation. */
      limits?:
        | Array<{
            /** Currency of the amount. */
            currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
            /** What the row is about. */
            operation: 'cashin' | 'cashout' | 'transfer' | 'conversion'
            /** Smallest amount of one operation. */
            min_amount?: number | string | undefined
            /** Largest amount of one operation. */
            max_amount?: number | string | undefined
            /** What may be moved in one day. */
            daily_limit?: number | string | undefined
          }>
        | undefined
      /** One row for each currency and operation. */
      fees?:
        | Array<{
            /** Currency of the amount. */
            currency: 'BRL' | 'MXN' | 'USDT' | 'USDC' | 'BTC' | 'ETH' | 'SOL' | 'BNB'
            /** What the row is about. */
            operation: 'cashin' | 'cashout' | 'transfer' | 'conversion'
            /** Part of the fee that does not depend on the amount. */
            fixed?: number | string | undefined
            /** Part of the fee in percent of the amount. */
            percent?: number | string | undefined
          }>
        | undefined
    }
    answer: Account
  }
  /** Set what is available, by a posting. */
  'PUT /accounts/{username}/balances': {
    params: { username: string | number }
    body: {
      BRL?: number | string | undefined
      MXN?: number | string | undefined
      USDT?: number | string | undefined
      USDC?: number | string | undefined
      BTC?: number | string | undefined
      ETH?: number | string | undefined
      SOL?: number | string | undefined
      BNB?: number | string | undefined
    }
    answer: Account
  }
  /** Make another credential. */
  'POST /accounts/{username}/credentials': {
    params: { username: string | number }
    body: {
      postback_url?: string | null | undefined
      webhook_secret?: string | undefined
      active?: boolean | undefined
    }
    answer: Credential
  }
  /** Change a credential. */
  'PATCH /credentials/{client_id}': {
    params: { client_id: string | number }
    body: {
      postback_url?: string | null | undefined
      webhook_secret?: string | undefined
      active?: boolean | undefined
    }
    answer: Credential
  }
  /** Events and their delivery, newest first. */
  'GET /webhooks': {
    query: {
      /** Name of the event. */
      event?:
        | 'cashin.confirmed'
        | 'cashin.refunded'
        | 'cashin.expired'
        | 'cashout.confirmed'
        | 'cashout.failed'
        | 'cashout.refunded'
        | 'transfer.confirmed'
        | 'conversion.confirmed'
        | 'conversion.refunded'
        | 'wallet.created'
        | 'chargeback.opened'
        | 'chargeback.responded'
        | 'chargeback.confirmed'
        | 'chargeback.won'
        | 'chargeback.lost'
        | 'chargeback.canceled'
        | undefined
      /** Also the id of the object that it tells of */
      transaction_id?: string | undefined
      /** The caller's own identifier; the same one again returns the same object. */
      external_id?: string | undefined
      status?: 'pending' | 'queued' | 'delivered' | 'failed' | undefined
      /** At most so many; 50 where absent */
      limit?: number | undefined
      /** The `next` of an earlier page */
      after?: string | undefined
    }
    answer: {
      data: Array<WebhookSummary>
      next: string | null
    }
  }
  /** Wait until an event has been acknowledged. */
  'GET /webhooks/wait': {
    query: {
      /** Name of the event. */
      event?:
        | 'cashin.confirmed'
        | 'cashin.refunded'
        | 'cashin.expired'
        | 'cashout.confirmed'
        | 'cashout.failed'
        | 'cashout.refunded'
        | 'transfer.confirmed'
        | 'conversion.confirmed'
        | 'conversion.refunded'
        | 'wallet.created'
        | 'chargeback.opened'
        | 'chargeback.responded'
        | 'chargeback.confirmed'
        | 'chargeback.won'
        | 'chargeback.lost'
        | 'chargeback.canceled'
        | undefined
      /** Also the id of the object that it tells of */
      transaction_id?: string | undefined
      /** The caller's own identifier; the same one again returns the same object. */
      external_id?: string | undefined
      /** `delivered` where absent; `settled`: delivered, or failed for good */
      status?: 'pending' | 'queued' | 'delivered' | 'failed' | 'settled' | undefined
      /** Real time; 5s where absent */
      timeout?: number | string | undefined
    }
    answer: Webhook
  }
  /** One event: the exact body, every attempt. */
  'GET /webhooks/{id}': {
    params: { id: string | number }
    answer: Webhook
  }
  /** Send an event again, at once. */
  'POST /webhooks/{id}/redeliver': {
    params: { id: string | number }
    answer: WebhookSummary
  }
  /** The inboxes that exist, the one used last first. */
  'GET /inbox': {
    query: {
      /** At most so many (default: all) */
      limit?: number | undefined
      /** The `next` of an earlier page */
      after?: string | undefined
    }
    answer: {
      data: Array<Inbox>
      next: string | null
    }
  }
  /** A receiver of webhooks: put this address as postback_url. Where the sandbox is shared, strangers create no inbox (404) and have a bound of their own (507). */
  'POST /inbox/{name}': {
    params: { name: string | number }
    answer: null
  }
  /** What came, in order of arrival unless said otherwise. */
  'GET /inbox/{name}': {
    params: { name: string | number }
    query: {
      /** Which come first; `oldest` where absent */
      order?: 'oldest' | 'newest' | undefined
      /** What stands in `X-Webhook-Event` */
      event?: string | undefined
      /** A part of the text that came: an id, say */
      about?: string | undefined
      /** At most so many; 50 where absent */
      limit?: number | undefined
      /** The `next` of an earlier page */
      after?: string | undefined
    }
    answer: {
      data: Array<InboxMessage>
      next: string | null
    }
  }
  /** What to answer next; the last answer repeats. */
  'PUT /inbox/{name}': {
    params: { name: string | number }
    body: {
      responses: Array<{
        status: number
        delay?: number | string | undefined
      }>
    }
    answer: {
      responses: Array<{
        status: number
        delay: string
      }>
    }
  }
  /** Empty it: messages and answers. */
  'DELETE /inbox/{name}': {
    params: { name: string | number }
    answer: null
  }
  /** API calls, newest first. */
  'GET /requests': {
    query: {
      status?: number | undefined
      error_code?:
        | 'INVALID_CREDENTIALS'
        | 'IP_BLOCKED_TEMPORARILY'
        | 'INVALID_TIMESTAMP'
        | 'REPLAY_DETECTED'
        | 'INVALID_SIGNATURE'
        | 'MISSING_SIGNATURE'
        | 'MISSING_REQUIRED_FIELD'
        | 'INVALID_AMOUNT'
        | 'INVALID_CURRENCY'
        | 'UNSUPPORTED_CHAIN'
        | 'BELOW_MIN_LIMIT'
        | 'EXCEEDS_MAX_LIMIT'
        | 'LIMIT_EXCEEDED'
        | 'DUPLICATE_EXTERNAL_ID'
        | 'PROVIDER_ERROR'
        | 'UNAUTHORIZED'
        | 'TOKEN_EXPIRED'
        | 'CREDENTIAL_INACTIVE'
        | 'FORBIDDEN_ORIGIN'
        | 'INVALID_JSON'
        | 'UNSUPPORTED_CONTENT_TYPE'
        | 'PAYLOAD_TOO_LARGE'
        | 'INVALID_VALUE'
        | 'INVALID_POSTBACK_URL'
        | 'INVALID_SPLIT_CONFIG'
        | 'INSUFFICIENT_BALANCE'
        | 'SELF_TRANSFER_BLOCKED'
        | 'NOT_FOUND'
        | 'METHOD_NOT_ALLOWED'
        | 'INVALID_TRANSITION'
        | 'CONFLICT'
        | 'WAIT_TIMEOUT'
        | 'RATE_LIMIT_EXCEEDED'
        | 'INBOX_FULL'
        | 'INTERNAL_ERROR'
        | 'SERVICE_UNAVAILABLE'
        | undefined
      path?: string | undefined
      method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS' | undefined
      account?: string | undefined
      /** `true`: only calls with warnings; `false`: only those without */
      warnings?: 'true' | 'false' | undefined
      /** What the call was about: what it said, or was told */
      transaction_id?: string | undefined
      /** At most so many; 50 where absent */
      limit?: number | undefined
      /** The `next` of an earlier page */
      after?: string | undefined
    }
    answer: {
      data: Array<LoggedCall>
      next: string | null
    }
  }
  /** One call with its bodies, and what was wrong with its signature. */
  'GET /requests/{id}': {
    params: { id: string | number }
    answer: LoggedCallInFull
  }
  /** How many calls were as expected, and which nearly were; 409 where `times` does not hold. */
  'POST /requests/verify': {
    body: {
      method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS' | undefined
      /** Without a query it is compared with the path alone */
      path?: string | undefined
      status?: number | undefined
      /** Of an object only the named fields count */
      body?: unknown | undefined
      headers?: Record<string, string> | undefined
      /** How many there must be; any number where absent */
      times?: number | undefined
    }
    answer: {
      matched: number
      near: Array<NearMiss>
    }
  }
  /** Make the same call again, with a fresh token and signature where it needs them. */
  'POST /requests/{id}/replay': {
    params: { id: string | number }
    answer: LoggedCallInFull
  }
  /** Scenarios: built-in, from the folder, uploaded. */
  'GET /scenarios': {
    query: {
      /** At most so many (default: all) */
      limit?: number | undefined
      /** The `next` of an earlier page */
      after?: string | undefined
    }
    answer: {
      data: Array<ScenarioSummary>
      next: string | null
    }
  }
  /** Upload a scenario, YAML or JSON. */
  'POST /scenarios': {
    body:
      | string
      | {
          name: string
          [more: string]: unknown
        }
    answer: Scenario
  }
  /** JSON Schema of scenario files, for editors. */
  'GET /scenarios/schema.json': {
    answer: string
  }
  /** One scenario with its steps. */
  'GET /scenarios/{name}': {
    params: { name: string | number }
    answer: Scenario
  }
  /** Delete an uploaded scenario. */
  'DELETE /scenarios/{name}': {
    params: { name: string | number }
    answer: null
  }
  /** Run a scenario. */
  'POST /scenarios/{name}/run': {
    params: { name: string | number }
    body: {
      /** Its id, or an external_id that only one object bears */
      id?: string | number | undefined
      params?: Record<string, string | number | boolean> | undefined
      account?: string | undefined
      /** Moves the clock instead of waiting */
      fast_forward?: boolean | undefined
      /** Answer when the run is over; so it is with fast_forward unless said otherwise */
      wait?: boolean | undefined
    }
    answer: Run
  }
  /** Let a scenario catch the integrator’s own calls. */
  'POST /scenarios/{name}/arm': {
    params: { name: string | number }
    body: {
      /** How many calls; as the scenario says where absent */
      times?: number | null | undefined
      /** Whose; everybody’s where absent */
      account?: string | undefined
    }
    answer: Arm
  }
  /** Disarm a scenario. */
  'DELETE /scenarios/{name}/arm': {
    params: { name: string | number }
    query: {
      account?: string | undefined
    }
    answer: {
      scenario: string
      disarmed: number
    }
  }
  /** Runs, newest first. */
  'GET /runs': {
    query: {
      scenario?: string | undefined
      status?: 'running' | 'passed' | 'failed' | 'canceled' | undefined
      /** At most so many; 50 where absent */
      limit?: number | undefined
      /** The `next` of an earlier page */
      after?: string | undefined
    }
    answer: {
      data: Array<Run>
      next: string | null
    }
  }
  /** One run, step by step. */
  'GET /runs/{id}': {
    params: { id: string | number }
    answer: Run
  }
  /** Cancel a run. */
  'DELETE /runs/{id}': {
    params: { id: string | number }
    answer: Run
  }
  /** Snapshots, newest first. */
  'GET /snapshots': {
    query: {
      /** At most so many (default: all) */
      limit?: number | undefined
      /** The `next` of an earlier page */
      after?: string | undefined
    }
    answer: {
      data: Array<Snapshot>
      next: string | null
    }
  }
  /** Keep the whole workspace under a name, in the place of an earlier snapshot of that name. */
  'POST /snapshots': {
    body: {
      name?: string | undefined
    }
    answer: SnapshotAndClock
  }
  /** Give a snapshot another name, in the place of an earlier snapshot of that name. */
  'PATCH /snapshots/{name}': {
    params: { name: string | number }
    body: {
      name: string
    }
    answer: Snapshot
  }
  /** Bring the whole workspace back, clock and queue included. */
  'POST /snapshots/{name}/restore': {
    params: { name: string | number }
    answer: SnapshotAndClock
  }
  /** A snapshot as one file, versioned, which any sandbox can import: every row of the workspace. */
  'GET /snapshots/{name}/export': {
    params: { name: string | number }
    answer: SnapshotFile
  }
  /** Keep what an exported file holds, under a name; a damaged, foreign or newer one changes nothing. */
  'POST /snapshots/{name}/import': {
    params: { name: string | number }
    body: string | SnapshotFile
    answer: Snapshot
  }
  /** Forget a snapshot. */
  'DELETE /snapshots/{name}': {
    params: { name: string | number }
    answer: null
  }
  /** The workspaces of this sandbox, by their names, `default` first. */
  'GET /workspaces': {
    query: {
      /** At most so many; 1000 where absent */
      limit?: number | undefined
      /** The `next` of an earlier page */
      after?: string | undefined
    }
    answer: {
      data: Array<WorkspaceAddress>
      next: string | null
    }
  }
  /** Make a workspace: a sandbox of its own under /w/{name}. */
  'POST /workspaces': {
    body: {
      name: string
    }
    answer: {
      name: string
      base_url: string
      accounts: Array<Account>
      /** What its control API asks for, where each has one of its own; told this once */
      admin_token?: string | undefined
    }
  }
  /** Drop a workspace and all in it. */
  'DELETE /workspaces/{name}': {
    params: { name: string | number }
    answer: null
  }
  /** Server-sent events: every change as it happens. */
  'GET /stream': {
    query: {
      /** Some of the types, with commas between them; all where absent */
      types?: string | undefined
      /** The id of the last event seen: goes on after it */
      last_event_id?: string | undefined
    }
    answer: string
  }
  /** The API as an OpenAPI 3.1 document. */
  'GET /openapi.json': {
    answer: {
      openapi: string
      [more: string]: unknown
    }
  }
  /** The API as a page. */
  'GET /docs': {
    query: Record<string, unknown>
    answer: string
  }
  /** The style of the page. */
  'GET /docs.css': {
    answer: string
  }
  /** The script of the page. */
  'GET /docs.js': {
    answer: string
  }
  /** Try a receiver of webhooks, rule by rule. */
  'POST /certify/receiver': {
    body: {
      /** Where the receiver is; the rules for webhook addresses apply */
      url: string
      /** Asked with `?transaction_id=` what became of it: `{"status": "confirmed", "credited": "25.50"}` */
      effects?: string | undefined
      /** A POST there restarts the receiver, and is answered when it is up again */
      restart?: string | undefined
      /** `production`: without `X-Sandbox`, which is to be refused */
      mode?: 'sandbox' | 'production' | undefined
      production_url?: string | undefined
      /** What to sign with; the secret of `merchant` where absent */
      webhook_secret?: string | undefined
      /** The `id` of the changes of type `certify` that tell each rule on the stream */
      run?: string | undefined
    }
    answer: Certificate
  }
  /** Fill the workspace with a believable month: the clock advances through it, and stands at its end. */
  'POST /seed/{name}': {
    params: { name: string | number }
    body: {
      /** How many days; 30 where absent */
      days?: number | undefined
      /** Where webhooks go that have no address yet; an inbox of the sandbox where absent */
      postback_url?: string | undefined
    }
    answer: {
      name: 'demo'
      /** Business time when it began */
      from: string
      /** Business time now */
      to: string
      /** How many things were done: charges made, paid, refunded, disputed, … */
      happened: number
      /** How many the platform did not allow, for want of balance, say */
      refused: number
    }
  }
  /** Find transactions, disputes, wallets and events by id, external_id, payer, proof or address. */
  'GET /search': {
    query: {
      /** A beginning of an id or external_id finds whatever is stored; a part of anything the newest 20,000 of each kind */
      q: string
      /** At most so many of each kind; 8 where absent */
      limit?: number | undefined
    }
    answer: {
      data: Array<SearchHit>
      next: string | null
    }
  }
  /** Money in and out, webhooks delivered and not, hour by hour or day by day up to now. */
  'GET /activity': {
    query: {
      /** How long a span is; `day` (UTC) where absent */
      by?: 'hour' | 'day' | undefined
      /** How many, the present one last; 30 where absent */
      spans?: number | undefined
    }
    answer: {
      by: 'hour' | 'day'
      data: Array<ActivitySpan>
    }
  }
}

export type ControlRoute = keyof ControlRoutes
