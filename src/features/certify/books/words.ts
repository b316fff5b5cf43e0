/** How ledgers of integrators name their kinds of entries, directions and states, in English, Portuguese and Spanish. */

import { type EntryType, entryTypes, postingTypeNames } from '../../../inside/platform.js'
import { keysOf } from '../../../inside/values.js'

const typesWith = (direction: 'in' | 'out') =>
  postingTypeNames.filter((type) => type !== 'adjustment' && [direction, 'either'].includes(entryTypes[type].direction))

/** A word can mean several types; the transaction decides. */
// biome-ignore format: a table, a row a line
const words: readonly (readonly [types: readonly EntryType[], words: readonly string[]])[] = [
  [['charge', 'deposit'], ['charge', 'cashin', 'cash_in', 'payment', 'payment_received', 'pay_in', 'payin', 'sale', 'income', 'receipt', 'topup', 'top_up', 'order', 'cobranca', 'pagamento', 'recebimento', 'pagamento_recebido', 'entrada', 'venda', 'pix', 'pix_recebido', 'pix_in', 'pix_entrada', 'receita', 'cobro', 'cargo', 'pago', 'pago_recibido', 'ingreso', 'venta', 'spei_recibido', 'abono']],
  [['deposit', 'charge'], ['deposit', 'deposito', 'wallet_deposit', 'crypto_deposit', 'recarga']],
  [['charge_fee', 'deposit_fee', 'withdrawal_fee', 'transfer_fee', 'conversion_fee', 'withdrawal_fee_return'], ['fee', 'fees', 'transaction_fee', 'processing_fee', 'service_fee', 'commission', 'taxa', 'tarifa', 'taxas', 'tarifas', 'comissao', 'comision', 'comisiones', 'cuota']],
  [['charge_fee', 'deposit_fee'], ['charge_fee', 'cashin_fee', 'payment_fee', 'sale_fee', 'taxa_de_cobranca', 'tarifa_de_cobranca', 'taxa_de_recebimento', 'tarifa_de_recebimento', 'comision_de_cobro', 'comision_por_cobro', 'tarifa_de_cobro']],
  [['withdrawal_fee', 'withdrawal_fee_return'], ['cashout_fee', 'payout_fee', 'taxa_de_saque', 'tarifa_de_saque', 'comision_de_retiro', 'comision_por_retiro', 'tarifa_de_retiro']],
  [['transfer_fee'], ['taxa_de_transferencia', 'tarifa_de_transferencia', 'comision_de_transferencia', 'comision_por_transferencia']],
  [['conversion_fee'], ['fx_fee', 'exchange_fee', 'taxa_de_conversao', 'tarifa_de_conversao', 'taxa_de_cambio', 'comision_de_conversion', 'comision_por_conversion']],
  [['refund', 'dispute_loss', 'withdrawal_return', 'conversion_return'], ['reversal', 'return', 'reembolso', 'estorno', 'devolucao', 'devolucion', 'reverso', 'payment_refund', 'charge_refund', 'partial_refund']],
  [['dispute_loss', 'dispute_block'], ['chargeback', 'dispute', 'dispute_lost', 'lost_dispute', 'chargeback_lost', 'disputa', 'disputa_perdida', 'perda_de_disputa', 'contracargo', 'perdida_de_disputa']],
  [['dispute_block'], ['block', 'blocked', 'hold', 'reserve', 'dispute_opened', 'dispute_hold', 'bloqueio', 'bloqueio_de_disputa', 'retencao', 'bloqueo', 'retencion', 'bloqueo_de_disputa']],
  [['dispute_release'], ['release', 'released', 'unblock', 'hold_release', 'hold_released', 'release_hold', 'block_release', 'reserve_release', 'hold_reversal', 'dispute_won', 'dispute_reversal', 'chargeback_reversal', 'desbloqueio', 'liberacao', 'liberacao_de_bloqueio', 'desbloqueio_de_disputa', 'desbloqueo', 'liberacion', 'liberacion_de_bloqueo', 'liberacion_de_retencion', 'desbloqueo_de_disputa', 'disputa_ganada', 'disputa_ganha']],
  [['withdrawal'], ['cashout', 'cash_out', 'payout', 'pay_out', 'withdraw', 'disbursement', 'saque', 'retirada', 'saida', 'pix_enviado', 'pix_out', 'pix_saida', 'pagamento_enviado', 'retiro', 'salida', 'egreso', 'dispersion', 'pago_enviado', 'spei_enviado']],
  [['withdrawal_return', 'withdrawal_fee_return'], ['cashout_return', 'cashout_refund', 'withdrawal_refund', 'withdrawal_reversal', 'payout_failure', 'payout_return', 'payout_reversal', 'payout_refund', 'payout_cancel', 'failed_payout', 'devolucao_de_saque', 'estorno_de_saque', 'saque_devolvido', 'devolucion_de_retiro', 'reembolso_de_retiro', 'retiro_devuelto', 'reverso_de_retiro']],
  [['withdrawal_fee_return'], ['cashout_fee_return', 'fee_refund', 'fee_return', 'fee_reversal', 'estorno_de_tarifa', 'estorno_de_taxa', 'devolucao_da_taxa_de_saque', 'devolucao_da_tarifa_de_saque', 'devolucion_de_comision', 'reembolso_de_comision']],
  [['transfer_sent', 'transfer_received'], ['transfer', 'internal_transfer', 'p2p', 'transferencia', 'transferencia_interna', 'traspaso']],
  [['transfer_sent'], ['transfer_out', 'outgoing_transfer', 'transferencia_enviada', 'transferencia_saida']],
  [['transfer_received'], ['transfer_in', 'incoming_transfer', 'transferencia_recebida', 'transferencia_recibida', 'transferencia_entrada']],
  [['conversion_sent', 'conversion_received'], ['conversion', 'fx', 'exchange', 'swap', 'trade', 'conversao', 'cambio']],
  [['conversion_sent'], ['conversion_out', 'sell', 'conversao_enviada', 'conversao_saida', 'conversion_enviada', 'venta_de_divisas']],
  [['conversion_received'], ['conversion_in', 'buy', 'conversao_recebida', 'conversao_entrada', 'conversion_recibida', 'compra_de_divisas']],
  [['conversion_return'], ['conversion_refund', 'estorno_de_conversao', 'devolucion_de_conversion']],
  [['split_sent', 'split_received'], ['split', 'divisao', 'share', 'division']],
  [['split_sent'], ['divisao_enviada', 'repasse', 'split_out', 'division_enviada']],
  [['split_received'], ['divisao_recebida', 'split_in', 'division_recibida']],
  [['adjustment', 'dispute_loss', 'dispute_block', 'dispute_release'], ['adjustment', 'ajuste']],
  [['adjustment'], ['opening', 'closing', 'opening_balance', 'closing_balance', 'balance', 'saldo', 'saldo_inicial', 'saldo_final', 'saldo_anterior']],
  [['refund', 'dispute_loss'], ['refund']],
  [typesWith('in'), ['credit', 'credito', 'in', 'c', 'cr']],
  [typesWith('out'), ['debit', 'debito', 'out', 'd', 'dr']],
]

