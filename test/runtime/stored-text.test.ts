/** Stored text of callers never breaks a route that reads it. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Column, getTableColumns, getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { afterAll, describe, expect, test } from 'vitest'
import { fieldsIn } from '../../src/base/unknown.js'
import type { ControlRow } from '../../src/protocol/control/route.js'
import * as schema from '../../src/store/schema.js'
import { openClient } from '../support/client.js'
import { controlRows } from '../support/control-rows.js'
import { openPlain } from '../support/database.js'
import { figure } from '../support/figures.js'
import { temporaryFolder } from '../support/folder.js'
import { control, send } from '../support/http.js'
import { plainFetch } from '../support/plain-fetch.js'
import { openSandbox } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'

const merchant = secretsOf('merchant')

const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

/** Texts that are hard to read or to write again. */
const worst: Record<string, string> = {
  'lists 5,000 levels deep': nested('[', ']', 5000),
  'objects 5,000 levels deep': `${'{"data":'.repeat(5000)}1${'}'.repeat(5000)}`,
  'broken JSON': '{"transaction_id": "tx',
  'escapes that stand for no character': '{"data":"\\ud800\\u0000","toJSON":1,"__proto__":{"toJSON":2}}',
  'a number without end': `{"amount":1e400,"more":${'9'.repeat(5000)}}`,
  'JSON that is no object': 'null',
  'names of nothing': '__proto__',
  'an address that cannot be read': 'http://[::1%25/%E0%A4%A?%',
  nothing: '',
  markup: '</script><script>alert(1)</script>\u202e\ufeff\u0007',
  '20,000 values': `[${'0,'.repeat(20_000)}0]`,
}

/** Text columns that contain only ids and words of the sandbox. Every other text column contains text of callers. */
const own = new Set<Column>([
  ...[schema.meta.key, schema.meta.value],
  ...[schema.accounts.username, schema.credentials.clientId, schema.credentials.webhookSecret],
  ...[schema.credentials.clientSecret, schema.credentials.signingKey, schema.tokens.hash],
  ...[schema.accountLimits.currency, schema.accountLimits.operation],
  ...[schema.accountFees.currency, schema.accountFees.operation, schema.usage.currency, schema.usage.operation],
  ...[schema.balances.currency, schema.activity.measure, schema.activity.currency],
  ...[schema.postings.bucket, schema.postings.currency, schema.postings.objectId, schema.postings.type],
  ...[schema.transactions.id, schema.transactions.type, schema.transactions.status, schema.transactions.source],
  ...[schema.transactions.currency, schema.transactions.currencyTo, schema.transactions.network],
  ...[schema.wallets.currency, schema.wallets.chain],
  ...[schema.disputes.id, schema.disputes.transactionId, schema.disputes.status, schema.disputes.currency],
  ...[schema.replies.disputeId, schema.history.object, schema.history.objectId, schema.history.action],
  ...[schema.history.fromStatus, schema.history.toStatus],
  ...[schema.events.id, schema.events.event, schema.events.transactionId, schema.events.subjectId],
  ...[schema.events.status, schema.attempts.outcome, schema.jobs.kind, schema.jobs.ref, schema.jobs.payload],
  ...[
    schema.runs.id,
    schema.runs.status,
    schema.runs.startedBy,
    schema.runs.subjectId,
    schema.deliveryFaultRows.subjectId,
  ],
  ...[schema.requests.id, schema.scenarios.name, schema.inboxes.name, schema.inboxMessages.inbox],
])

interface TextColumn {
  table: string
  name: string
  isJson: boolean
}

const allTextColumns: (TextColumn & { isOwn: boolean })[] = Object.values(schema)
  .filter((table) => is(table, SQLiteTable))
  .flatMap((table) =>
    Object.values<Column>(getTableColumns(table))
      .filter((column) => column.getSQLType() === 'text')
      .map((column) => ({
        table: getTableName(table),
        name: column.name,
        isJson: column.columnType === 'SQLiteCustomColumn',
        isOwn: own.has(column),
      })),
  )
const textColumns = allTextColumns.filter(({ isOwn }) => !isOwn)

test('the columns with text of others are found', () => {
  const names = textColumns.map(({ table, name }) => `${table}.${name}`)
  expect(names).toContain('inbox_messages.raw')
  expect(names).toContain('attempts.response_body')
  expect(names).toContain('requests.entry')
})

