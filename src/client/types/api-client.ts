/** A method for each endpoint. Generated from the schemas by `npm run client-types`: change those instead. */

import type { ApiCallOptions } from '../call-options.js'

import type {
  CashinRequest,
  CashoutRequest,
  ConversionRequest,
  InfractionDetailRequest,
  InfractionListRequest,
  InfractionReplyRequest,
  PixPaymentRequest,
  TransactionListRequest,
  TransferRequest,
  WalletRequest,
} from './requests.js'

import type {
  BalanceResponse,
  CashinResponse,
  CashoutResponse,
  ConversionResponse,
  FeesResponse,
  InfractionDetailResponse,
  InfractionListResponse,
  InfractionReplyResponse,
  LimitsResponse,
  ProfileResponse,
  RateResponse,
  SimulationResponse,
  TokenResponse,
  TransactionListResponse,
  TransferResponse,
  WalletResponse,
} from './responses.js'

/** The faked API, typed. Each call resolves to the `data` of the answer; throws `SandboxError` and `UnreachableError`. */
export interface ApiClient {
  /** Get an access token: POST /v2/oauth/token */
  token(options?: ApiCallOptions): Promise<TokenResponse>
  /** Create a charge: POST /v2/transactions/cashin */
  cashin(request: CashinRequest, options?: ApiCallOptions): Promise<CashinResponse>
  /** Create a fixed wallet: POST /v2/transactions/wallet */
  wallet(request: WalletRequest, options?: ApiCallOptions): Promise<WalletResponse>
  /** Withdraw: POST /v2/transactions/cashout */
  cashout(request: CashoutRequest, options?: ApiCallOptions): Promise<CashoutResponse>
  /** Withdraw by PIX (legacy): POST /v2/pix/payment */
  pixPayment(request: PixPaymentRequest, options?: ApiCallOptions): Promise<CashoutResponse>
  /** Transfer to another account: POST /v2/internal_transfers/payment */
  transfer(request: TransferRequest, options?: ApiCallOptions): Promise<TransferResponse>
  /** Ask the rate of a conversion: POST /v2/conversions/rate */
  rate(request: ConversionRequest, options?: ApiCallOptions): Promise<RateResponse>
  /** Simulate a conversion: POST /v2/conversions/simulate */
  simulate(request: ConversionRequest, options?: ApiCallOptions): Promise<SimulationResponse>
  /** Convert between balances: POST /v2/conversions/new */
  conversion(request: ConversionRequest, options?: ApiCallOptions): Promise<ConversionResponse>
  /** List transactions: POST /v2/account/transactions/list */
  transactionList(request?: TransactionListRequest, options?: ApiCallOptions): Promise<TransactionListResponse>
  /** Balances: GET /v2/account/balance */
  balance(options?: ApiCallOptions): Promise<BalanceResponse>
  /** Profile: GET /v2/account/profile */
  profile(options?: ApiCallOptions): Promise<ProfileResponse>
  /** Limits: GET /v2/account/limits */
  limits(options?: ApiCallOptions): Promise<LimitsResponse>
  /** Fees: GET /v2/account/fees */
  fees(options?: ApiCallOptions): Promise<FeesResponse>
  /** List disputes: GET /v2/account/infractions */
  infractionList(request?: InfractionListRequest, options?: ApiCallOptions): Promise<InfractionListResponse>
  /** Read a dispute: GET /v2/account/infractions/detail */
  infractionDetail(request: InfractionDetailRequest, options?: ApiCallOptions): Promise<InfractionDetailResponse>
  /** Reply to a dispute: POST /v2/account/infractions/reply */
  infractionReply(request: InfractionReplyRequest, options?: ApiCallOptions): Promise<InfractionReplyResponse>
}
