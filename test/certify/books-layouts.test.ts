/** Correct ledgers in the layouts of well-known exports are never accused, and what cannot be decided is one question. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BooksRule } from '../../src/features/certify/books/rules.js'
import { csvLine } from '../../src/http/control/statement.js'
import { type Sandbox, startSandbox } from '../../src/testing/index.js'
import {
  added,
  type BookRow,
  certifyRows,
  type FeeRow,
  failedRules,
  type Kit,
  makeKit,
  rowsOf,
  withFeeColumn,
} from '../support/books.js'
import { run } from '../support/program.js'

const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-layouts-'))
let sandbox: Sandbox
let kit: Kit
let rows: BookRow[]
/** A failed withdrawal, besides that of the kit. */
let failedToo: string
/** A withdrawal that is confirmed days after the request. */
let slow: string
/** A charge whose dispute is opened on one day, and lost on the next one, two minutes before midnight. */
let lostLater: string
/** A charge of two hundredths of a bitcoin. */
let hundredths: string
/** When each row was posted, in seconds since 1970. */
let timeOf: (row: BookRow) => number

beforeAll(async () => {
  sandbox = await startSandbox({ clock: 'manual', cashoutSettle: 'manual' })
  kit = await makeKit(sandbox)
  const merchant = sandbox.client()
  const paid = async (charge: Parameters<typeof merchant.cashin>[0]) => {
    const { transaction_id: made } = await merchant.cashin(charge)
    await sandbox.trigger('cashin.pay', { id: made })
    return made
  }
  // Without its fee, this amount has no cents.
  await paid({ amount: 89.9, currency: 'BRL' })
  // The fee of this one is a cent.
  await paid({ amount: 1, currency: 'BRL' })
  await paid({ amount: 75.5, currency: 'BRL', split: [{ username: 'customer', percentage: 10 }] })
  hundredths = await paid({ amount: 0.02, currency: 'BTC', chain: 'bitcoin' })
  const out = { currency: 'BRL', key: '52998224725', key_type: 'cpf' } as const
  failedToo = (await merchant.cashout({ ...out, amount: 41, external_id: 'out-failed-too' })).transaction_id
  await sandbox.trigger('cashout.fail', { id: failedToo })
  slow = (await merchant.cashout({ ...out, amount: 40, external_id: 'out-slow' })).transaction_id
  lostLater = await paid({ amount: 65, currency: 'BRL' })
  await sandbox.clock.advance('24h')
  await sandbox.trigger('dispute.open', { id: lostLater })
  // The day began at 10:30.
  await sandbox.clock.advance(`${37 * 60 + 28}m`)
  const { data } = await sandbox.control.call('GET /disputes', { query: {} })
  const dispute = data.find((one) => one.transaction_id === lostLater)
  await sandbox.trigger('dispute.lose', { id: dispute?.infraction_id ?? '' })
  await sandbox.trigger('cashout.confirm', { id: slow })
  const { entries } = await sandbox.statement()
  rows = rowsOf(entries, (id) => id.startsWith(kit.pending))
  const posted = entries.filter(({ transaction_id: id }) => id !== null)
  timeOf = (row) => Date.parse(`${row.date}T${posted[rows.indexOf(row)]?.time ?? ''}-03:00`) / 1000
}, 120_000)
afterAll(async () => {
  await sandbox.close()
  rmSync(folder, { recursive: true, force: true })
})

