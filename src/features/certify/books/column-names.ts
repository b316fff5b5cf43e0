/** How ledgers of integrators name their columns, in English, Portuguese and Spanish. */

import { type Currency, currencyNames, megabyte } from '../../../inside/platform.js'
import { keysOf, rowAt, timeZone } from '../../../inside/values.js'
import { plainWord, spaced } from './words.js'

/** Largest ledger that is certified. */
export const maxBooksBytes = 32 * megabyte

/** `Identificador da transação` is `identificador_transacao`. */
const prepositions = ['de', 'da', 'do', 'del', 'la', 'el', 'of', 'the']
const namesOf = (word: string) => [
  word,
  `${word}_id`,
  ...['id', 'identificador', 'codigo', 'numero'].map((of) => `${of}_${word}`),
]

// biome-ignore format: a table, a row a line
export const bookColumns = {
  transaction_id: ['transaction', 'txid', 'tx_id', 'tx', 'platform_id', 'provider_id', 'gateway_id', 'payment_id', 'source_id', 'id', 'conversion_id', 'transaction_code', 'transaction_number', 'transaction_reference', ...namesOf('transacao'), ...namesOf('transaccion')],
  external_id: ['external', 'reference', 'order', 'order_id', 'order_number', 'merchant_reference', 'reference_id', 'ref', 'invoice', 'referencia', 'id_externo', ...namesOf('pedido'), ...namesOf('orden'), 'identificador', 'folio'],
  type: ['kind', 'operation', 'entry_type', 'transaction_type', 'category', 'reporting_category', 'event', 'tipo', 'tipo_lancamento', 'tipo_movimento', 'tipo_movimiento', 'tipo_operacao', 'tipo_operacion', 'operacao', 'operacion', 'categoria', 'lancamento', 'movimento', 'movimiento', 'concepto', 'historico', 'descricao', 'descripcion', 'description'],
  currency: ['ccy', 'currency_code', 'asset', 'coin', 'moeda', 'moneda', 'divisa', 'ativo', 'activo'],
  amount: ['value', 'sum', 'total', 'net', 'net_amount', 'amount_net', 'gross', 'gross_amount', 'amount_gross', 'amount_minor', 'amount_cents', 'valor', 'montante', 'valor_liquido', 'valor_bruto', 'quantia', 'centavos', 'monto', 'importe', 'monto_neto', 'importe_neto', 'monto_bruto', 'cantidad'],
  debit: ['debits', 'dr', 'money_out', 'paid_out', 'withdrawn', 'debito', 'debitos', 'saida', 'saidas', 'cargo', 'cargos', 'debe', 'salida', 'salidas', 'egreso', 'egresos'],
  credit: ['credits', 'cr', 'money_in', 'paid_in', 'received', 'credito', 'creditos', 'entrada', 'entradas', 'abono', 'abonos', 'haber', 'ingreso', 'ingresos'],
  direction: ['side', 'dc', 'd_c', 'c_d', 'dr_cr', 'cr_dr', 'debit_credit', 'credit_debit', 'sentido', 'natureza', 'naturaleza', 'direcao', 'direccion', 'debito_credito', 'credito_debito'],
  date: ['day', 'booked_at', 'booked_on', 'created_at', 'created', 'time', 'timestamp', 'datetime', 'date_time', 'occurred_at', 'effective_at', 'posted_at', 'posted_on', 'posted', 'posting_date', 'post_date', 'booked', 'booking_date', 'transaction_date', 'operation_date', 'entry_date', 'event_time', 'paid_at', 'confirmed_at', 'completed_at', 'settled_at', 'settlement_date', 'processed_at', 'value_date', 'valuta', 'when', 'data', 'data_movimento', 'data_transacao', 'data_operacao', 'data_pagamento', 'data_valor', 'data_contabil', 'dia', 'data_lancamento', 'data_hora', 'data_e_hora', 'fecha', 'fecha_hora', 'fecha_y_hora', 'fecha_operacion', 'fecha_movimiento', 'fecha_transaccion', 'fecha_pago', 'fecha_contable', 'fecha_valor'],
  fee: ['fees', 'fee_amount', 'charges', 'commission', 'taxa', 'tarifa', 'taxas', 'tarifas', 'comissao', 'comision', 'comisiones'],
  status: ['state', 'situacao', 'estado', 'estatus'],
} as const satisfies Record<string, readonly string[]>