/** Fields of stored JSON that the sandbox writes: words of its tables, amounts, ids. */
const ownParts =
  /Minor$|^(rate|paymentInfo|percentage|keyType|at|step|status|kind|id|current|given|settle|objects|heldSettles|duplicate|tamper|fault)$/

/** Puts the text into every place of a value that can contain text of callers. */
function worsened(value: unknown, text: string, key = ''): unknown {
  if (ownParts.test(key)) return value
  if (key === 'bodyBase64') return Buffer.from(text).toString('base64')
  if (typeof value === 'string') return text
  if (Array.isArray(value)) return value.map((item) => worsened(item, text))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, worsened(inner, text, name)]))
}

const gets = Object.entries<ControlRow>(controlRows).filter(
  ([name, { method }]) => method === 'GET' && name !== 'streamChanges',
)

/** The possible values of path parameters, by the first segment of the path. */
type Ids = Record<string, readonly (string | number)[]>

/** Filters that search in stored text. */
const queries: Record<string, readonly string[]> = {
  search: ['?q=paid', '?q=25.50'],
  waitForWebhook: ['?event=cashin.confirmed&timeout=1ms', '?status=delivered&timeout=1ms'],
  readInbox: ['', '?event=cashin.confirmed', '?about=a', '?order=newest'],
  listRequests: ['', '?path=%2Fv2%2Ftransactions%2Fcashin', '?transaction_id=x', '?account=merchant'],
  listTransactions: ['', '?external_id=x', '?account=merchant'],
  listWebhooks: ['', '?status=failed', '?transaction_id=x'],
}

/** Stores text of callers in every kind of object, and returns the ids. */
async function use(url: string): Promise<Ids> {
  const done = async (method: string, path: string, body?: unknown) => {
    const answer = await control(url)(method, path, body)
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300)
    return answer
  }
  const api = await openClient(url)
  const inbox = `${url}/_sandbox/inbox/mine`
  await done('PUT', '/inbox/mine', { responses: [{ status: 503 }, { status: 200 }] })
  await done('PATCH', `/credentials/${merchant.clientId}`, { postback_url: inbox })
  const payer = { name: 'Payer', document: '52998224725', email: 'payer@example.com' }
  const split = [{ username: 'customer', percentage: 10 }]
  const id = await api.charge({ external_id: 'paid', description: 'a charge', postback_url: inbox, payer, split })
  await done('POST', '/trigger', { action: 'cashin.pay', id })
  const transfer = { username: 'customer', amount: 1, currency: 'BRL', external_id: 'moved', description: 'words' }
  await api.signed('/v2/internal_transfers/payment', transfer)
  await api.withdraw('withdrawal')
  const refusing = await api.charge({ postback_url: 'http://127.0.0.1:9/' })
  await done('POST', '/trigger', { action: 'cashin.pay', id: refusing })
  await api.post('/v2/transactions/wallet', { currency: 'BRL' })
  await done('POST', '/trigger', { action: 'dispute.open', id, reason: 'never came' })
  const { body: disputes } = await done('GET', '/disputes')
  const form = new FormData()
  form.append('id', disputes.data[0].infraction_id)
  form.append('message', 'it came')
  form.append('files[]', new Blob(['%PDF-1.4 proof']), 'proof.pdf')
  const reply = await fetch(`${url}/v2/account/infractions/reply`, { method: 'POST', body: form, headers: api.bearer })
  expect(reply.status).toBe(200)
  const steps = [
    { webhooks: { duplicate: 2 } },
    { create: { cashin: { amount: 2, currency: 'BRL' } } },
    'cashin.pay',
    { wait: '1h' },
  ]
  const on = { operation: 'cashin', where: { external_id: 'caught' } }
  await done('POST', '/scenarios', {
    name: 'said',
    title: 'words',
    description: 'words',
    on,
    params: { word: 'text' },
    steps,
  })
  const { body: run } = await done('POST', '/scenarios/said/run', {})
  await done('POST', '/scenarios/said/arm', {})
  await done('POST', '/clock/advance', { by: '10s' })
  await send('POST', inbox, '{"event":"cashin.confirmed"}', { 'X-Webhook-Event': 'cashin.confirmed' })
  await api.signed('/v2/transactions/cashout', { key: 'wrong' }, { 'X-Signature': 'zz' })
  // A waiting run is read at the start, and a damaged one would prevent the start.
  await done('DELETE', `/runs/${run.id}`)
  await done('POST', '/snapshots', { name: 'before' })
  const list = async (path: string, name: string) =>
    (await done('GET', `${path}?limit=100`)).body.data.map((row: Record<string, string>) => row[name])
  return {
    transactions: await list('/transactions', 'transaction_id'),
    pay: [id],
    disputes: await list('/disputes', 'infraction_id'),
    wallets: await list('/wallets', 'wallet_id'),
    webhooks: await list('/webhooks', 'id'),
    requests: await list('/requests', 'request_id'),
    accounts: ['merchant', 'customer'],
    runs: (await done('GET', '/runs')).body.data.map((run: { id: string }) => run.id),
    inbox: ['mine'],
    scenarios: ['said'],
    snapshots: ['before'],
    assets: ['app.js'],
  }
}