type Made = string | string[]
const negative = ({ amount }: BookRow) => amount.startsWith('-')
const negated = (amount: string) => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`)
const unsigned = (amount: string) => amount.replace('-', '')

/** A CSV file with a column for each name. */
const csvOf = <Row extends BookRow>(
  all: readonly Row[],
  columns: Record<string, (row: Row) => string>,
  more: string[] = [],
) => {
  const lines = all.map((row) => csvLine(Object.values(columns).map((cell) => cell(row))))
  return [csvLine(Object.keys(columns)), ...lines, ...more].join('')
}

const id = (row: BookRow) => row.transaction_id
const type = (row: BookRow) => row.type
const currency = (row: BookRow) => row.currency
const amount = (row: BookRow) => row.amount
const date = (row: BookRow) => row.date

const generic: Record<string, string> = {
  ...{ charge: 'charge', deposit: 'charge', charge_fee: 'fee', deposit_fee: 'fee', refund: 'refund' },
  ...{ withdrawal: 'payout', withdrawal_fee: 'fee', withdrawal_return: 'payout_failure', withdrawal_fee_return: 'fee' },
  ...{ dispute_block: 'hold', dispute_release: 'hold release', dispute_loss: 'chargeback' },
  ...{ transfer_sent: 'transfer', transfer_received: 'transfer', transfer_fee: 'fee' },
  ...{ conversion_sent: 'fx', conversion_received: 'fx', conversion_fee: 'fee' },
}
const spanish: Record<string, string> = {
  ...{ charge: 'Cobro', deposit: 'Depósito', charge_fee: 'Comisión', deposit_fee: 'Comisión', refund: 'Reembolso' },
  ...{ withdrawal: 'Retiro', withdrawal_fee: 'Comisión', withdrawal_return: 'Devolución de retiro' },
  ...{ withdrawal_fee_return: 'Devolución de comisión', dispute_block: 'Bloqueo', dispute_release: 'Liberación' },
  ...{ dispute_loss: 'Contracargo', transfer_sent: 'Transferencia enviada', transfer_fee: 'Comisión' },
  ...{ transfer_received: 'Transferencia recibida', conversion_sent: 'Cambio', conversion_received: 'Cambio' },
  ...{ conversion_fee: 'Comisión' },
}
const withoutTypes = (...types: string[]) => rows.filter((row) => !types.includes(row.type))
const withoutFailed = () => rows.filter(({ transaction_id: of }) => of !== kit.failed && of !== failedToo)
const minorOf = ({ amount: text }: BookRow) => String(BigInt(text.replace('.', '')))
const dayAfter = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
const lossOf = (about: string) =>
  rows.find((row) => row.transaction_id === about && row.type === 'dispute_loss')?.date ?? ''
/** Some amounts are followed by a minus sign or by a D, some stand in brackets. */
const signedAnyhow = (row: BookRow) => {
  const size = unsigned(row.amount)
  if (!negative(row)) return size
  if (row.type.endsWith('_fee')) return `${size}-`
  if (row.type.startsWith('dispute')) return `(${size})`
  return row.type === 'refund' ? `${size} D` : row.amount
}
/** A ledger of net amounts; `one` is booked gross. */
const net = (one = '') =>
  withFeeColumn(rows, 'net').map(({ fee: _fee, ...row }, at) =>
    row.transaction_id === one ? { ...row, amount: withFeeColumn(rows, 'gross')[at]?.amount ?? '' } : row,
  )
/** A ledger of net amounts, without the shares of other accounts too. */
const withoutShares = () =>
  net().flatMap((row) => {
    const share = rows.find((one) => one.type === 'split_sent' && one.transaction_id === row.transaction_id)
    if (share === undefined || row.type !== 'charge') return row.type === 'split_sent' ? [] : [row]
    return [{ ...row, amount: added(row.amount, share.amount) }]
  })
const partsOf = (row: BookRow) => {
  if (row.transaction_id === kit.paid && row.type === 'charge') return ['10.00', '9.99']
  return row.transaction_id === kit.refunded && row.type === 'refund' ? ['-20.00', '-30.00'] : [row.amount]
}

describe('a correct ledger passes', () => {
  test.each<[string, () => Made, string?]>([
    [
      'with general words, and a positive fee where it is returned',
      () => csvOf(rows, { id, category: (row) => generic[row.type] ?? row.type, currency, amount, date }),
    ],
    [
      'with general words, newest first',
      () => csvOf(rows.toReversed(), { id, category: (row) => generic[row.type] ?? row.type, currency, amount, date }),
    ],
    ['with the ids of the platform in a column Order', () => csvOf(rows, { Order: id, type, currency, amount })],
    [
      'with its own numbers in a column id',
      () => csvOf(rows, { id: (row) => String(rows.indexOf(row) + 1), Order: id, type, currency, amount }),
    ],
    [
      'with both legs of double entry',
      () =>
        csvOf(
          rows.flatMap((row) => [row, { ...row, amount: negated(row.amount) }]),
          { id, type, currency, amount, date },
        ),
    ],
    ['with all signs inverted', () => csvOf(rows, { id, type, currency, amount: (row) => negated(row.amount), date })],
    ['with integer minor units', () => csvOf(rows, { id, type, currency, amount: minorOf, date }), '?minor_units=true'],
    [
      'with columns for debit and credit, and rows with totals',
      () =>
        csvOf(
          rows,
          {
            ...{ id, tipo: (row) => spanish[row.type] ?? row.type, moneda: currency },
            cargo: (row) => (negative(row) ? unsigned(row.amount) : ''),
            abono: (row) => (negative(row) ? '' : row.amount),
            fecha: (row) => row.date.split('-').reverse().join('/'),
          },
          ['Total,,,1000.00,2000.00,\n', 'Saldo final,,,,1000.00,\n', ',,,,3000.00,\n'],
        ),
    ],
    [
      'with a column for the direction',
      () =>
        csvOf(rows, {
          ...{ id, type, currency, amount: (row) => unsigned(row.amount) },
          'D/C': (row) => (negative(row) ? 'D' : 'C'),
        }),
    ],
    [
      'with times as seconds since 1970',
      () => csvOf(rows, { id, type, currency, amount, created: (row) => String(timeOf(row)) }),
    ],
    [
      'with times in milliseconds',
      () => csvOf(rows, { id, type, currency, amount, created: (row) => String(1000 * timeOf(row)) }),
    ],
    [
      'with days in UTC, which it says',
      () =>
        csvOf(rows, {
          ...{ id, type, currency, amount },
          day: (row) => new Date(1000 * timeOf(row)).toISOString().slice(0, 10),
        }),
      '?time_zone=UTC',
    ],
    [
      'with words that the caller names',
      () => csvOf(rows, { id, type: (row) => (row.type === 'charge' ? 'gift' : row.type), currency, amount }),
      '?types=gift=charge',
    ],
    [
      'with a word for both directions that the caller maps to a family',
      () =>
        csvOf(rows, { id, type: (row) => row.type.replace(/^transfer_.*(sent|received)/, 'MOVE'), currency, amount }),
      '?types=MOVE=transfer',
    ],
    [
      'with a word that the caller maps to several types',
      () =>
        csvOf(rows, {
          id,
          type: (row) => row.type.replace(/^conversion_(sent|received)/, 'FX_MOVE'),
          currency,
          amount,
        }),
      '?types=FX_MOVE=conversion_sent,FX_MOVE=conversion_received',
    ],
    [
      'with a word of its own for every fee',
      () =>
        csvOf(rows, {
          ...{ id, type: (row) => (row.type.includes('_fee') ? 'Tarifa PIX' : row.type), currency },
          ...{ amount: (row) => unsigned(row.amount), 'D/C': (row) => (negative(row) ? 'D' : 'C') },
        }),
      '?types=Tarifa PIX=fee',
    ],
    [
      'with times in UTC, which its header says',
      () =>
        csvOf(rows, {
          ...{ id, type, currency, amount },
          'Created (UTC)': (row) => new Date(1000 * timeOf(row)).toISOString().slice(0, 16).replace('T', ' '),
        }),
    ],
    [
      'with times in UTC, which a column says',
      () =>
        csvOf(rows, {
          ...{ id, type, currency, amount, TimeZone: () => 'UTC' },
          Date: (row) => new Date(1000 * timeOf(row)).toISOString().slice(0, 19).replace('T', ' '),
        }),
    ],
    [
      'with the side in the amount',
      () =>
        csvOf(rows, {
          ...{ id, type, currency, date },
          amount: (row) => `${unsigned(row.amount).replace('.', ',')} ${negative(row) ? 'D' : 'C'}`,
        }),
    ],
    [
      'with the currency in the amount, and the names of months',
      () =>
        csvOf(rows, {
          ...{ id, type, amount: (row) => `${row.amount} ${row.currency}` },
          date: (row) => new Date(row.date).toUTCString().slice(5, 16).replaceAll(' ', '-'),
        }),
    ],
    ...['posted_at', 'Value Date', 'Data da transação', 'Fecha de pago'].map((header): [string, () => Made] => [
      `with the dates in a column ${header}`,
      () => csvOf(rows, { id, type, currency, amount, [header]: date }),
    ]),
    ...['Identificador da transação', 'Código da transação', 'ID de la transacción', 'transactionID'].map(
      (header): [string, () => Made] => [
        `with the ids in a column ${header}`,
        () => csvOf(rows, { [header]: id, entryType: type, currencyCode: currency, netAmount: amount, bookedAt: date }),
      ],
    ),
    [
      'with net amounts, and the fees in a column',
      () => csvOf(withFeeColumn(rows, 'net'), { id, type, currency, amount, fee: ({ fee }: FeeRow) => fee, date }),
    ],
    [
      'with amounts without their fees and without the shares of others',
      () => csvOf(withoutShares(), { id, type, currency, amount, date }),
    ],
    [
      'with a charge and a refund in two parts each',
      () => {
        const split = rows.flatMap((row) => partsOf(row).map((part) => ({ ...row, amount: part })))
        return csvOf(split, { id, type, currency, amount, date })
      },
    ],
    [
      'with an entry of nothing',
      () => csvOf(rows, { id, type, currency, amount }, [csvLine([kit.paid, 'refund', 'BRL', '0.00'])]),
    ],
    [
      'with minus signs, brackets and sides around amounts',
      () => csvOf(rows, { id, type, currency, amount: signedAnyhow, date }),
    ],
    [
      'with signed amounts and their currencies in a column for credits',
      () => csvOf(rows, { id, type, credit: (row) => `${row.amount} ${row.currency}`, date }),
    ],
    [
      'with one word for a dispute and its loss on another day, newest first',
      () =>
        csvOf(rows.toReversed(), {
          ...{ id, currency, amount, date },
          type: (row) =>
            row.transaction_id === lostLater ? row.type.replace(/^dispute_(block|loss)$/, 'HELD') : row.type,
        }),
      '?types=HELD=dispute_block,HELD=dispute_loss',
    ],
    [
      'with a loss two minutes before midnight that has the next day',
      () =>
        csvOf(rows, {
          ...{ id, type, currency, amount },
          date: (row) =>
            row.transaction_id === lostLater && row.type === 'dispute_loss' ? dayAfter(row.date) : row.date,
        }),
    ],
    [
      'with the day on which a withdrawal was confirmed',
      () =>
        csvOf(rows, {
          ...{ id, type, currency, amount },
          date: (row) => (row.transaction_id === slow ? lossOf(lostLater) : row.date),
        }),
    ],
    [
      'with only the losses of disputes',
      () => csvOf(withoutTypes('dispute_block', 'dispute_release'), { id, type, currency, amount, date }),
    ],
    [
      'without failed withdrawals',
      () => csvOf(withoutFailed(), { id, type, currency, amount, status: (row) => row.status }),
    ],
    [
      'with failed withdrawals marked as failed, without a return',
      () =>
        csvOf(
          rows.filter((row) => row.transaction_id !== kit.failed || row.type === 'withdrawal'),
          { id, type, currency, amount, status: (row) => (row.transaction_id === kit.failed ? 'failed' : row.status) },
        ),
    ],
  ])('%s', async (_case, book, query = '') => {
    const report = await certifyRows(sandbox, new TextEncoder().encode(String(book())), query)
    expect(report.mistakes).toEqual([])
    expect(failedRules(report)).toEqual([])
    expect([report.verdict, report.rules.filter(({ result }) => result === 'inconclusive')]).toEqual(['passed', []])
  })
})

describe('what cannot be decided is one question', () => {
  const refused = async (book: string) => {
    const answer = await fetch(`${sandbox.url}/_sandbox/certify/books`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv' },
      body: book,
    })
    const { error } = await answer.json()
    expect(answer.status).toBe(422)
    return error.message as string
  }

  test('all unknown words at once, with the choices', async () => {
    const strange: Record<string, string> = { charge: 'gift', refund: 'regret', withdrawal: 'farewell' }
    const message = await refused(csvOf(rows, { id, type: (row) => strange[row.type] ?? row.type, currency, amount }))
    expect(message).toMatch(/"gift" \(row \d+\).*"regret" \(row \d+\)|"farewell" \(row \d+\)/)
    for (const word of Object.values(strange)) expect(message).toContain(`"${word}" (row `)
    expect(message).toMatch(/--type WORD=TYPE.*one of charge, charge_fee, .*withdrawal/)
  })

  test('amounts in minor units', async () => {
    expect(await refused(csvOf(rows, { id, type, currency, amount: minorOf }))).toMatch(/minor units.*--minor-units/)
  })

  test('ids that nobody knows', async () => {
    const own = (row: BookRow) => `ORD-${rows.indexOf(row)}`
    expect(await refused(csvOf(rows, { order: own, type, currency, amount }))).toMatch(
      /"order": "ORD-0", "ORD-1", "ORD-2", ….*--column transaction_id=HEADER.*--account NAME/,
    )
  })

  test('dates of another kind make one requirement inconclusive', async () => {
    const later = (row: BookRow) => new Date(1000 * timeOf(row) + 40 * 86_400_000).toISOString().slice(0, 10)
    const report = await certifyRows(
      sandbox,
      new TextEncoder().encode(csvOf(rows, { id, type, currency, amount, date: later })),
    )
    expect([report.verdict, report.mistakes]).toEqual(['incomplete', []])
    const rule = report.rules.find(({ result }) => result === 'inconclusive')
    expect(rule).toMatchObject({ id: 'day.exact', observed: expect.stringContaining('--column date=HEADER') })
  })

  test('dates in a column that nobody knows', async () => {
    const report = await certifyRows(
      sandbox,
      new TextEncoder().encode(csvOf(rows, { id, type, currency, amount, 'my moment': date })),
    )
    expect([report.verdict, report.mistakes]).toEqual(['incomplete', []])
    const undecided = report.rules.filter(({ result }) => result === 'inconclusive')
    expect(undecided.map(({ id: rule }) => rule)).toEqual(['day.time-zone', 'day.exact'])
    for (const { observed } of undecided) expect(observed).toMatch(/"my moment".*--column date=HEADER/)
  })

  test('a ledger of nothing ends with exit 2 and one sentence', async () => {
    const { code, stderr } = await run(['certify', 'books', '-', '--sandbox', sandbox.url], {
      input: 'id,type,currency,amount\n',
    })
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('The ledger has no entry; there is nothing to compare.'),
    ])
  })
})

describe('a mistake', () => {
  const changed = (about: string, what: string, change: Partial<BookRow>) =>
    rows.map((row) => (row.transaction_id === about && row.type === what ? { ...row, ...change } : row))

  test('an unknown transaction_id is not matched by its external_id, and is one mistake', async () => {
    const report = await certifyRows(sandbox, changed(kit.paid, 'charge', { transaction_id: 'tx_unknown' }))
    expect(failedRules(report)).toEqual(['entry.known'])
    expect(report.mistakes[0]?.observed).toContain(`its amount is that of ${kit.paid}, which is not booked`)
  })

  test('a failed withdrawal that is booked as paid is found', async () => {
    const book = changed(kit.failed, 'withdrawal', { status: 'paid' }).map((row) =>
      row.type === 'withdrawal_return' ? { ...row, status: 'returned' } : row,
    )
    const report = await certifyRows(sandbox, book)
    expect(failedRules(report)).toEqual(['withdrawal.confirmed'])
    expect(report.mistakes[0]?.observed).toMatch(/the withdrawal has failed/)
  })

  test('a report names the missing part, not two equal amounts', async () => {
    const floats = await certifyRows(sandbox, changed(kit.paid, 'charge', { amount: '19.990000000000002' }))
    expect(floats.mistakes[0]?.observed).toMatch(/charge of 19\.99 BRL \(written as 19\.990000000000002; BRL has 2 dec/)
    const unbooked = rows.filter((row) => row.transaction_id !== kit.paid || row.type === 'charge')
    const missing = await certifyRows(sandbox, unbooked)
    expect(missing.mistakes[0]?.observed).toMatch(/charge of 19\.99 BRL \(its charge fee of 0\.\d\d is not booked\)/)
    for (const { booked, expected } of [...floats.mistakes, ...missing.mistakes]) expect(booked).not.toBe(expected)
  })

  /** A ledger with a fee column; `change` is a mistake in the charge that was paid. */
  const withFees = (amounts: 'net' | 'gross', change: Partial<FeeRow>) =>
    withFeeColumn(rows, amounts).map((row) =>
      row.transaction_id === kit.paid && row.type === 'charge' ? { ...row, ...change } : row,
    )
  const netOfPaid = () => net().find((row) => row.transaction_id === kit.paid)?.amount ?? ''

  test.each<[string, () => BookRow[], BooksRule | BooksRule[], RegExp?]>([
    [
      'a charge is booked gross, in a ledger with net amounts and fees',
      () => withFees('net', { amount: '19.99' }),
      'charge.net',
    ],
    [
      'a charge is booked net, in a ledger with gross amounts and fees',
      () => withFees('gross', { amount: netOfPaid() }),
      'fee.once',
    ],
    [
      'a charge has no fee, in a ledger with net amounts and fees',
      () => withFees('net', { fee: '' }),
      'fee.booked',
      /its charge fee of 0\.20 is not booked/,
    ],
    [
      'a wrong amount without a fee, in a ledger with net amounts and fees, is a wrong amount',
      () => withFees('net', { amount: '21.37', fee: '' }),
      'amount.exact',
    ],
    ['the only conversion is booked gross, in a ledger of net amounts', () => net(kit.converted), 'charge.net'],
    [
      'a withdrawal that is booked twice with its fee does not decide how the others are booked',
      () =>
        withoutTypes('withdrawal_fee', 'withdrawal_fee_return').flatMap((row) =>
          row.transaction_id === kit.withdrawn
            ? [1, 2].map(() => ({
                ...row,
                amount: net().find(({ transaction_id: of }) => of === kit.withdrawn)?.amount ?? '',
              }))
            : [row],
        ),
      ['entry.once', 'fee.booked'],
    ],
    [
      'a charge that is booked twice, with both legs of double entry',
      () =>
        rows.flatMap((row) => {
          const booked = row.transaction_id === kit.paid ? [row, row] : [row]
          return [...booked, ...booked.map((one) => ({ ...one, amount: negated(one.amount) }))]
        }),
      'entry.once',
    ],
    [
      'an entry has no id',
      () => [...rows, ...rows.slice(0, 1).map((row) => ({ ...row, transaction_id: '', external_id: '' }))],
      'entry.known',
      /it has no transaction_id and no external_id/,
    ],
    [
      'two withdrawals of one amount have unknown ids',
      () =>
        rows.map((row) =>
          row.type === 'withdrawal' && [kit.withdrawn, slow].includes(row.transaction_id)
            ? { ...row, transaction_id: 'tx_unknown' }
            : row,
        ),
      'entry.known',
    ],
    [
      'only the fee of a refunded charge is booked',
      () => rows.filter((row) => row.transaction_id !== kit.refunded || row.type === 'charge_fee'),
      ['entry.missing', 'refund.booked'],
    ],
    [
      'the block of an open dispute is not booked',
      () => rows.filter((row) => row.transaction_id !== kit.open || row.type !== 'dispute_block'),
      'entry.missing',
    ],
    [
      'a share is not booked, in a ledger of net amounts',
      () => net().filter((row) => row.type !== 'split_sent'),
      'entry.missing',
    ],
    [
      'a refund has a minus sign, in a ledger that writes none',
      () =>
        rows.map((row) =>
          row.transaction_id === kit.refunded && row.type === 'refund' ? row : { ...row, amount: unsigned(row.amount) },
        ),
      'amount.sign',
    ],
    [
      'amounts are a hundred times too large',
      () => rows.map((row) => ({ ...row, amount: `${minorOf(row)}.00` })),
      'amount.decimals',
    ],
    [
      'a hundredth too much of a bitcoin is a wrong amount',
      () => changed(hundredths, 'charge', { amount: '0.03' }),
      'amount.exact',
    ],
    [
      'twice the amount of a charge is booked as what is booked twice',
      () => changed(kit.paid, 'charge', { amount: '39.98' }),
      'amount.exact',
      /unique constraint/,
    ],
    [
      'a wrong currency is an entry without a posting',
      () => changed(kit.bitcoin, 'charge', { currency: 'ETH' }),
      'entry.known',
    ],
    [
      'a conversion with exchanged currencies is two entries without postings, and nothing is missing',
      () => changed(kit.converted, 'conversion_received', { currency: 'BRL' }),
      'entry.known',
    ],
    [
      'who forgets the fees of withdrawals has none to give back',
      () => withoutTypes('withdrawal_fee', 'withdrawal_fee_return'),
      'fee.booked',
    ],
    [
      'a charge that is booked twice with its fee is booked twice',
      () => rows.flatMap((row) => (row.transaction_id === kit.paid ? [row, row] : [row])),
      'entry.once',
    ],
    [
      'a share that is not booked is missing, and the net amount is right',
      () => rows.filter((row) => row.type !== 'split_sent'),
      'entry.missing',
    ],
    [
      'a won dispute that is booked as a loss is not released',
      () =>
        rows.flatMap((row) =>
          row.transaction_id === kit.won && row.type.startsWith('dispute')
            ? row.type === 'dispute_block'
              ? [{ ...row, type: 'chargeback' }]
              : []
            : [row],
        ),
      'dispute.released',
      /the dispute is not lost: its amount was released on/,
    ],
    [
      'an open dispute that is booked as a loss, in a ledger that books no blocks, is not lost',
      () =>
        rows.flatMap((row) => {
          if (row.transaction_id === kit.open && row.type === 'dispute_block') return [{ ...row, type: 'chargeback' }]
          if (row.type === 'dispute_loss') return [{ ...row, type: 'chargeback' }]
          return row.type.startsWith('dispute') ? [] : [row]
        }),
      'dispute.blocked',
    ],
    [
      'a cent too much in a charge is a wrong amount',
      () => changed(kit.paid, 'charge', { amount: '20.00' }),
      'amount.exact',
    ],
    [
      'a cent that is lost by 19.99 × 100 is a rounding error',
      () => changed(kit.paid, 'charge', { amount: '19.98' }),
      'amount.rounded',
    ],
    [
      'charges without their cents are wrong amounts, even those that then equal the net amount',
      () =>
        rows.map((row) =>
          row.type === 'charge' && row.currency === 'BRL' ? { ...row, amount: row.amount.replace(/\d\d$/, '00') } : row,
        ),
      'amount.exact',
    ],
    [
      'the swapped ids of two charges are wrong amounts, not wrong days',
      () =>
        rows.map((row) => {
          const swapped = new Map([
            [kit.paid, kit.late],
            [kit.late, kit.paid],
          ]).get(row.transaction_id)
          return row.type === 'charge' && swapped !== undefined ? { ...row, transaction_id: swapped } : row
        }),
      'amount.exact',
    ],
    [
      'a failed withdrawal with the status confirmed, in a ledger that marks failed ones',
      () =>
        withoutFailed().concat(
          changed(kit.failed, 'withdrawal', { status: 'failed' }).filter(
            (row) => row.type === 'withdrawal' && [kit.failed, failedToo].includes(row.transaction_id),
          ),
        ),
      'withdrawal.confirmed',
    ],
  ])('%s', async (_case, book, broken, says) => {
    const report = await certifyRows(sandbox, book())
    expect(failedRules(report), JSON.stringify(report.mistakes)).toEqual([broken].flat())
    const texts = report.rules.flatMap(({ result, observed, fix }) => (result === 'failed' ? [observed, fix] : []))
    if (says !== undefined) expect(texts.join(' ')).toMatch(says)
  })

  test('a missing amount has a minus sign only if the ledger writes them', async () => {
    const expectedIn = async (book: BookRow[]) => {
      const { mistakes } = await certifyRows(sandbox, book)
      return mistakes.find(({ transaction_id: of }) => of === kit.withdrawn)?.expected
    }
    expect(await expectedIn(rows.filter((row) => row.transaction_id !== kit.withdrawn))).toBe('-40.00')
    expect(await expectedIn(rows.filter((row) => row.type === 'charge'))).toBe('40.00')
  })

  test('a requirement is skipped in a period without what it is about', async () => {
    const own = rows.filter((row) => row.transaction_id === lostLater && row.type === 'dispute_block')
    const day = own[0]?.date ?? ''
    const { mistakes, rules } = await certifyRows(sandbox, own, `?from=${day}&to=${day}`)
    expect(mistakes).toEqual([])
    const observedFor = (wanted: BooksRule) => rules.find(({ id: rule }) => rule === wanted)?.observed
    expect(observedFor('dispute.blocked')).toBe('the statement has no dispute that is not lost in this period')
    expect(observedFor('day.time-zone')).toBe('the statement has no posting that has another day in UTC in this period')
  })

  test('the status of a withdrawal is not confirmed as right if only its return is missing', async () => {
    const report = await certifyRows(
      sandbox,
      rows.filter(
        ({ transaction_id: of, type: what }) =>
          of !== kit.pending && !(what.startsWith('withdrawal') && what.endsWith('return')),
      ),
    )
    expect(failedRules(report)).toEqual(['withdrawal.returned'])
    expect(report.rules.find(({ id: rule }) => rule === 'withdrawal.confirmed')?.result).toBe('skipped')
  })
})
