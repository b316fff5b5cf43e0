/**
 * The settings that decide an assumption about what the platform does: fees and limits, the format of responses and events, a
 * plain value, or a choice between few.
 */
import * as z from 'zod'
import { offsetMsOf, saoPauloOffset } from '../../base/iso.js'
import { keysOf } from '../../base/keys.js'
import { chainNames, currenciesInWords, isCurrency, networkLabels } from '../platform/currencies.js'
import { errorCodes, errorGroups } from '../platform/errors.js'
import { type ReasonName, reasons, reasonTexts } from '../platform/failures.js'
import * as limits from '../platform/limits.js'
import { minutes, operations, seconds } from '../platform/limits.js'
import { assumedPaymentMethods } from '../platform/responses.js'
import {
  assumption,
  checkScale,
  decimal,
  duration,
  flag,
  life,
  offset,
  oneNumberOf,
  oneOf,
  partialTable,
  percent,
  sets,
  tableByCurrency,
  whole,
  word,
} from './values.js'

const byOperation = <Row extends z.ZodType>(row: Row) =>
  tableByCurrency(partialTable(operations, row)).superRefine((prices, ctx) => {
    for (const [currency, rows] of Object.entries(prices))
      for (const [operation, row] of Object.entries(rows ?? {}))
        for (const [name, amount] of Object.entries(row ?? {})) {
          if (name === 'percent' || !isCurrency(currency) || typeof amount !== 'string') continue
          checkScale(ctx, amount, currency, operation, name)
        }
  })

const fee = z.strictObject({ fixed: decimal.optional(), percent: percent.optional() })
export type FeeChange = z.output<typeof fee>
const limit = z.strictObject({
  min_amount: decimal.optional(),
  max_amount: decimal.optional(),
  daily_limit: decimal.optional(),
})
export type LimitChange = z.output<typeof limit>

const wireFormatSettings = {
  withdrawal_status: assumption({
    ...sets('withdrawalStatus', oneNumberOf([200, 201, 202]), 202),
    title: 'HTTP status of the answer to a withdrawal: 200, 201 or 202',
    defaultText: '202',
  }),
  empty_fields: assumption({
    ...sets('emptyFields', oneOf(['null', 'absent']), 'null'),
    title: 'How responses and events show a missing value: `null` or `absent`',
    defaultText: '`null`. With `absent` the field is left out.',
  }),
  answer_amounts: assumption({
    ...sets('answerAmounts', oneOf(['number', 'string']), 'number'),
    title: 'JSON type of amounts in responses: `number` or `string`',
    defaultText:
      '`number`. With `string`, amounts are decimal strings, except in the response to a charge, where the documented type is used.',
  }),
  amount_decimals: assumption({
    ...sets('amountDecimals', oneOf(['full', 'shortest']), 'full'),
    title: 'Decimals of amounts that are strings: `full` (`25.50`) or `shortest` (`25.5`)',
    defaultText: '`full`: `25.50`; `shortest` leaves out trailing zeros: `25.5`',
  }),
  time_offset: assumption({
    ...sets('timeOffset', offset, saoPauloOffset),
    title: 'Time zone of times that the documentation does not show in UTC: `Z`, or an offset such as `-03:00`',
    defaultText: '`-03:00`',
  }),
  payment_methods: assumption({
    ...sets('paymentMethods', partialTable(assumedPaymentMethods, word), {}),
    title: 'Values of `payment_method` for `crypto` and `spei`',
    defaultText: '`crypto` and `spei`',
  }),
  network_labels: assumption({
    ...sets('networkLabels', partialTable(networkLabels, word), {}),
    title: 'Names that replace network names in responses and events, such as `ERC20: ETHEREUM`',
    defaultText: 'None. The labels under "Currencies, networks, fees" in docs/assumptions.md.',
  }),
  min_confirmations: assumption({
    ...sets('minConfirmations', partialTable(chainNames, whole(0, 10_000)), {}),
    title: 'Value of the field `min_confirmations` for each chain',
    defaultText: 'The figures under "Currencies, networks, fees" in docs/assumptions.md.',
  }),
  sent_direction: assumption({
    ...sets('sentDirection', word, 'sent'),
    title: 'Value of the field `direction` for the sender of a transfer',
    defaultText: '`sent`',
  }),
  error_groups: assumption({
    ...sets('errorGroups', partialTable([...errorCodes, ...errorGroups], word), {}),
    title: 'Value of `error.group` for each error code, or new names for the groups',
    defaultText: 'The groups under "Error codes" in docs/assumptions.md.',
  }),
  retryable_errors: assumption({
    ...sets('retryableErrors', partialTable(errorCodes, flag), {}),
    title: 'Value of `error.retryable` for each error code',
    defaultText: 'The values under "Error codes" in docs/assumptions.md.',
  }),
} as const