/** Calls every GET route, but the one that is left out, with each id and filter, and returns the failures. */
async function failures(url: string, ids: Ids, leftOut?: string): Promise<string[]> {
  const failed: string[] = []
  for (const [name, { path }] of gets) {
    if (name === leftOut) continue
    const base =
      path.startsWith('/pay') || path === '/' || path === '/favicon.ico' || path.startsWith('/assets')
        ? url
        : `${url}/_sandbox`
    const known = path.includes('{') ? (ids[path.split('/')[1] ?? '']?.slice(0, 6) ?? ['missing']) : ['']
    for (const id of known)
      for (const query of queries[name] ?? ['']) {
        const target = path.replace(/\{[a-z_]+\}/, encodeURIComponent(id)) + query
        // Responses are not checked, because text in the database may exceed the limits of the API.
        const answer = await plainFetch(base + target)
        if (answer.status >= 500 && answer.status !== 503) failed.push(`GET ${target}: ${answer.status}`)
        // A streamed response can begin with 200 and end early.
        else await answer.arrayBuffer().catch((error) => failed.push(`GET ${target}: ${error}`))
      }
  }
  return failed
}

/** A database with all of these texts; each test changes a copy. */
let used: { db: string; ids: Ids } | undefined
const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-used-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function useOnce(): Promise<{ db: string; ids: Ids }> {
  const db = join(folder, 'sandbox.db')
  const sandbox = await openSandbox({ clock: 'manual' }, { db })
  const ids = await use(sandbox.url)
  for (const [kind, some] of Object.entries(ids)) expect(some, kind).not.toEqual([])
  await sandbox.close(0)
  return { db, ids }
}

/** Returns a sandbox on a changed copy of the database, and the columns that have no text. */
async function changed(
  columns: readonly TextColumn[],
  make: (was: string, isJson: boolean) => string,
): Promise<{ url: string; ids: Ids; empty: string[] }> {
  used ??= await useOnce()
  const { ids } = used
  const db = join(temporaryFolder(), 'sandbox.db')
  copyFileSync(used.db, db)
  const empty: string[] = []
  const file = openPlain(db)
  for (const column of columns) {
    const { table, name, isJson } = column
    const texts = textsIn(file, column)
    const set = file.statement(`update or ignore "${table}" set "${name}" = ? where "${name}" = ?`)
    for (const was of texts) set([make(was, isJson), was])
    if (texts.length === 0) empty.push(`${table}.${name}`)
  }
  file.close()
  const { url } = await openSandbox({ clock: 'manual' }, { db })
  return { url, ids, empty }
}

const textsIn = (file: ReturnType<typeof openPlain>, { table, name }: TextColumn): string[] =>
  file
    .query(`select distinct "${name}" as was from "${table}" where "${name}" is not null`)([])
    .map((row) => String(fieldsIn(row).was))

describe('stored text of others', () => {
  test.each(Object.entries(worst))('as %s: every route that reads it answers', async (_title, text) => {
    const { url, ids } = await changed(textColumns, (was, isJson) =>
      isJson ? JSON.stringify(worsened(JSON.parse(was), text)) : text,
    )
    expect(await failures(url, ids)).toEqual([])
  })

  test('as JSON that the disk has lost: every route that reads it answers', async () => {
    const { url, ids, empty } = await changed(textColumns, (was, isJson) => (isJson ? was.slice(0, -1) : was))
    expect(empty).toEqual([])
    expect(await failures(url, ids)).toEqual([])
  })
})

