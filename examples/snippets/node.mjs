// --- amounts
const [whole, fraction = ''] = data.amount.split('.')
const cents = BigInt(whole + fraction.padEnd(2, '0'))

// --- answer
await store(event) // durable and quick
response.writeHead(200).end()
queue.wake() // processing continues after the response

// --- dedupe
// events (id text primary key, body text, done_at timestamp)
await database.transaction(async (sql) => {
  const added = await sql('insert into events (id, body) values ($1, $2) on conflict do nothing', [id, body])
  if (added.rowCount === 1) await credit(sql, event) // the effect, in the same transaction
})
response.writeHead(200).end() // also for a duplicate

// --- durable
try {
  await database.transaction((sql) => acceptOnce(sql, id, event)) // the id and its effect are stored together, or not at all
  response.writeHead(200).end()
} catch {
  response.writeHead(500).end() // the platform sends the event again
}

// --- order
const rank = { pending: 0, expired: 1, confirmed: 2, refunded: 3 }
if (rank[next] > rank[charge.status]) charge.status = next // a late event changes nothing
const credited = charge.status === 'confirmed' ? charge.amount : 0

// --- production
if (process.env.NODE_ENV === 'production' && request.headers['x-sandbox'] === '1') return response.writeHead(401).end()

// --- timestamp
const timestamp = request.headers['x-webhook-timestamp'] ?? ''
const isFresh = /^\d{1,12}$/.test(timestamp) && Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300
if (!isFresh) return response.writeHead(401).end()

// --- tolerate
const handle = handlers[event.event]
if (handle !== undefined) await handle(event.data) // unknown events are also accepted
response.writeHead(200).end()

// --- verify
import { createHmac, timingSafeEqual } from 'node:crypto'
…
const chunks = []
try {
  for await (const chunk of request) chunks.push(chunk)
} catch {
  return // The connection broke. The event is sent again.
}
const body = Buffer.concat(chunks) // the raw bytes
const received = request.headers['x-webhook-signature'] ?? ''
const expected = createHmac('sha256', WEBHOOK_SECRET).update(body).digest()
if (!/^[0-9a-f]{64}$/.test(received) || !timingSafeEqual(expected, Buffer.from(received, 'hex'))) return response.writeHead(401).end()
const event = JSON.parse(body)

// --- read
const { transaction_id, status } = answer.data // ignore other fields

// --- reconcile
const { data } = await call('/v2/account/transactions/list', { page: 1, page_size: 100, from_date: yesterday })
for (const item of data.items) if (item.status !== (await statusOf(item.transaction_id))) await catchUp(item)

// --- repeat
const body = { ...payment, external_id: payment.id } // stored before the first attempt
for (let attempt = 0; ; attempt++) {
  const answer = await send(body).catch(() => null) // null: the result is unknown
  if (answer !== null && !isRetryable(answer)) return answer
  if (attempt === 4) throw new NoResult(payment.id)
  await pause(200 * 2 ** attempt * (1 + Math.random() / 4))
}

// --- sent
const amount = Number(`${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`) // cents is a bigint; never 0.1 + 0.2

// --- sign
const body = JSON.stringify(payment) // serialize once, so that the signed string is the sent string
const timestamp = String(Math.floor(Date.now() / 1000))
const nonce = randomUUID() // a new nonce for every attempt
const signature = createHmac('sha256', SIGNING_KEY).update(`${timestamp}.${nonce}.${body}`).digest('hex')

// --- token
let token
async function call(path, body) {
  token ??= await fetchToken() // used for all calls
  const answer = await send(path, body, token)
  if (answer.status !== 401 || (await answer.clone().json()).error.code !== 'TOKEN_EXPIRED') return answer
  token = await fetchToken()
  return send(path, body, token) // repeat only once
}

// --- wait
const seconds = Number(answer.headers.get('retry-after') ?? 1)
if (answer.status === 429 || answer.status === 403) await pause(seconds * 1000)

// --- withdrawal
const { data } = await call('/v2/transactions/cashout', body) // 202: the withdrawal is pending
await store(body.external_id, data.transaction_id, 'pending')
handlers['cashout.confirmed'] = ({ transaction_id }) => settle(transaction_id)
handlers['cashout.failed'] = ({ transaction_id, refunded_amount }) => giveBack(transaction_id, refunded_amount)
handlers['cashout.refunded'] = ({ original_transaction_id, amount_refunded }) => giveBack(original_transaction_id, amount_refunded)
