/** How ledgers of integrators name their columns and kinds of entries, in English and Portuguese. */
import { keysOf, rowAt } from '../../base/keys.js'
import { type Currency, currencyNames } from '../../protocol/platform/currencies.js'
import { type EntryType, postingTypeNames } from '../../protocol/platform/entry-types.js'
import { megabyte } from '../../protocol/platform/limits.js'

/** Largest ledger that is certified. */
export const maxBooksBytes = 32 * megabyte

// biome-ignore format: a table, a row a line
export const bookColumns = {
  transaction_id: ['transaction', 'txid', 'tx_id', 'id', 'conversion_id', 'transacao', 'id_transacao', 'id_da_transacao'],
  external_id: ['external', 'reference', 'order', 'order_id', 'referencia', 'id_externo', 'pedido', 'identificador'],
  type: ['kind', 'operation', 'entry_type', 'category', 'tipo', 'operacao', 'categoria', 'lancamento'],
  currency: ['ccy', 'currency_code', 'asset', 'moeda'],
  amount: ['value', 'sum', 'total', 'net', 'net_amount', 'amount_net', 'gross', 'gross_amount', 'valor', 'montante', 'valor_liquido', 'valor_bruto', 'quantia'],
  date: ['day', 'booked_at', 'booked_on', 'created_at', 'timestamp', 'datetime', 'data', 'dia', 'data_lancamento', 'data_hora'],
  fee: ['fees', 'fee_amount', 'charges', 'taxa', 'tarifa', 'taxas', 'tarifas'],
  status: ['state', 'situacao', 'estado'],
} as const satisfies Record<string, readonly string[]>

export type BookColumn = keyof typeof bookColumns
export const bookColumnNames = keysOf(bookColumns)

export const howToMap = (column: BookColumn): string =>
  `Map one of them with --column (over HTTP: columns): ${column}=HEADER.`

/** A word can mean several types; the transaction decides. */
// biome-ignore format: a table, a row a line
const words: readonly (readonly [types: readonly EntryType[], words: readonly string[]])[] = [
  [['charge', 'deposit'], ['cashin', 'cash_in', 'payment', 'payment_received', 'pay_in', 'payin', 'sale', 'cobranca', 'recebimento', 'pagamento_recebido', 'entrada', 'venda', 'pix_recebido']],
  [['deposit', 'charge'], ['deposito', 'wallet_deposit']],
  [['charge_fee', 'deposit_fee', 'withdrawal_fee', 'transfer_fee', 'conversion_fee'], ['fee', 'fees', 'taxa', 'tarifa']],
  [['charge_fee', 'deposit_fee'], ['cashin_fee', 'taxa_de_cobranca', 'tarifa_de_cobranca', 'taxa_de_recebimento', 'tarifa_de_recebimento']],
  [['withdrawal_fee'], ['cashout_fee', 'taxa_de_saque', 'tarifa_de_saque']],
  [['transfer_fee'], ['taxa_de_transferencia', 'tarifa_de_transferencia']],
  [['conversion_fee'], ['taxa_de_conversao', 'tarifa_de_conversao']],
  [['refund', 'dispute_loss', 'withdrawal_return', 'conversion_return'], ['reversal', 'reembolso', 'estorno', 'devolucao']],
  [['dispute_loss'], ['chargeback', 'dispute_lost', 'disputa_perdida', 'perda_de_disputa']],
  [['dispute_block'], ['block', 'blocked', 'dispute_opened', 'bloqueio', 'bloqueio_de_disputa']],
  [['dispute_release'], ['release', 'unblock', 'dispute_won', 'desbloqueio', 'desbloqueio_de_disputa']],
  [['withdrawal'], ['cashout', 'cash_out', 'payout', 'pay_out', 'saque', 'retirada', 'saida', 'pix_enviado']],
  [['withdrawal_return', 'withdrawal_fee_return'], ['cashout_return', 'withdrawal_refund', 'devolucao_de_saque', 'estorno_de_saque']],
  [['withdrawal_fee_return'], ['cashout_fee_return', 'devolucao_da_taxa_de_saque', 'devolucao_da_tarifa_de_saque']],
  [['transfer_sent', 'transfer_received'], ['transfer', 'internal_transfer', 'transferencia']],
  [['transfer_sent'], ['transferencia_enviada']],
  [['transfer_received'], ['transferencia_recebida']],
  [['conversion_sent', 'conversion_received'], ['conversion', 'fx', 'exchange', 'conversao', 'cambio']],
  [['conversion_sent'], ['conversao_enviada', 'conversao_saida']],
  [['conversion_received'], ['conversao_recebida', 'conversao_entrada']],
  [['conversion_return'], ['conversion_refund', 'estorno_de_conversao']],
  [['split_sent', 'split_received'], ['split', 'divisao']],
  [['split_sent'], ['divisao_enviada', 'repasse']],
  [['split_received'], ['divisao_recebida']],
  [['adjustment'], ['opening', 'opening_balance', 'saldo_inicial', 'ajuste']],
]

const typesByWord = new Map<string, readonly EntryType[]>([
  ...words.flatMap(([types, names]) => names.map((name) => [name, types] as const)),
  ...postingTypeNames.map(
    (name) => [name, name === 'refund' ? (['refund', 'dispute_loss'] as const) : [name]] as const,
  ),
])

/** `Tarifa de saque` is `tarifa_de_saque`. */
export const plainWord = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_/, '')
    .replace(/_$/, '')

/** The types that a word can mean; undefined for an unknown word. */
export const entryTypesOf = (word: string): readonly EntryType[] | undefined => typesByWord.get(plainWord(word))

const symbols: Readonly<Record<string, Currency>> = { R$: 'BRL', REAL: 'BRL', REAIS: 'BRL', MX$: 'MXN', PESO: 'MXN' }

/** undefined for a currency that the platform does not have. */
export function currencyOf(text: string): Currency | undefined {
  const name = text.trim().toUpperCase()
  return currencyNames.find((one) => one === name) ?? rowAt(symbols, name)
}

/** Words for a withdrawal that arrived. */
export const confirmedWords: ReadonlySet<string> = new Set([
  ...['confirmed', 'completed', 'complete', 'paid', 'settled', 'done', 'success', 'succeeded', 'ok'],
  ...['confirmado', 'confirmada', 'concluido', 'concluida', 'pago', 'paga', 'liquidado', 'efetivado', 'sucesso'],
])