export type BookColumn = keyof typeof bookColumns
export const bookColumnNames = keysOf(bookColumns)

/** The options that answer a question about a ledger. */
// biome-ignore format: a table, a row a line
export const bookAnswers = {
  ids: 'Name the column with the transaction_id or the external_id with --column transaction_id=HEADER or --column external_id=HEADER (over HTTP: columns), or another account with --account NAME.',
  types: 'Say what each of them is with --type WORD=TYPE (over HTTP: types); repeat it for a word of several types.',
  minorUnits: 'Then add --minor-units (over HTTP: minor_units). Otherwise write amounts with their decimals.',
  decimal: 'give the decimal mark with --decimal point or --decimal comma (over HTTP: decimal)',
  dates: 'name the column with the time of the payment with --column date=HEADER, the time zone of the ledger with --time-zone ZONE, or write dates as 2026-11-21 if the order of day and month is unclear',
} as const

export const howToMap = (column: BookColumn): string =>
  `Map one of them with --column (over HTTP: columns): ${column}=HEADER.`

const symbols: Readonly<Record<string, Currency>> = {
  ...{ R$: 'BRL', REAL: 'BRL', REAIS: 'BRL', MX$: 'MXN', PESO: 'MXN', PESOS: 'MXN', 'PESOS MEXICANOS': 'MXN' },
  ...{ BITCOIN: 'BTC', TETHER: 'USDT' },
}

/** undefined for a currency that the platform does not have. */
export function currencyOf(text: string): Currency | undefined {
  const name = text.trim().toUpperCase()
  return currencyNames.find((one) => one === name) ?? rowAt(symbols, name)
}

const besideAmount = /^(R\$|MX\$|[A-Z]{3,4})\s*[-+(\d]|\d\)?\s*(R\$|MX\$|[A-Z]{3,4})$/i

/** The currency in an amount such as `1,234.56 BRL`. */
export function currencyIn(amount: string): Currency | undefined {
  const [, before, after] = besideAmount.exec(amount.trim()) ?? []
  return currencyOf(before ?? after ?? '')
}

const offsetZone = /^(?:UTC|GMT)(?:([+-])0?(\d{1,2})(?::?00)?)?$/i

/** The time zone that a text names, such as `UTC`, `GMT-3` or `America/Mexico_City`. */
export function zoneNamed(text: string): string | undefined {
  const match = offsetZone.exec(text.trim())
  // In the IANA database, zones west of Greenwich have a plus sign.
  if (match !== null) return match[1] === undefined ? 'UTC' : `Etc/GMT${match[1] === '-' ? '+' : '-'}${match[2]}`
  return text.includes('/') && timeZone(text.trim()) !== null ? text.trim() : undefined
}

const inBrackets = /[([]([^()[\]]*)[)\]]/

interface HeaderParts {
  words: readonly string[]
  currency: Currency | undefined
  zone: string | undefined
}

/** `Valor (R$)` names a column `valor` in BRL, and so does `valor_brl`; `Created (UTC)` names a time zone. */
export function headerParts(header: string): HeaderParts {
  const bracketed = inBrackets.exec(header)?.[1]
  const rest = spaced(header.replace(inBrackets, ' '))
  const parts = rest.split(/[\s_/-]+/).filter((part) => part !== '')
  const named = parts.length > 1 ? parts.find((part) => currencyOf(part) !== undefined) : undefined
  const zoned = parts.length > 1 ? parts.find((part) => zoneNamed(part) !== undefined) : undefined
  const unnamed = parts.filter((part) => part !== named && part !== zoned && !prepositions.includes(part.toLowerCase()))
  const words = [header, rest, unnamed.join(' ')].map(plainWord)
  return {
    words,
    currency: currencyOf(bracketed ?? '') ?? currencyOf(named ?? ''),
    zone: zoneNamed(bracketed ?? '') ?? zoneNamed(zoned ?? ''),
  }
}
