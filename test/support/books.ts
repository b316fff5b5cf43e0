/** Ledgers of integrators: a set of transactions of every kind, copies of it in the database, and correct ledgers in several layouts. */
import { expect } from 'vitest'
import { csvLine } from '../../src/http/control/statement.js'
import type { BooksReport, Sandbox, StatementEntry } from '../../src/testing/index.js'
import { openPlain } from './database.js'

/** A row of a ledger with one entry for each posting; outgoing money is negative. */
export interface BookRow {
  transaction_id: string
  external_id: string
  type: string
  currency: string
  amount: string
  date: string
  status: string
}

/** One transaction of every kind, named after what happened to it. */
export type Kit = Record<
  | 'paid'
  | 'late'
  | 'bitcoin'
  | 'refunded'
  | 'partly'
  | 'won'
  | 'lost'
  | 'open'
  | 'withdrawn'
  | 'failed'
  | 'pending'
  | 'deposit'
  | 'sent'
  | 'received'
  | 'converted',
  string
>

const charge = async (sandbox: Sandbox, amount: number, currency: 'BRL' | 'BTC' = 'BRL'): Promise<string> => {
  const chain = currency === 'BTC' ? { chain: 'bitcoin' as const } : {}
  const external_id = `order-${nextNumber()}`
  const { transaction_id: id } = await sandbox.client().cashin({ amount, currency, external_id, ...chain })
  await sandbox.trigger('cashin.pay', { id })
  return id
}

let made = 0
const nextNumber = (): number => {
  made += 1
  return made
}

/** The milliseconds until 22:30 in São Paulo, when UTC already has another date. */
const msToLateEvening = (nowMs: number): number => {
  const dayMs = 86_400_000
  return (((25.5 * 3_600_000 - nowMs) % dayMs) + dayMs) % dayMs
}

export async function makeKit(sandbox: Sandbox): Promise<Kit> {
  await sandbox.configure('merchant', {
    fees: [
      { currency: 'BRL', operation: 'conversion', percent: '1' },
      { currency: 'BRL', operation: 'transfer', fixed: '0.50' },
    ],
  })
  const merchant = sandbox.client()
  const withdraw = async () =>
    (
      await merchant.cashout({
        amount: 40,
        currency: 'BRL',
        key: '52998224725',
        key_type: 'cpf',
        external_id: `out-${nextNumber()}`,
      })
    ).transaction_id
  await sandbox.clock.advance(`${Math.round(msToLateEvening(Date.parse((await sandbox.clock.read()).now)) / 1000)}s`)
  const late = await charge(sandbox, 30)
  await sandbox.clock.advance('12h')
  const ids = {
    late,
    paid: await charge(sandbox, 19.99),
    bitcoin: await charge(sandbox, 0.0123, 'BTC'),
    refunded: await charge(sandbox, 50),
    partly: await charge(sandbox, 60),
    won: await charge(sandbox, 70),
    lost: await charge(sandbox, 80),
    open: await charge(sandbox, 90),
    withdrawn: await withdraw(),
    failed: await withdraw(),
  }
  await sandbox.trigger('cashin.refund', { id: ids.refunded })
  await sandbox.trigger('cashin.refund', { id: ids.partly, amount: '25' })
  for (const name of ['won', 'lost', 'open'] as const) await sandbox.trigger('dispute.open', { id: ids[name] })
  const { data } = await sandbox.control.call('GET /disputes', { query: {} })
  const disputeOf = (id: string) => data.find((one) => one.transaction_id === id)?.infraction_id ?? ''
  await sandbox.trigger('dispute.win', { id: disputeOf(ids.won) })
  await sandbox.trigger('dispute.lose', { id: disputeOf(ids.lost) })
  await sandbox.trigger('cashout.confirm', { id: ids.withdrawn })
  await sandbox.trigger('cashout.fail', { id: ids.failed })
  const { wallet_id } = await merchant.wallet({ currency: 'BRL' })
  await sandbox.trigger('wallet.deposit', { id: wallet_id, amount: '33' })
  const sent = await merchant.transfer({ username: 'customer', amount: 12, currency: 'BRL' })
  await sandbox.client('customer').transfer({ username: 'merchant', amount: 7, currency: 'BRL' })
  const converted = await merchant.conversion({ amount: 100, base_currency: 'BRL', destination_currency: 'USDT' })
  const { entries } = await sandbox.statement()
  const idOf = (type: string) => entries.find((entry) => entry.type === type)?.transaction_id ?? ''
  return {
    ...ids,
    pending: await withdraw(),
    deposit: idOf('deposit'),
    sent: sent.transaction_id,
    received: idOf('transfer_received'),
    converted: converted.conversion_id,
  }
}

/** Adds `copies` copies of every transaction to the database. The id of a copy is the original's id with a suffix. */
export function repeatTransactions(file: string, copies: number): void {
  const db = openPlain(file)
  try {
    db.exec('pragma synchronous = OFF')
    db.exec(
      `begin; create temp table n as with recursive k(n) as (select 1 union all select n + 1 from k where n < ${copies}) select n from k`,
    )
    const changed: Record<string, Record<string, string>> = {
      transactions: { id: "id || '-' || n", external_id: "external_id || '-' || n" },
      postings: { object_id: "object_id || '-' || n", entry: 'entry + n * 10000' },
      disputes: { id: "id || '-' || n", transaction_id: "transaction_id || '-' || n" },
    }
    for (const [table, values] of Object.entries(changed)) {
      const columns = (db.query(`pragma table_info(${table})`)([]) as { name: string }[]).map(({ name }) => name)
      const selected = columns.map((name) => (name === 'seq' ? 'null' : (values[name] ?? name)))
      const only = table === 'postings' ? "where type is null or type <> 'adjustment'" : ''
      db.exec(
        `insert into ${table} (${columns}) select ${selected} from n, (select * from ${table} ${only} order by seq) order by n`,
      )
    }
    db.exec('commit')
  } finally {
    db.close()
  }
}

