/** A database with very many paid charges: one is created through the API, and its rows are copied. */
import { startSandbox } from '../../src/testing/index.js'
import { databaseDriver, openPlain } from './database.js'

interface Column {
  name: string
}

/** Writes `count` charges into the database; its ledger balances. */
export async function manyCharges(file: string, count: number): Promise<void> {
  const id = await firstCharge(file)
  const db = openPlain(file)
  try {
    db.exec('pragma synchronous = OFF; pragma temp_store = MEMORY')
    db.exec(
      `begin; create temp table n as with recursive k(n) as (select 1 union all select n + 1 from k where n < ${count - 1}) select n from k`,
    )
    const newId = `'${id.slice(0, -7)}' || printf('%07d', n)`
    const copies: [table: string, key: string, changed: Record<string, string>][] = [
      ['transactions', 'id', { id: newId, external_id: "'order-' || n" }],
      ['postings', 'object_id', { object_id: newId, entry: `entry + n * 1000` }],
      ['history', 'object_id', { object_id: newId }],
      [
        'events',
        'transaction_id',
        { id: "id || '-' || n", transaction_id: newId, subject_id: newId, external_id: "'order-' || n" },
      ],
    ]
    const sums = db.query(
      "select account_seq, currency, sum(amount_minor) as minor from postings where object_id = ? and bucket = 'available' group by 1, 2",
    )([id])
    for (const [table, key, changed] of copies) {
      const columns = (db.query(`pragma table_info(${table})`)([]) as Column[]).map(({ name }) => name)
      const values = columns.map((name) => (name === 'seq' ? 'null' : (changed[name] ?? name)))
      db.statement(
        `insert into ${table} (${columns}) select ${values} from n, (select * from ${table} where ${key} = ?) order by n, seq`,
      )([id])
    }
    for (const { account_seq: account, currency, minor } of sums as {
      account_seq: number
      currency: string
      minor: number
    }[])
      db.statement('update balances set available = available + ? where account_seq = ? and currency = ?')([
        minor * (count - 1),
        account,
        currency,
      ])
    db.exec(`update activity set sum_minor = sum_minor * ${count}, count = count * ${count}`)
    db.exec('commit')
  } finally {
    db.close()
  }
}

async function firstCharge(file: string): Promise<string> {
  await using sandbox = await startSandbox({ db: file, clock: 'manual', databaseDriver })
  const { transaction_id: id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL', external_id: 'first' })
  await sandbox.trigger('cashin.pay', { id })
  await sandbox.clock.advance('1s')
  return id
}
