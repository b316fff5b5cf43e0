/** Ledgers as files: how columns, amounts and dates are read, what is said about files that cannot be read, and each way to certify one. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { certifyBooks, type Sandbox, startSandbox } from '../../src/testing/index.js'
import { failedRules } from '../support/books.js'
import { run } from '../support/program.js'

let sandbox: Sandbox
let id: string
let rows: { transaction_id: string; type: string; currency: string; amount: string }[]
const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-ledger-'))

beforeAll(async () => {
  sandbox = await startSandbox({ clock: 'manual' })
  const charge = await sandbox.client().cashin({ amount: 1234.56, currency: 'BRL', external_id: 'order-1' })
  id = charge.transaction_id
  await sandbox.trigger('cashin.pay', { id })
  rows = [
    { transaction_id: id, type: 'charge', currency: 'BRL', amount: '1234.56' },
    { transaction_id: id, type: 'charge_fee', currency: 'BRL', amount: '-12.35' },
  ]
})
afterAll(async () => {
  await sandbox.close()
  rmSync(folder, { recursive: true, force: true })
})

const send = async (body: string | Uint8Array<ArrayBuffer>, type = 'text/csv', query = '') => {
  const answer = await fetch(`${sandbox.url}/_sandbox/certify/books${query}`, {
    method: 'POST',
    headers: { 'Content-Type': type },
    body,
  })
  return { status: answer.status, body: await answer.json() }
}

const csv = (...lines: string[]) => lines.map((line) => line.replaceAll('ID', id)).join('\n')

describe('a correct ledger passes', () => {
  test.each<[string, () => string | Uint8Array<ArrayBuffer>, string?]>([
    [
      'with a byte order mark',
      () => `\ufeff${csv('id,type,currency,amount', 'ID,charge,BRL,1234.56', 'ID,fee,BRL,-12.35')}`,
    ],
    [
      'with tabs and line ends of Windows',
      () => csv('id\ttype\tcurrency\tamount\r', 'ID\tcharge\tBRL\t1234.56\r', 'ID\tfee\tBRL\t-12.35\r'),
    ],
    [
      'with quotes, and commas within them',
      () => csv('id,type,currency,"amount"', '"ID","charge","BRL","1,234.56"', '"ID",fee,BRL,"(12.35)"'),
    ],
    ['with decimal commas', () => csv('id;tipo;moeda;valor', 'ID;Cobrança;R$;R$ 1.234,56', 'ID;Tarifa;R$;R$ 12,35')],
    [
      'in Latin-1',
      () =>
        Buffer.from(
          csv('transação;tipo;moeda;valor', 'ID;Cobrança;BRL;1.234,56', 'ID;Tarifa;BRL;12,35'),
          'latin1',
        ) as Uint8Array<ArrayBuffer>,
    ],
    [
      'in UTF-16 with the high byte first',
      () =>
        Buffer.from(
          `\ufeff${csv('id,type,currency,amount', 'ID,charge,BRL,1234.56', 'ID,fee,BRL,-12.35')}`,
          'utf16le',
        ).swap16() as Uint8Array<ArrayBuffer>,
    ],
    [
      'in UTF-16',
      () =>
        Buffer.from(
          `\ufeff${csv('id,type,currency,amount', 'ID,charge,BRL,1234.56', 'ID,fee,BRL,-12.35')}`,
          'utf16le',
        ) as Uint8Array<ArrayBuffer>,
    ],
    [
      'by external_id',
      () => csv('external_id,type,currency,amount', 'order-1,payment,BRL,1234.56', 'order-1,fee,BRL,-12.35'),
    ],
    [
      'with a minus sign within brackets',
      () => csv('id,type,currency,amount', 'ID,charge,BRL,1234.56', 'ID,fee,BRL,(-12.35)'),
    ],
    [
      'with a quotation mark within a cell',
      () => csv('id,type,currency,amount,note', 'ID,charge,BRL,1234.56,5" of pipe', 'ID,fee,BRL,-12.35,"a ""fee"""'),
    ],
    [
      'with a minus sign behind the amount',
      () => csv('id,type,currency,amount', 'ID,charge,BRL,1234.56', 'ID,fee,BRL,12.35-'),
    ],
    [
      'with columns that the caller names',
      () => csv('id,type,currency,paid', 'ID,charge,BRL,1234.56', 'ID,fee,BRL,-12.35'),
      '?columns=amount=paid',
    ],
    ['with one entry, by external_id', () => csv('external_id,type,currency,amount', 'order-1,payment,BRL,1222.21')],
    [
      'without a currency, if the statement has one alone',
      () => csv('id,type,amount', 'ID,charge,1234.56', 'ID,fee,-12.35'),
    ],
    [
      'with a column that the caller names, beside one that has the name of the field',
      () => csv('paid,id,type,currency,amount', '1234.56,ID,charge,BRL,1', '-12.35,ID,fee,BRL,1'),
      '?columns=amount=paid',
    ],
    [
      'with another amount in a column whose name says more in brackets',
      () => csv('id,type,currency,Amount (asked),Amount', 'ID,charge,BRL,1,1234.56', 'ID,fee,BRL,1,-12.35'),
    ],
    [
      'with another amount in a column whose name has a currency',
      () => csv('id,type,currency,BRL amount,Amount (paid)', 'ID,charge,BRL,1,1234.56', 'ID,fee,BRL,1,-12.35'),
    ],
    [
      'with a minus sign behind the currency',
      () => csv('id,type,currency,amount', 'ID,charge,BRL,R$ 1234.56', 'ID,fee,BRL,R$ -12.35'),
    ],
    [
      'with a note of 2,000 quotation marks',
      () =>
        csv('id,type,currency,amount,note', `ID,charge,BRL,1234.56,"${'""'.repeat(2000)}"`, 'ID,fee,BRL,-12.35,none'),
    ],
    [
      'with a quotation mark in the first header, above long notes',
      () =>
        csv(
          '5",id,type,currency,amount',
          ...['ID,charge,BRL,1234.56', 'ID,fee,BRL,-12.35'].map((row) => `${'x'.repeat(2000)},${row}`),
        ),
    ],
    [
      'with 200 columns, a quoted header and long notes',
      () => {
        const notes = (noteOf: (at: number) => string) => Array.from({ length: 196 }, (_, at) => noteOf(at)).join(',')
        return csv(
          `"id",type,currency,amount,${notes((at) => `note ${at}`)}`,
          ...['ID,charge,BRL,1234.56', 'ID,fee,BRL,-12.35'].map((row) => `${row},${notes(() => 'x'.repeat(1100))}`),
        )
      },
    ],
    ['with an amount and its fee in one row', () => csv('id,type,currency,amount,fee', 'ID,charge,BRL,1234.56,12.35')],
    [
      'with the net amount and the fee in one row',
      () => csv('id,type,currency,amount,fee', 'ID,charge,BRL,1222.21,12.35'),
    ],
    ['with net amounts alone', () => csv('id,type,currency,amount', 'ID,charge,BRL,1222.21')],
  ])('%s', async (_case, book, query = '') => {
    const { status, body } = await send(book(), 'text/csv', query)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.mistakes).toEqual([])
    expect(body.verdict).toBe('passed')
  })

  test('in Latin-1, with a charset in the Content-Type', async () => {
    const book = csv('transação;tipo;moeda;valor', 'ID;Cobrança;BRL;1.234,56', 'ID;Tarifa;BRL;12,35')
    const { status, body } = await send(Buffer.from(book, 'latin1'), 'text/csv; charset=ISO-8859-1')
    expect([status, body.verdict]).toEqual([200, 'passed'])
  })

  test('as an array of JSON, with amounts as numbers', async () => {
    const book = rows.map((row) => ({ ...row, amount: Number(row.amount) }))
    expect((await send(JSON.stringify(book), 'application/json')).body.verdict).toBe('passed')
  })

  test('as JSON with 200 fields', async () => {
    const notes = Object.fromEntries(Array.from({ length: 196 }, (_, at) => [`note ${at}`, null]))
    expect(
      (
        await certifyBooks(
          rows.map((row) => ({ ...row, ...notes })),
          { sandbox },
        )
      ).verdict,
    ).toBe('passed')
  })
})

describe('a file that cannot be read is refused with a sentence that says why', () => {
  test.each<[string, () => string | Uint8Array<ArrayBuffer>, RegExp, string?]>([
    [
      'many columns, none of them an amount',
      () =>
        ['id', 'type', 'currency', '', 'x'.repeat(41), ...Array.from({ length: 16 }, (_, at) => `c${at}`)].join(','),
      /The columns are id, type, currency, \(empty\), x{40}, c0, .*, c14, …\. Map/,
    ],
    ['nothing', () => '', /The file is empty/],
    ['blank lines', () => '\n\n\n', /The file is empty/],
    ['NUL characters', () => 'id,type\0,currency,amount\n', /NUL characters/],
    [
      'no column for the amount',
      () => csv('id,type,currency,price', 'ID,charge,BRL,1'),
      /No column is recognized as amount.*price.*amount=HEADER/,
    ],
    [
      'a quotation mark that does not end',
      () => csv('id,type,currency,amount', 'ID,"charge,BRL,1'),
      /Row 2 has a quotation mark without a closing one/,
    ],
    [
      'a quotation mark that does not end, before 4,001 characters',
      () => csv('id,type,currency,amount', `"${'x'.repeat(4001)}`),
      /Row 2 has a quotation mark without a closing one/,
    ],
    [
      'an unknown currency',
      () => csv('id,type,currency,amount', 'ID,charge,EUR,1'),
      /Row 2: currency "EUR" is not supported; use one of BRL/,
    ],
    [
      'an unknown type',
      () => csv('id,type,currency,amount', 'ID,gift,BRL,1', 'ID,gift,BRL,2'),
      /These types are not known: "gift" \(row 2\)\. .*--type WORD=TYPE/,
    ],
    [
      'more unknown types than a sentence names',
      () => csv('id,type,currency,amount', ...Array.from({ length: 22 }, (_, at) => `ID,gift ${at},BRL,1`)),
      /"gift 19" \(row 21\) and 2 more\. /,
    ],
    [
      'a long amount that is not a number',
      () => csv('id,type,currency,amount', `ID,charge,BRL,${'ten'.repeat(20)}`),
      /Row 2: amount "(ten){13}t…" is not a decimal number/,
    ],
    [
      'a part of a minor unit',
      () => csv('id,type,currency,amount', 'ID,charge,BRL,123456.5'),
      /Row 2: amount "123456.5" is not a whole number of minor units/,
      '?minor_units=true',
    ],
    [
      'an amount that is not a number',
      () => csv('id,type,currency,amount', 'ID,charge,BRL,ten'),
      /Row 2: amount "ten" is not a decimal number/,
    ],
    [
      'amounts that can be read in two ways',
      () => csv('id,type,currency,amount', 'ID,charge,BRL,1.234'),
      /Row 2: amount "1.234" can be read in two ways/,
    ],
    [
      'separators in the wrong places',
      () => csv('id,type,currency,amount', 'ID,charge,BRL,"12,34,56.7"'),
      /separators in the wrong places/,
    ],
    [
      'separators behind the decimal mark',
      () => csv('id,type,currency,amount', 'ID,charge,BRL,"1.2,3,4"'),
      /separators in the wrong places/,
    ],
    [
      'a day that does not exist',
      () => csv('id,type,currency,amount,date', 'ID,charge,BRL,1,2026-02-30'),
      /Row 2: date "2026-02-30" is not a date/,
    ],
    [
      'more cells than headers',
      () => csv('id,type,currency,amount', 'ID,charge,BRL,1,2,3'),
      /Row 2 has 6 cells; the header has 4/,
    ],
    [
      'a huge cell',
      () => csv('id,type,currency,amount', `${'x'.repeat(100_000)},charge,BRL,1`),
      /Row 2 has a cell of 100000 characters/,
    ],
    [
      'a huge cell in quotation marks, below a blank line',
      () => `\n${csv('id,type,currency,amount', `"${'x'.repeat(5000)}",charge,BRL,1`)}`,
      /Line 3 has a cell of more than 2000 characters/,
    ],
    [
      'a huge header at the beginning',
      () => `"${'x'.repeat(5000)}",type\n`,
      /Line 1 has a cell of more than 2000 characters/,
    ],
    [
      'a cell of 2,001 quotation marks',
      () => csv('id,type,currency,amount', `"${'""'.repeat(2001)}",charge,BRL,1`),
      /Line 2 has a cell of more than 2000 characters/,
    ],
    [
      'a cell of 2,000 quotation marks and a letter',
      () => csv('id,type,currency,amount', `"${'""'.repeat(2000)}x",charge,BRL,1`),
      /Row 2 has a cell of 2001 characters; at most 2000 are allowed/,
    ],
    [
      'millions of quotation marks',
      () => `${csv('id,type,currency,amount', 'ID,charge,BRL,1')}\n${'"'.repeat(2_000_000)}`,
      /Line 3 has a cell of more than 2000 characters, or a quotation mark without a closing one/,
    ],
    ['a header alone, without the columns', () => 'date,price\n', /No column is recognized as transaction_id/],
    [
      'two columns with the same name',
      () => csv('id,type,currency,amount,Amount', 'ID,charge,BRL,1,2'),
      /The columns amount, Amount have the same name; rename one of them/,
    ],
    [
      'two minus signs',
      () => csv('id,type,currency,amount', 'ID,fee,BRL,--12.35'),
      /Row 2: amount "--12.35" is not a decimal number/,
    ],
    [
      'more money than any balance',
      () => csv('id,type,currency,amount', 'ID,charge,BRL,10000000000000000.01'),
      /Row 2: amount "10000000000000000.01" is larger than any balance/,
    ],
    ['thousands of columns', () => `${'a,'.repeat(5000)}b\n1\n`, /5001 columns; at most 200/],
    ['hundreds of thousands of columns', () => `${'a,'.repeat(300_000)}b\n1\n`, /more than 200 columns; at most 200/],
    [
      'more entries than a ledger can have, before a quotation mark that does not end',
      () => `id,type,currency,amount\n${'a,charge,BRL,1\n'.repeat(300_001)}"a`,
      /more than 300000 entries; send one month at a time/,
    ],
    ['a picture', () => Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]), /NUL characters/],
  ])('%s', async (_case, book, sentence, query = '') => {
    const { status, body } = await send(book(), 'text/csv', query)
    expect(status).toBe(422)
    expect(body.error.code).toBe('INVALID_VALUE')
    expect(body.error.message).toMatch(sentence)
  })

  test.each([
    ['JSON that is broken', '{"entries": [', 400, /./],
    ['a number', '7', 400, /JSON object/],
    ['entries that are no list', '{"entries": {}}', 422, /entries must be an array/],
    ['entries that are no objects', '[1]', 422, /Entry 1 is not an object/],
    ['an entry in an entry', '[{"id": {}}]', 422, /Entry 1: "id" is neither a string nor a number/],
    ['a field that the route does not have', '{"entries": [], "rows": []}', 422, /rows/],
  ])('%s', async (_case, text, status, sentence) => {
    const answer = await send(text, 'application/json')
    expect(answer.status).toBe(status)
    expect(answer.body.error.details.reason ?? answer.body.error.message).toMatch(sentence)
  })

  test('an unknown account, a period that is none, and a column that does not exist', async () => {
    const book = csv('id,type,currency,amount', 'ID,charge,BRL,1')
    expect((await send(book, 'text/csv', '?account=nobody')).status).toBe(404)
    expect((await send(book, 'text/csv', '?from=soon')).body.error.message).toMatch(/from must be a day/)
    expect((await send(book, 'text/csv', '?columns=amount=valor')).body.error.message).toMatch(
      /There is no column "valor"/,
    )
    expect((await send(book, 'text/csv', '?columns=price=valor')).body.error.message).toMatch(
      /columns must have the form/,
    )
    expect((await send(book, 'text/plain')).status).toBe(415)
  })
})

test('a decimal mark that the caller names decides amounts that can be read in two ways', async () => {
  const book = csv('id,type,currency,amount', 'ID,charge,BRL,1.234')
  const read = async (mark: string) => (await send(book, 'text/csv', `?decimal=${mark}`)).body.mistakes[0].booked
  expect(await read('comma')).toBe('1234.00')
  expect(await read('point')).toBe('1.23')
})

test.each([
  ['.5', '0.50', '-1,25'],
  [',5', '0.50', '-1'],
  ['1,50', '1.50', '-2.50'],
  ['1.234', '1234.00', '-5,50'],
  ['1,234,567', '1234567.00', '-1'],
])('an amount of %s is read as %s, beside one of %s', async (text, booked, other) => {
  const { mistakes } = (await send(csv('id;type;currency;amount', `ID;charge;BRL;${text}`, `ID;fee;BRL;${other}`))).body
  expect(mistakes.find(({ row }: { row: number }) => row === 2).booked).toBe(booked)
})

test.each([
  ['12/25/2026', '2026-12-25'],
  ['03/04/2026', '2026-04-03'],
])('an entry dated %s, without a posting, is one of %s', async (text, day) => {
  const { mistakes } = (await send(csv('id,type,currency,amount,date', `tx_other,charge,BRL,1,${text}`))).body
  expect(mistakes[0]).toMatchObject({ row: 2, date: day })
})

test('the largest amount is compared', async () => {
  const { mistakes } = (await send(csv('id,type,currency,amount', 'ID,charge,BRL,10000000000000000.00'))).body
  expect(mistakes[0].booked).toBe('10000000000000000.00')
})

test('a rule counts what it is about: a charge is not missing, whether or not its fee has an entry', async () => {
  const { rules } = (await send(csv('id,type,currency,amount', 'ID,charge,BRL,1222.21'))).body
  expect(rules.find((rule: { id: string }) => rule.id === 'entry.missing')).toMatchObject({
    result: 'passed',
    observed: 'postings compared: 1; no mistake',
  })
})

test('entries that the certification of a receiver left behind are left out', async () => {
  const left = { transaction_id: 'tx_certify0000000000000', type: 'charge', currency: 'BRL', amount: '25.50' }
  const before = await certifyBooks(rows, { sandbox })
  expect(await certifyBooks([...rows, left], { sandbox })).toEqual(before)
})

test('postings and entries outside the period are left out', async () => {
  const { entries } = await sandbox.statement('merchant')
  const day = entries.at(-1)?.date ?? ''
  const before = { to: '2020-01-01', sandbox }
  await expect(certifyBooks([], before)).rejects.toThrow('there is nothing to compare')
  const other = { transaction_id: 'tx_other', type: 'charge', currency: 'BRL', amount: '1', date: '2020-01-01' }
  const report = await certifyBooks([other], { from: day, sandbox })
  expect(failedRules(report)).toEqual(['entry.missing'])
  expect(report.rules.find(({ id: rule }) => rule === 'entry.known')).toMatchObject({
    result: 'inconclusive',
    observed: 'the ledger has no entry in this period',
  })
})

describe('every way to certify a ledger gives the same report', () => {
  const wrong = () => rows.slice(0, 1)
  const expected = ['fee.booked']

  test('the library, with entries or with CSV', async () => {
    expect(failedRules(await certifyBooks(wrong(), { sandbox }))).toEqual(expected)
    const text = csv('id,type,currency,paid', 'ID,charge,BRL,1234.56')
    expect(failedRules(await certifyBooks(text, { sandbox, columns: { amount: 'paid' } }))).toEqual(expected)
    await expect(certifyBooks('id,type,currency,amount\n', { sandbox })).rejects.toThrow('The ledger has no entry')
    const gifts = csv('id,type,currency,amount', 'ID,gift,BRL,123456', 'ID,tax,BRL,1235')
    const types = { gift: 'charge', tax: 'charge_fee' } as const
    const options = { sandbox, types, minorUnits: true, timeZone: 'America/Mexico_City' }
    expect((await certifyBooks(gifts, options)).verdict).toBe('passed')
    expect((await certifyBooks([{ ...rows[0], type: 'gift' }, rows[1] ?? {}], { sandbox, types })).verdict).toBe(
      'passed',
    )
    await expect(certifyBooks(rows, { sandbox, day: 1 } as never)).rejects.toThrow(
      'day is not an option of certifyBooks',
    )
  })

  test('the command line, with files, reports and exit codes', async () => {
    const books = (...args: string[]) => run(['certify', 'books', '--sandbox', sandbox.url, ...args])
    const file = join(folder, 'ledger.csv')
    writeFileSync(file, csv('id,type,currency,amount', 'ID,charge,BRL,1234.56'))
    const [junit, markdown, badge] = ['r.xml', 'r.md', 'r.svg'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    const failed = await books(file, '--junit', junit, '--markdown', markdown, '--badge', badge)
    expect(failed.code).toBe(1)
    expect(failed.stdout).toMatch(/✗ Every fee is booked\.\n +tx_\w+: charge_fee|✗ Every fee is booked\.\n +row 2/)
    expect(readFileSync(junit, 'utf8')).toContain('certify.books')
    expect(readFileSync(markdown, 'utf8')).toContain('# Certification of a ledger: failed')
    expect(readFileSync(badge, 'utf8')).toContain('ledger: failed')
    const json = join(folder, 'ledger.json')
    writeFileSync(json, JSON.stringify(rows))
    const passed = await books(json, '--json')
    expect(passed.code).toBe(0)
    expect(JSON.parse(passed.stdout).verdict).toBe('passed')
    const cents = join(folder, 'cents.csv')
    writeFileSync(cents, csv('id,type,currency,amount', 'ID,gift,BRL,123456', 'ID,tax,BRL,1235'))
    const words = ['--type', 'gift=charge', '--type', 'tax=charge_fee']
    expect((await books(cents, ...words, '--minor-units', '--time-zone', 'UTC')).code).toBe(0)
    const unzoned = await books(cents, ...words, '--minor-units', '--time-zone', 'Mars/Olympus')
    expect([unzoned.code, unzoned.stderr]).toEqual([2, expect.stringContaining('"Mars/Olympus"')])
    expect((await books()).code).toBe(2)
    expect((await books(join(folder, 'nothing.csv'))).code).toBe(2)
    const unreadable = await books(file, '--column', 'amount=valor')
    expect(unreadable.code).toBe(2)
    expect(unreadable.stderr).toContain('There is no column "valor"')
    expect((await run(['certify', 'books', file, '--sandbox', 'http://127.0.0.1:1'])).code).toBe(3)
  })

  test('the command line, with an address', async () => {
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/ledger' ? 200 : 404).end(JSON.stringify(rows))
    })
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const books = (address: string) => run(['certify', 'books', '--sandbox', sandbox.url, '--url', address])
    expect((await books(`${url}/ledger`)).code).toBe(0)
    const missing = await books(`${url}/nothing`)
    expect(missing.code).toBe(2)
    expect(missing.stderr).toContain('it responded with HTTP 404')
  })
})