/** Returns the correct ledger for a statement, one row for each posting. */
export const rowsOf = (
  entries: readonly StatementEntry[],
  isPending: (id: string) => boolean = () => false,
): BookRow[] =>
  entries.flatMap(({ transaction_id: id, external_id, type, currency, amount, date }) =>
    id === null
      ? []
      : [
          {
            ...{ transaction_id: id, external_id: external_id ?? '', type, currency, amount, date },
            status: type === 'withdrawal' && isPending(id) ? 'pending' : 'confirmed',
          },
        ],
  )

const feeOf: Record<string, string> = {
  charge: 'charge_fee',
  deposit: 'deposit_fee',
  withdrawal: 'withdrawal_fee',
  withdrawal_return: 'withdrawal_fee_return',
  transfer_sent: 'transfer_fee',
  conversion_sent: 'conversion_fee',
}

export interface FeeRow extends BookRow {
  fee: string
}

/** Converts a ledger to rows with a fee column, with net or gross amounts. */
export function withFeeColumn(rows: readonly BookRow[], amounts: 'net' | 'gross'): FeeRow[] {
  const fees = new Map<string, BookRow>()
  const feeTypes = new Set(Object.values(feeOf))
  const key = (row: BookRow, type: string) => `${row.transaction_id} ${type}`
  for (const row of rows) if (feeTypes.has(row.type)) fees.set(key(row, row.type), row)
  return rows.flatMap((row) => {
    if (feeTypes.has(row.type)) return []
    const fee = fees.get(key(row, feeOf[row.type] ?? ''))
    if (fee === undefined) return [{ ...row, fee: '' }]
    const amount = amounts === 'gross' ? row.amount : added(row.amount, fee.amount)
    return [{ ...row, amount, fee: fee.amount.replace('-', '') }]
  })
}

/** Adds two decimal strings with the same number of decimals. */
export function added(one: string, other: string): string {
  const scale = one.split('.')[1]?.length ?? 0
  const sum = BigInt(one.replace('.', '')) + BigInt(other.replace('.', ''))
  const digits = (sum < 0n ? -sum : sum).toString().padStart(scale + 1, '0')
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

export const englishCsv = (rows: readonly BookRow[]): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(
    [
      csvLine(['Transaction ID', 'Reference', 'Type', 'Currency', 'Amount', 'Date', 'Status']),
      ...rows.map((row) =>
        csvLine([row.transaction_id, row.external_id, row.type, row.currency, row.amount, row.date, row.status]),
      ),
    ].join(''),
  )

const portuguese: Record<string, string> = {
  charge: 'Cobrança',
  charge_fee: 'Tarifa de cobrança',
  deposit: 'Depósito',
  deposit_fee: 'Tarifa',
  refund: 'Reembolso',
  dispute_block: 'Bloqueio',
  dispute_release: 'Desbloqueio',
  dispute_loss: 'Disputa perdida',
  withdrawal: 'Saque',
  withdrawal_fee: 'Tarifa de saque',
  withdrawal_return: 'Devolução de saque',
  withdrawal_fee_return: 'Devolução da tarifa de saque',
  transfer_sent: 'Transferência enviada',
  transfer_received: 'Transferência recebida',
  transfer_fee: 'Tarifa de transferência',
  conversion_sent: 'Conversão enviada',
  conversion_received: 'Conversão recebida',
  conversion_fee: 'Tarifa de conversão',
  conversion_return: 'Estorno de conversão',
  split_sent: 'Repasse',
  split_received: 'Divisão recebida',
}

/** Renders a ledger as Brazilian CSV: Latin-1, semicolons, decimal commas, and amounts without signs. */
export function portugueseCsv(rows: readonly BookRow[]): Uint8Array<ArrayBuffer> {
  const lines = rows.map((row) => {
    const [whole = '', decimals = ''] = row.amount.replace('-', '').split('.')
    const amount = `${whole.replace(/\B(?=(\d{3})+$)/g, '.')},${decimals}`
    const day = row.date.split('-').reverse().join('/')
    const money = row.currency === 'BRL' ? `R$ ${amount}` : amount
    return [row.transaction_id, portuguese[row.type] ?? row.type, row.currency, money, day].join(';')
  })
  return Buffer.from(['Transação;Tipo;Moeda;Valor;Data', ...lines].join('\r\n'), 'latin1') as Uint8Array<ArrayBuffer>
}

/** Sends a ledger to be certified, as JSON or as the bytes of a CSV file, and returns the report. */
export async function certifyRows(
  { url }: Pick<Sandbox, 'url'>,
  book: readonly object[] | Uint8Array<ArrayBuffer>,
  query = '',
): Promise<BooksReport> {
  const isCsv = book instanceof Uint8Array
  const answer = await fetch(`${url}/_sandbox/certify/books${query}`, {
    method: 'POST',
    headers: { 'Content-Type': isCsv ? 'text/csv' : 'application/json' },
    body: isCsv ? book : JSON.stringify({ entries: book }),
  })
  const text = await answer.text()
  expect(answer.status, text.slice(0, 300)).toBe(200)
  return JSON.parse(text)
}

export const failedRules = (report: BooksReport) =>
  report.rules.filter(({ result }) => result === 'failed').map(({ id }) => id)