/** As if the first byte of a word were damaged. */
const damaged = (word: string) => `\ufffd${word.slice(1)}`

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)])
}

function withDamagedName(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withDamagedName(item, name))
  if (value === null || typeof value !== 'object') return value
  const fields = Object.entries(value).map(([one, inner]) => [
    one === name ? damaged(one) : one,
    withDamagedName(inner, name),
  ])
  return Object.fromEntries(fields)
}

test('a damaged word or name of a field is reported as damage by each route that cannot show it', async () => {
  used ??= await useOnce()
  const file = openPlain(used.db)
  const cases = allTextColumns.flatMap((column): [TextColumn, string | null][] =>
    column.isJson
      ? [...new Set(textsIn(file, column).flatMap((text) => namesIn(JSON.parse(text))))].map((name) => [column, name])
      : [[column, null]],
  )
  file.close()
  expect(cases.length).toBeGreaterThan(100)
  const failed: string[] = []
  // These were answered with 500; the long tests take all.
  const known =
    /^((transactions|postings)\.(type|currency)|requests\.entry (path|request_headers|warnings)|runs.* (names|atMs)) ?$/
  for (const [column, name] of cases) {
    const title = `${column.table}.${column.name} ${name ?? ''}`
    if (column.table === 'meta' || !figure(known.test(title), true)) continue
    const { url, ids } = await changed([column], (was) =>
      name === null ? damaged(was) : JSON.stringify(withDamagedName(JSON.parse(was), name)),
    )
    // A statement is sent while it is read, so it ends early.
    failed.push(...(await failures(url, ids, 'readStatement')).map((failure) => `${title}: ${failure}`))
  }
  expect(failed).toEqual([])
})

test('a page that SQLite cannot read is reported as damage by the routes that need it', async () => {
  used ??= await useOnce()
  const db = join(temporaryFolder(), 'sandbox.db')
  copyFileSync(used.db, db)
  const file = openPlain(db)
  // A start checks only a small file.
  file.exec('create table filler (bytes); insert into filler values (zeroblob(36000000)); drop table filler')
  const first = (statement: string) => Number(Object.values(fieldsIn(file.query(statement)([])[0]))[0])
  const pageBytes = first('pragma page_size')
  const endAt = pageBytes * first("select rootpage from sqlite_schema where name = 'wallets'")
  file.close()
  writeFileSync(db, readFileSync(db).fill(0xff, endAt - pageBytes, endAt))
  const { url } = await openSandbox({ clock: 'manual' }, { db })
  const call = control(url)
  const details = { reason: 'the database is damaged: the file cannot be read' }
  expect(await call('GET', '/wallets')).toMatchObject({
    status: 503,
    body: { error: { code: 'SERVICE_UNAVAILABLE', details } },
  })
  expect((await call('GET', '/transactions')).body.data).not.toEqual([])
})

describe('a body 5,000 levels deep', () => {
  const deep = `{"amount":${nested('[', ']', 5000)}}`

  test('in an inbox is shown as text, and so are the messages beside it', async () => {
    const { url } = await openSandbox({ clock: 'manual' })
    const call = control(url)
    for (const text of ['{"a":1}', deep, `[${'0,'.repeat(20_000)}0]`])
      expect((await send('POST', `${url}/_sandbox/inbox/mine`, text)).status).toBe(200)
    const { status, body } = await call('GET', '/inbox/mine')
    expect(status).toBe(200)
    expect(body.data.map((message: { body: unknown }) => message.body)).toEqual([{ a: 1 }, null, null])
    expect(body.data[1].raw).toBe(deep)
  })

  test('in the request log is compared as text', async () => {
    const { url } = await openSandbox({ clock: 'manual' })
    const api = await openClient(url)
    const path = '/v2/transactions/cashin'
    expect((await api.post(path, deep)).status).toBe(400)
    const { status, body } = await control(url)('POST', '/requests/verify', { path, body: { amount: 1 } })
    expect(status).toBe(200)
    expect(body.near[0].differs[0].received).toMatch(/^{"amount":\[{100}/)
  })
})