const typesByWord = new Map<string, readonly EntryType[]>([
  ...postingTypeNames.map((name) => [name, [name]] as const),
  ...words.flatMap(([types, names]) => names.map((name) => [name, types] as const)),
])

/** `transactionId` is `transaction Id`. */
export const spaced = (text: string): string => text.replace(/([a-z0-9])([A-Z])/g, '$1 $2')

/** `Tarifa de saque` is `tarifa_de_saque`. */
export const plainWord = (text: string): string =>
  spaced(text)
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_/, '')
    .replace(/_$/, '')

/** The types that a word can mean; undefined for an unknown word. */
export const entryTypesOf = (word: string): readonly EntryType[] | undefined => typesByWord.get(plainWord(word))

/** Words for several types of the statement, of which sign and transaction decide. */
const typeFamilies = ['transfer', 'conversion', 'fee', 'split'] as const

/** What a word of a ledger can be mapped to. */
export const bookTypes = [...postingTypeNames, ...typeFamilies] as const

/** Words for a direction beside an amount without a sign. */
export const outWords: ReadonlySet<string> = new Set([
  ...['d', 'dr', 'debit', 'out', 'outgoing', 'outflow', 'sent', 'debito', 'saida', 'salida', 'cargo', 'egreso', 'debe'],
])

// biome-ignore format: a table, a row a line
const states = {
  confirmed: ['confirmed', 'completed', 'complete', 'paid', 'paid_out', 'settled', 'done', 'success', 'succeeded', 'successful', 'ok', 'sent', 'confirmado', 'confirmada', 'concluido', 'concluida', 'pago', 'paga', 'pagado', 'pagada', 'liquidado', 'liquidada', 'efetivado', 'sucesso', 'exitoso', 'completado', 'completada', 'aprobado', 'aprovado', 'enviado'],
  failed: ['failed', 'rejected', 'canceled', 'cancelled', 'returned', 'reversed', 'void', 'error', 'falhou', 'falha', 'rejeitado', 'cancelado', 'devolvido', 'estornado', 'fallido', 'fallida', 'rechazado', 'devuelto', 'expired', 'expirado', 'vencido'],
  pending: ['pending', 'processing', 'created', 'open', 'in_progress', 'pendente', 'processando', 'pendiente', 'procesando', 'en_proceso', 'aberto'],
} as const satisfies Record<string, readonly string[]>

export type BookState = keyof typeof states

/** null for a word that names none of these states. */
export function stateOf(text: string): BookState | null {
  const word = plainWord(text)
  return keysOf(states).find((state) => (states[state] as readonly string[]).includes(word)) ?? null
}

const totalWords = /^(?:grand_|sub_?)?(?:total|totals|totais|totales|soma|suma|sum)(?:_|$)/
const balanceWords = /^(?:(?:opening|closing|final|initial)_balance|balance|saldo)(?:_|$)/

/** Whether a cell marks its row as a total or a balance, which is no entry. */
export const isTotalWord = (text: string): boolean => {
  const word = plainWord(text)
  return totalWords.test(word) || balanceWords.test(word)
}