export const assumedSettings = {
  crypto_charge_life: assumption({
    ...sets('cryptoChargeLifeMs', duration, limits.cryptoAddressLifeMs),
    title: 'Time until an unpaid crypto charge expires',
    defaultText: `${minutes(limits.cryptoAddressLifeMs)}`,
  }),
  clabe_life: assumption({
    schema: life,
    toConfig: ({ ms }): { clabeLifeMs: number | null } => ({ clabeLifeMs: ms }),
    defaults: { clabeLifeMs: null },
    effective: 'never',
    title: 'Time until an unpaid SPEI charge expires, or `never`',
    defaultText: '`never`',
  }),
  wrong_destination: assumption({
    ...sets('wrongDestination', oneOf(['fail', 'reject']), 'fail'),
    title: 'Withdrawal with a wrong destination: `fail` or `reject`',
    defaultText:
      '`fail`: the withdrawal is accepted and fails later with `cashout.failed`. With `reject` the call is rejected with 422 `INVALID_VALUE`.',
  }),
  bank_code_mismatch: assumption({
    ...sets('bankCodeMismatch', oneOf(['fail', 'ignore']), 'fail'),
    title: 'Withdrawal whose `bank_code` contradicts the CLABE: `fail` or `ignore`',
    defaultText:
      '`fail`: the withdrawal is accepted and fails later with `cashout.failed`. With `ignore` the code is not compared with the CLABE.',
  }),
  fees: assumption({
    ...sets('fees', byOperation(fee), {}),
    title: 'Fees by currency and operation, such as `BRL: { cashin: { fixed: 0, percent: 1.5 } }`',
    defaultText:
      'The fees under "Currencies, networks, fees" in docs/assumptions.md. Fees that are set for an account take precedence.',
  }),
  fee_rounding: assumption({
    ...sets('feeRounding', oneOf(keysOf(limits.feeRoundings)), 'half_up'),
    title: 'How a percentage fee is rounded: `half_up`, `down` or `up`',
    defaultText: '`half_up`',
  }),
  limits: assumption({
    ...sets('limits', byOperation(limit), {}),
    title: 'Limits by currency and operation, such as `BRL: { cashin: { max_amount: 5000 } }`',
    defaultText:
      'The limits under "Currencies, networks, fees" in docs/assumptions.md. Limits that are set for an account take precedence.',
  }),
  limit_day: assumption({
    schema: offset,
    toConfig: (offset) => ({ limitDayOffsetMs: offsetMsOf(offset) }),
    defaults: { limitDayOffsetMs: offsetMsOf(saoPauloOffset) },
    title: 'Time zone of the daily limits: `Z`, or an offset such as `-03:00`',
    defaultText: '`-03:00`: America/Sao_Paulo',
  }),
  filter_day: assumption({
    ...sets('filterDay', offset, saoPauloOffset),
    title: 'Time zone of the days in `from_date` and `to_date`: `Z`, or an offset such as `-03:00`',
    defaultText: '`-03:00`: America/Sao_Paulo',
  }),
  unknown_filters: assumption({
    ...sets('unknownFilters', oneOf(['reject', 'ignore']), 'reject'),
    title: 'Filter with an unknown value: `reject` or `ignore`',
    defaultText: '`reject`: 422 `INVALID_VALUE`. With `ignore` the filter has no effect.',
  }),
  page_size: assumption({
    ...sets('pageSize', whole(1, limits.pageSizes.max), limits.pageSizes.default),
    title: 'Rows on a page if `page_size` is omitted',
    defaultText: `${limits.pageSizes.default}`,
  }),
  default_reasons: assumption({
    schema: partialTable(keysOf(reasons), word),
    toConfig: (texts): { reasons: Readonly<Record<ReasonName, string>> } => ({ reasons: { ...reasonTexts, ...texts } }),
    defaults: { reasons: reasonTexts },
    title: 'Default reasons of refunds, disputes and failures',
    defaultText: 'The reasons under "Disputes" in docs/assumptions.md.',
  }),
  webhook_rate_key: assumption({
    ...sets('webhookRateKey', oneOf(['credential', 'account']), 'credential'),
    title: 'Webhooks that share a rate limit: those of a `credential` or of an `account`',
    defaultText: '`credential`: each credential is an integration of its own.',
  }),
  split_base: assumption({
    ...sets('splitBase', oneOf(['net', 'gross']), 'net'),
    title: 'Amount that the percentages of a split divide: `net` (after the fee) or `gross`',
    defaultText: '`net`. With both, the shares together cannot exceed the net amount.',
  }),
  reverted_currency: assumption({
    ...sets('revertedCurrency', oneOf(['destination', 'source']), 'destination'),
    title:
      'Side of the conversion that `amount_reverted_from` in `conversion.refunded` names: `destination` or `source`',
    defaultText: '`destination`. With `source`, `amount_returned_to` is the destination instead.',
  }),
  refunded_amount: assumption({
    ...sets('refundedAmount', oneOf(['with_fee', 'without_fee']), 'with_fee'),
    title: 'Fee in the `refunded_amount` of `cashout.failed`: `with_fee` or `without_fee`',
    defaultText: '`with_fee`. The balance gets back the amount and the fee with both.',
  }),
  second_wallet: assumption({
    ...sets('secondWallet', oneOf(['new', 'same']), 'new'),
    title: 'Second wallet call for the same currency and chain: a `new` wallet or the `same` one',
    defaultText: '`new`',
  }),
  payer_document: assumption({
    ...sets('payerDocument', oneOf(['check', 'accept']), 'check'),
    title: 'Charge with an invalid `payer.document`: `check` (it is rejected) or `accept`',
    defaultText: '`check`: 422 `INVALID_VALUE`. With `accept` every text is accepted.',
  }),
  fiat_chain: assumption({
    ...sets('fiatChain', oneOf(['reject', 'ignore']), 'reject'),
    title: `Charge with a \`chain\` in ${currenciesInWords.bank('or')}: \`reject\` or \`ignore\``,
    defaultText: '`reject`: 422 `UNSUPPORTED_CHAIN`',
  }),
  equal_currencies: assumption({
    ...sets('equalCurrencies', oneOf(['INVALID_CURRENCY', 'INVALID_VALUE']), 'INVALID_CURRENCY'),
    title: 'Error code of a conversion between equal currencies',
    defaultText: '`INVALID_CURRENCY`',
  }),
  rate_decimals: assumption({
    ...sets('rateDecimals', whole(2, limits.ratePlaces), limits.ratePlaces),
    title: 'Decimals of an exchange rate',
    defaultText: `${limits.ratePlaces}, rounded down`,
  }),
  quote_life: assumption({
    ...sets('quoteLifeMs', duration, limits.quoteLifeMs),
    title: 'Validity of a conversion quote',
    defaultText: `${seconds(limits.quoteLifeMs)}`,
  }),
  ...wireFormatSettings,
} as const
