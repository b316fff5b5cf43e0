/** Another value of each setting whose effect shows in full wherever it shows: in recordings and in probes. */
import type { PlatformSetting } from '../../src/protocol/settings/platform.js'

export const otherSettings = {
  pix_charge_life: '15m',
  crypto_charge_life: '10m',
  below_minimum: 'INVALID_AMOUNT',
  withdrawal_status: 200,
  wrong_destination: 'reject',
  empty_fields: 'absent',
  answer_amounts: 'string',
  amount_decimals: 'shortest',
  time_offset: 'Z',
  payment_methods: { crypto: 'blockchain', spei: 'bank_transfer' },
  unknown_filters: 'ignore',
  page_size: 20,
  second_wallet: 'same',
  refunded_amount: 'without_fee',
  payer_document: 'accept',
  fiat_chain: 'ignore',
  equal_currencies: 'INVALID_VALUE',
  quote_life: '2m',
} as const satisfies Partial<Record<PlatformSetting, unknown>>

/** The documentation says something about one of the settings all the same: a temporary crypto address lives about 30 minutes. */
export const verdictOf = (setting: string | null) =>
  setting === 'crypto_charge_life' ? 'documentation_wrong' : 'assumption_wrong'
