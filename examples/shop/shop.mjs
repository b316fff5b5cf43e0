/**
 * A shop that is tested under chaos. It uses only the standard library.
 *
 *     payments-sandbox certify client --chaos rough --books-command 'node shop.mjs ledger' -- node shop.mjs day
 *
 * `day` sells and pays suppliers for a day of the sandbox's clock, and plays the customers. `ledger` prints the books.
 * `compare` reads a statement, as CSV or JSON, and compares its sum with the books. `serve` only receives webhooks.
 * SHOP_HOURS shortens the day. SHOP_BUG makes mistakes: `new-id`, `twice`, `order`, `no-retry`, or several of them.
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const { env } = process
const url = env.PAYMENTS_SANDBOX_URL
const bugs = (env.SHOP_BUG ?? '').split(',')
const hasBug = (name) => bugs.includes(name)
const ledgerFile = env.SHOP_LEDGER ?? 'shop-ledger.csv'
const attempts = hasBug('no-retry') ? 1 : 6
const firstPauseMs = 40

// The client of the API

let token = null

/** Returns null if the connection broke: nobody knows whether the call was done. */
async function send(path, headers, body) {
  try {
    const answer = await fetch(url + path, { method: 'POST', headers, body })
    return { status: answer.status, wait: answer.headers.get('retry-after'), ...(await answer.json()) }
  } catch {
    return null
  }
}

/** Tries again after a broken connection and a retryable error. */
async function persist(attempt) {
  for (let count = 1; ; count++) {
    const answer = await attempt(count)
    if (answer !== null && (answer.status < 400 || !answer.error.retryable)) return answer
    if (count === attempts) throw new Error(`given up: ${answer?.error.code ?? 'no answer'}`)
    await pause(answer?.wait ? Number(answer.wait) * 1000 : firstPauseMs * 2 ** count)
  }
}

async function fetchToken() {
  const basic = Buffer.from(`${env.PAYMENTS_SANDBOX_CLIENT_ID}:${env.PAYMENTS_SANDBOX_CLIENT_SECRET}`).toString(
    'base64',
  )
  const headers = { Authorization: `Basic ${basic}`, 'Content-Type': 'application/json' }
  const answer = await persist(() => send('/v2/oauth/token', headers, '{"grant_type":"client_credentials"}'))
  if (answer.status !== 200) throw new Error(answer.error.code)
  return answer.access_token
}

/** Every attempt has a new nonce and a new signature. */
function headersFor(bearer, body) {
  const [timestamp, nonce] = [String(Math.floor(Date.now() / 1000)), randomUUID()]
  const signature = createHmac('sha256', env.PAYMENTS_SANDBOX_SIGNING_KEY).update(`${timestamp}.${nonce}.${body}`)
  return {
    Authorization: `Bearer ${bearer}`,
    'Content-Type': 'application/json',
    'X-Timestamp': timestamp,
    'X-Nonce': nonce,
    'X-Signature': signature.digest('hex'),
  }
}

/** `fieldsOf` returns the same fields for every attempt, unless the shop is wrong. */
async function post(path, fieldsOf) {
  const answer = await persist(async (count) => {
    const body = JSON.stringify(fieldsOf(count))
    token ??= fetchToken()
    const first = await send(path, headersFor(await token, body), body)
    if (first?.error?.code !== 'TOKEN_EXPIRED') return first
    token = fetchToken()
    return send(path, headersFor(await token, body), body)
  })
  if (answer.status >= 400) throw new Error(`${path}: ${answer.error.code}`)
  return answer.data
}

// The books

const rows = new Map()
const cents = (amount) => Math.round(Number(amount) * 100)

/** An entry is booked once for each transaction and type. */
function book(id, externalId, type, amountInCents) {
  const key = hasBug('twice') ? `${id} ${type} ${rows.size}` : `${id} ${type}`
  if (!rows.has(key)) rows.set(key, [id, externalId, type, 'BRL', (amountInCents / 100).toFixed(2)])
}

const isBooked = (id, type) => [...rows.values()].some((row) => row[0] === id && row[2] === type)

function bookPaid({ transaction_id: id, external_id: name, amount, fee }) {
  book(id, name, 'charge', cents(amount))
  book(id, name, 'charge_fee', -cents(fee))
}

function bookRefunded(id, name, amount) {
  // The wrong shop forgets a refund whose payment it has not seen yet.
  if (!hasBug('order') || isBooked(id, 'charge')) book(id, name, 'refund', -cents(amount))
}

function bookReturned({ transaction_id: id, external_id: name, amount }, refunded) {
  book(id, name, 'withdrawal_return', cents(amount))
  book(id, name, 'withdrawal_fee_return', cents(refunded) - cents(amount))
}

/** What the shop did with a charge. */
function stateOf(id) {
  const amounts = [...rows.values()].filter((row) => row[0] === id && row[2] === 'charge').map((row) => cents(row[4]))
  const credited = amounts.reduce((sum, amount) => sum + amount, 0)
  return {
    status: isBooked(id, 'refund') ? 'refunded' : isBooked(id, 'charge') ? 'confirmed' : null,
    credited: (credited / 100).toFixed(2),
  }
}

const handlers = {
  'cashin.confirmed': bookPaid,
  'cashin.refunded': (data) => bookRefunded(data.original_transaction_id, data.external_id, data.amount_refunded),
  'cashout.failed': (data) => bookReturned(data, data.refunded_amount),
}

