/** Hostile input for every route of the control API: huge numbers as numbers and text, objects as ids, unknown names. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jsonSchema, type Schema } from '../../src/http/openapi/json-schema.js'
import { controlRoutes } from '../../src/protocol/control/index.js'
import type { ControlRow } from '../../src/protocol/control/route.js'
import { connectSandbox, type Sandbox, startSandbox } from '../../src/testing/index.js'
import { controlRows } from '../support/control-rows.js'

let sandbox: Sandbox
let ids: Record<string, string>

beforeAll(async () => {
  const own = await startSandbox({ clock: 'manual', rateLimits: false })
  sandbox = await connectSandbox(own.url)
  const { transaction_id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', { id: transaction_id })
  const [event] = await sandbox.webhooks.all()
  const [call] = await sandbox.requests.list()
  ids = {
    '/transactions': transaction_id,
    '/webhooks': event?.id ?? '',
    '/requests': call?.request_id ?? '',
    '/accounts': 'merchant',
    '/credentials': sandbox.accounts.merchant.client_id,
    '/scenarios': 'pix-paid',
    '/seed': 'demo',
  }
  afterAll(() => own.close())
})

/** Routes that wait, or that end the state that others need, only get input that is rejected at once. */
const heavy = ['/webhooks/wait', '/certify/receiver', '/certify/client', '/reset', '/snapshots', '/seed', '/stream']
const isHeavy = ({ path }: ControlRow) => heavy.some((one) => path.startsWith(one))

/** Pages for people accept any parameter. */
const rows = Object.entries<ControlRow>(controlRows).filter(
  ([, row]) => row.rawBodyTypes === undefined && row.mediaType !== 'text/html',
)

const addressOf = ({ path }: ControlRow, id?: string) =>
  path.replace(/\{[a-z_]+\}/g, () => encodeURIComponent(id ?? ids[`/${path.split('/')[1]}`] ?? 'none'))

async function ask(row: ControlRow, address: string, body?: string): Promise<{ status: number; error: Body | null }> {
  const answer = await fetch(`${sandbox.url}/_sandbox${address}`, {
    method: row.method,
    ...(body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json' } }),
  })
  const text = await answer.text()
  const reported = `${row.method} ${address} ${body?.slice(0, 200)} ${answer.status} ${text.slice(0, 300)}`
  expect(answer.status, reported).toBeLessThan(500)
  return { status: answer.status, error: answer.status < 400 ? null : JSON.parse(text).error }
}

interface Body {
  code: string
  details: { field?: string }
}

test.each(rows)('%s rejects unknown names in body and query', async (_name, row) => {
  const required = row.query === undefined ? [] : (jsonSchema(row.query(), 'input', 'Sandbox').required ?? [])
  const query = [...required.map((name) => `${name}=a`), 'zzz=1'].join('&')
  const stranger = await ask(row, `${addressOf(row)}?${query}`)
  expect([stranger.status, stranger.error?.details.field]).toEqual([422, 'zzz'])
  if (row.method === 'GET') return
  const { status, error } = await ask(row, addressOf(row), JSON.stringify({ ...row.example, zzz: 1 }))
  expect([status, error?.details.field]).toEqual([422, 'zzz'])
})

const named = rows.filter(([, { path, method }]) => path.includes('{') && method === 'GET' && path !== '/inbox/{name}')

test.each(named)('%s survives any text as an id', async (_name, row) => {
  for (const id of ['0', '-1', '1e300', '9'.repeat(400), '[object Object]', 'null', '__proto__', '%', '🎉', ' '])
    expect([404, 422]).toContain((await ask(row, addressOf(row, id))).status)
})

/** JSON text as sent. */
const hostile = [
  ...['1e300', '-1e300', '9'.repeat(400), '0.'.padEnd(400, '1'), '9223372036854775808', '1e400', '-0'],
  ...['"1e300"', `"${'9'.repeat(400)}"`, '"9223372036854775808"', '"NaN"', '"Infinity"', '""', '"\\u0000"'],
  ...['{}', '[]', '[[]]', '{"id":{}}', 'null', 'true', `"${'a'.repeat(5000)}"`, '"__proto__"', '"🎉\'; --"'],
]

/** The variants of a body, each with the fields that distinguish it. */
function variantsOf(type: Schema & { $defs?: Record<string, Schema> }): Schema[] {
  const named = type.$ref === undefined ? type : type.$defs?.[type.$ref.split('/').at(-1) ?? '']
  return named === undefined ? [] : (named.oneOf ?? named.anyOf ?? [named])
}
const namesOf = ({ properties = {} }: Schema) => Object.keys(properties)
const fixedOf = ({ properties = {} }: Schema) =>
  Object.fromEntries(Object.entries(properties).flatMap(([name, one]) => ('const' in one ? [[name, one.const]] : [])))

const withBody = rows.filter(([, row]) => row.body !== undefined && !isHeavy(row))

/** Each field once, in the first variant that has it. */
function fieldsOf(row: ControlRow): [field: string, others: [string, unknown][]][] {
  const variants = row.body === undefined ? [] : variantsOf(jsonSchema(row.body(), 'input', 'Sandbox'))
  const fields = new Map<string, [string, unknown][]>()
  for (const variant of variants)
    for (const field of namesOf(variant).filter((name) => !fields.has(name))) {
      const others = Object.entries({ ...row.example, ...fixedOf(variant) })
      fields.set(
        field,
        others.filter(([name]) => name !== field),
      )
    }
  return [...fields]
}

test.each(withBody)('%s survives any value in each of its fields', async (_name, row) => {
  const fields = fieldsOf(row)
  expect(fields).not.toEqual([])
  for (const [field, others] of fields)
    for (const value of hostile) {
      const pairs = [...others.map(([name, one]) => `"${name}":${JSON.stringify(one)}`), `"${field}":${value}`]
      await ask(row, addressOf(row), `{${pairs.join(',')}}`)
    }
})

const withQuery = rows.filter(([, row]) => row.query !== undefined && !isHeavy(row))

test.each(withQuery)('%s survives any value in each of its filters', async (_name, row) => {
  const schema = row.query === undefined ? {} : jsonSchema(row.query(), 'input', 'Sandbox')
  for (const field of namesOf(schema))
    for (const value of hostile)
      await ask(row, `${addressOf(row)}?${field}=${encodeURIComponent(value.replaceAll('"', '').slice(0, 1000))}`)
})

test('a trigger with an invalid id is rejected, and changes nothing', async () => {
  const { transaction_id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
  for (const id of ['{}', '[]', '""', 'null', 'true', '{"id":"x"}', `["${transaction_id}"]`]) {
    const { status, error } = await ask(controlRoutes.trigger, '/trigger', `{"action":"cashin.pay","id":${id}}`)
    expect([status, error?.details.field], id).toEqual([422, 'id'])
  }
  expect((await sandbox.transactions.get(transaction_id)).status).toBe('pending')
  expect((await sandbox.ledger()).balanced).toBe(true)
})
