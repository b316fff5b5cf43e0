/** The subjects of the settings, for their page. */

/** The settings of each subject. Those that stand nowhere belong to the last one. */
const namesOf: Readonly<Record<string, string>> = {
  Server: 'port host allow_host admin_token tls tls_cert tls_key',
  State: 'db durability database_driver snapshot max_import_mb seed demo_secrets',
  'Time and faults': 'clock chaos scenarios arm strict rate_limits',
  Webhooks: 'webhook_url strict_webhooks webhook_rate_key',
  'Charges and withdrawals':
    'pix_charge_life crypto_charge_life clabe_life payer_document fiat_chain cashout_settle wrong_destination bank_code_mismatch withdrawal_status refunded_amount',
  'Fees and limits': 'fees fee_rounding split_base limits below_minimum limit_day daily_limit_returns',
  'Wallets, transfers, conversions':
    'second_wallet sent_direction rates spread_percent rate_decimals quote_life equal_currencies reverted_currency',
  Disputes: 'dispute_deadline default_reasons',
  'Responses and lists':
    'empty_fields answer_amounts amount_decimals time_offset payment_methods network_labels min_confirmations error_groups retryable_errors page_size filter_day unknown_filters',
  'Start and output': '',
}
export const subjects = Object.keys(namesOf)

export const subjectOf = (name: string): string =>
  subjects.find((subject) => namesOf[subject]?.split(' ').includes(name)) ?? subjects.at(-1) ?? ''
