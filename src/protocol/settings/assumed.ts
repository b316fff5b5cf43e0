/** The settings that decide an assumption about what the platform does: a plain value, or a choice between few. */
import { offsetMsOf, saoPauloOffset } from '../../base/iso.js'
import { keysOf } from '../../base/keys.js'
import { minutes, seconds } from '../platform/figures.js'
import * as limits from '../platform/limits.js'
import { type ReasonName, reasons, reasonTexts } from '../platform/reasons.js'
import { formSettings } from './assumed-forms.js'
import * as pricing from './pricing.js'
import { assumption } from './row.js'
import { duration, life, offset, oneOf, partialTable, whole, word } from './values.js'

export const assumedSettings = {
  crypto_charge_life: assumption({
    schema: duration,
    sets: (cryptoChargeLifeMs) => ({ cryptoChargeLifeMs }),
    preset: { cryptoChargeLifeMs: limits.cryptoAddressLifeMs },
    title: 'Time until an unpaid crypto charge expires',
    byDefault: `${minutes(limits.cryptoAddressLifeMs)}.`,
  }),
  clabe_life: assumption({
    schema: life,
    sets: ({ ms }): { clabeLifeMs: number | null } => ({ clabeLifeMs: ms }),
    preset: { clabeLifeMs: null },
    title: 'Time until an unpaid SPEI charge expires, or `never`',
    byDefault: '`never`.',
  }),
  wrong_destination: assumption({
    schema: oneOf(['fail', 'reject']),
    sets: (wrongDestination) => ({ wrongDestination }),
    preset: { wrongDestination: 'fail' },
    title: 'What happens to a withdrawal with a wrong destination: `fail` or `reject`',
    byDefault: '`fail`: it is accepted and fails later by event. With `reject` the call is 422 `INVALID_VALUE`.',
  }),
  bank_code_mismatch: assumption({
    schema: oneOf(['fail', 'ignore']),
    sets: (bankCodeMismatch) => ({ bankCodeMismatch }),
    preset: { bankCodeMismatch: 'fail' },
    title: 'What happens to a withdrawal whose `bank_code` contradicts the CLABE: `fail` or `ignore`',
    byDefault: '`fail`: it fails later by event. With `ignore` the code does not matter.',
  }),
  fees: assumption({
    schema: pricing.fees,
    sets: (fees: pricing.ByOperation<pricing.FeeChange>) => ({ fees }),
    preset: { fees: {} },
    title: 'Fees by currency and operation, such as `BRL: { cashin: { fixed: 0, percent: 1.5 } }`',
    byDefault: 'Those under Currencies, networks, fees. The fees of one account win.',
  }),
  fee_rounding: assumption({
    schema: oneOf(keysOf(limits.feeRoundings)),
    sets: (feeRounding) => ({ feeRounding }),
    preset: { feeRounding: 'half_up' },
    title: 'How a percentage fee is rounded: `half_up`, `down` or `up`',
    byDefault: '`half_up`.',
  }),
  limits: assumption({
    schema: pricing.limits,
    sets: (changes: pricing.ByOperation<pricing.LimitChange>) => ({ limits: changes }),
    preset: { limits: {} },
    title: 'Limits by currency and operation, such as `BRL: { cashin: { max_amount: 5000 } }`',
    byDefault: 'Those under Currencies, networks, fees. The limits of one account win.',
  }),
  limit_day: assumption({
    schema: offset,
    sets: (offset) => ({ limitDayOffsetMs: offsetMsOf(offset) }),
    preset: { limitDayOffsetMs: offsetMsOf(saoPauloOffset) },
    title: 'UTC offset of the day of a daily limit: `Z`, or an offset such as `-03:00`',
    byDefault: '`-03:00`: America/Sao_Paulo.',
  }),
  filter_day: assumption({
    schema: offset,
    sets: (filterDay) => ({ filterDay }),
    preset: { filterDay: saoPauloOffset },
    title: 'Offset of the days in `from_date` and `to_date`: `Z`, or an offset such as `-03:00`',
    byDefault: '`-03:00`: America/Sao_Paulo.',
  }),
  unknown_filters: assumption({
    schema: oneOf(['reject', 'ignore']),
    sets: (unknownFilters) => ({ unknownFilters }),
    preset: { unknownFilters: 'reject' },
    title: 'What happens to a filter with an unknown value: `reject` or `ignore`',
    byDefault: '`reject`: 422 `INVALID_VALUE`. With `ignore` the list is not filtered by it.',
  }),
  page_size: assumption({
    schema: whole(1, limits.pageSizes.max),
    sets: (pageSize) => ({ pageSize }),
    preset: { pageSize: limits.pageSizes.default },
    title: 'Items of a page if `page_size` is omitted',
    byDefault: `${limits.pageSizes.default}.`,
  }),
  default_reasons: assumption({
    schema: partialTable(keysOf(reasons), word),
    sets: (given): { reasons: Readonly<Record<ReasonName, string>> } => ({ reasons: { ...reasonTexts, ...given } }),
    preset: { reasons: reasonTexts },
    title: 'Default reason of each action',
    byDefault: 'Those under Disputes.',
  }),
  second_wallet: assumption({
    schema: oneOf(['new', 'same']),
    sets: (secondWallet) => ({ secondWallet }),
    preset: { secondWallet: 'new' },
    title: 'What a second wallet call for the same currency and chain returns: a `new` wallet or the `same` one',
    byDefault: '`new`.',
  }),
  payer_document: assumption({
    schema: oneOf(['check', 'accept']),
    sets: (payerDocument) => ({ payerDocument }),
    preset: { payerDocument: 'check' },
    title: 'What happens to a charge with an invalid `payer.document`: `check` or `accept`',
    byDefault: '`check`: 422 `INVALID_VALUE`. With `accept` every text is accepted.',
  }),
  fiat_chain: assumption({
    schema: oneOf(['reject', 'ignore']),
    sets: (fiatChain) => ({ fiatChain }),
    preset: { fiatChain: 'reject' },
    title: 'What happens to a `chain` with BRL or MXN: `reject` or `ignore`',
    byDefault: '`reject`: 422 `UNSUPPORTED_CHAIN`.',
  }),
  equal_currencies: assumption({
    schema: oneOf(['INVALID_CURRENCY', 'INVALID_VALUE']),
    sets: (equalCurrencies) => ({ equalCurrencies }),
    preset: { equalCurrencies: 'INVALID_CURRENCY' },
    title: 'Error code of a conversion between equal currencies',
    byDefault: '`INVALID_CURRENCY`.',
  }),
  rate_decimals: assumption({
    schema: whole(2, limits.ratePlaces),
    sets: (rateDecimals) => ({ rateDecimals }),
    preset: { rateDecimals: limits.ratePlaces },
    title: 'Decimals of an exchange rate',
    byDefault: `${limits.ratePlaces}, rounded down.`,
  }),
  quote_life: assumption({
    schema: duration,
    sets: (quoteLifeMs) => ({ quoteLifeMs }),
    preset: { quoteLifeMs: limits.quoteLifeMs },
    title: 'Validity of a simulated conversion',
    byDefault: `${seconds(limits.quoteLifeMs)}.`,
  }),
  ...formSettings,
} as const