function isGenuine(signature, body) {
  const expected = createHmac('sha256', env.PAYMENTS_SANDBOX_WEBHOOK_SECRET).update(body).digest()
  return /^[0-9a-f]{64}$/.test(signature ?? '') && timingSafeEqual(Buffer.from(signature, 'hex'), expected)
}

const seen = new Set()
const receiver = createServer(async (request, response) => {
  if (request.method === 'GET') return response.end(JSON.stringify(stateOf(request.url.split('=')[1])))
  const body = Buffer.concat(await request.toArray())
  const { 'x-webhook-signature': signature, 'x-webhook-id': id } = request.headers
  const isKnown = seen.has(id) && !hasBug('twice')
  if (!isGenuine(signature, body)) response.statusCode = 401
  else if (!isKnown) {
    seen.add(id)
    const { event, data } = JSON.parse(body)
    handlers[event]?.(data)
  }
  response.end()
})

// The shop

const charge = (name, amount) => post('/v2/transactions/cashin', () => ({ amount, currency: 'BRL', external_id: name }))

async function payOut(name, amount, key) {
  const idOf = (attempt) => (hasBug('new-id') && attempt > 1 ? `${name}-${attempt}` : name)
  const paid = await post('/v2/transactions/cashout', (attempt) => ({
    ...{ amount, currency: 'BRL', key, key_type: 'cpf', external_id: idOf(attempt) },
  }))
  book(paid.transaction_id, paid.external_id, 'withdrawal', -cents(paid.amount))
  book(paid.transaction_id, paid.external_id, 'withdrawal_fee', -cents(paid.fee))
}

/** Books what no webhook reported, unless the shop trusts webhooks alone. Returns the number of open transactions. */
async function reconcile() {
  let open = 0
  for (let [page, pages] = [1, 1]; page <= pages; page++) {
    const { items, pagination } = await post('/v2/account/transactions/list', () => ({ page, page_size: 100 }))
    pages = pagination.total_pages
    for (const item of items) {
      if (item.status === 'pending') open++
      if (hasBug('twice') || hasBug('order')) continue
      if (item.type === 'cashin' && item.status !== 'pending') bookPaid(item)
      if (item.type === 'cashin' && item.status === 'refunded')
        bookRefunded(item.transaction_id, item.external_id, item.amount)
      if (item.type === 'cashout' && item.status === 'failed')
        bookReturned(item, Number(item.amount) + Number(item.fee))
    }
  }
  return open
}

// The customers and the clock: the control API of the sandbox

async function control(method, path, body) {
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(`${url}/_sandbox${path}`, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
}

/** Every third customer wants the money back. */
async function sell(number) {
  const { transaction_id: id } = await charge(`order-${number}`, 20 + number / 4)
  await control('POST', '/trigger', { action: 'cashin.pay', id })
  if (number % 3 === 0) await control('POST', '/trigger', { action: 'cashin.refund', id })
}

/** Every fourth supplier has given a key that does not exist. */
const supply = (hour) => payOut(`payout-${hour}`, 5 + hour / 10, hour % 4 === 0 ? '11111111111' : '52998224725')

async function listen() {
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${receiver.address().port}`
}

async function day() {
  const postback_url = `${await listen()}/webhooks`
  await control('PATCH', `/credentials/${env.PAYMENTS_SANDBOX_CLIENT_ID}`, { postback_url })
  await control('PUT', '/clock', { mode: 'manual' })
  for (let hour = 1; hour <= Number(env.SHOP_HOURS ?? 24); hour++) {
    await Promise.all([sell(2 * hour - 1), sell(2 * hour), supply(hour)])
    await control('POST', '/clock/advance', { by: '1h' })
  }
  const open = await reconcile()
  if (open > 0) throw new Error(`${open} transactions are still open`)
  const header = ['transaction_id', 'external_id', 'type', 'currency', 'amount']
  writeFileSync(ledgerFile, [header, ...rows.values()].map((row) => `${row.join(',')}\n`).join(''))
  console.log(`${rows.size} entries in ${ledgerFile}`)
}

/** Sums the amounts of CSV without quoted commas, without balances that were set. */
function sumOf(csv) {
  const [header, ...lines] = csv.trim().split(/\r?\n/)
  const [id, amount] = ['transaction_id', 'amount'].map((name) => header.split(',').indexOf(name))
  const booked = lines.map((line) => line.split(',')).filter((cells) => cells[id] !== '')
  return booked.reduce((sum, cells) => sum + cents(cells[amount]), 0)
}

function compare() {
  const [statement, ledger] = [readFileSync(0, 'utf8'), readFileSync(ledgerFile, 'utf8')].map((text) => {
    if (!text.startsWith('{')) return sumOf(text)
    const { entries } = JSON.parse(text)
    return entries.reduce((sum, entry) => sum + (entry.transaction_id === null ? 0 : cents(entry.amount)), 0)
  })
  console.log(
    statement === ledger ? 'the books agree' : `the books differ by ${((ledger - statement) / 100).toFixed(2)}`,
  )
}

const commands = {
  day: () => day().finally(() => receiver.close().closeAllConnections()),
  serve: async () => console.log(await listen()),
  ledger: () => process.stdout.write(readFileSync(ledgerFile)),
  compare,
}
await commands[process.argv[2]]()
