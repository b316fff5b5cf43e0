/**
 * An API client that passes every requirement. It uses only the standard library.
 *
 *     payments-sandbox certify client --state-command 'node client.mjs status' -- node client.mjs
 */
import { createHmac, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const attempts = 5

export function createClient({ url, clientId, clientSecret, signingKey, pauseMs = 200 }) {
  let token = null

  /** Returns null if the connection broke: the result of the call is unknown. */
  async function send(method, path, headers, body) {
    try {
      const response = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
      return { status: response.status, headers: response.headers, answer: await response.json() }
    } catch {
      return null
    }
  }

  /** Repeats the call until it succeeds or fails for good. Waits for the time in Retry-After if it is given; otherwise doubles the pause after each attempt. */
  async function persist(attempt) {
    for (let count = 0; ; count++) {
      const result = await attempt()
      if (result !== null && (result.status < 400 || !result.answer.error.retryable)) return result
      if (count === attempts - 1) return result
      const seconds = result?.headers.get('retry-after')
      await pause(seconds ? Number(seconds) * 1000 : pauseMs * 2 ** count)
    }
  }

  async function fetchToken() {
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
    const headers = { Authorization: `Basic ${basic}`, 'Content-Type': 'application/json' }
    const result = await persist(() => send('POST', '/v2/oauth/token', headers, '{"grant_type":"client_credentials"}'))
    if (result?.status !== 200) throw new Error('no token')
    return result.answer.access_token
  }

  async function sendWithToken(method, path, body, headers) {
    token ??= await fetchToken()
    const result = await send(method, path, { Authorization: `Bearer ${token}`, ...headers() }, body)
    if (result?.answer.error?.code !== 'TOKEN_EXPIRED') return result
    token = await fetchToken()
    return send(method, path, { Authorization: `Bearer ${token}`, ...headers() }, body)
  }

  /** Returns a new nonce, timestamp and signature for every attempt. */
  function signature(body) {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const nonce = randomUUID()
    const signed = createHmac('sha256', signingKey).update(`${timestamp}.${nonce}.${body}`).digest('hex')
    return { 'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': signed }
  }

  /** Returns `data` of the response. Throws if the call was rejected, or if all attempts failed. */
  async function post(path, fields, isSigned = false) {
    const body = JSON.stringify(fields)
    const headers = () => ({ 'Content-Type': 'application/json', ...(isSigned ? signature(body) : {}) })
    return dataOf(await persist(() => sendWithToken('POST', path, body, headers)))
  }

  return {
    charge: (id, amount) =>
      post('/v2/transactions/cashin', { amount: Number(amount), currency: 'BRL', external_id: id }),
    withdraw: (id, amount, key) =>
      post('/v2/transactions/cashout', { amount: Number(amount), currency: 'BRL', key, external_id: id }, true),
    list: () => post('/v2/account/transactions/list', { page: 1, page_size: 100 }),
    disputes: async () =>
      dataOf(await persist(() => sendWithToken('GET', '/v2/account/infractions', undefined, () => ({})))),
    async reply(id, message) {
      const form = new FormData()
      form.set('id', id)
      form.set('message', message)
      return dataOf(await persist(() => sendWithToken('POST', '/v2/account/infractions/reply', form, () => ({}))))
    },
  }
}

function dataOf(result) {
  if (result === null) throw new Error('no result after all attempts: look up the transaction later')
  if (result.status >= 400) throw new Error(result.answer.error.code)
  return result.answer.data
}

/** Makes the calls of a shop on one day. `store` holds the state of each transaction. */
export async function runShop(client, store, lookMs = 200) {
  const tell = (error) => store.note(error.message)
  for (let count = 1; count <= 12; count++) {
    // Every fourth round also pays a supplier. Status 202 means that the withdrawal is pending.
    if (count % 4 === 1) {
      const begun = await client.withdraw(`payout-${count}`, `${count}.15`, 'ana@example.com').catch(tell)
      if (begun) store.set(begun.transaction_id, begun.status)
    }
    const made = await client.charge(`order-${count}`, `${count * 3}.99`).catch(tell)
    if (made) store.set(made.transaction_id, made.status)
  }
  // Reads the transaction list until nothing is pending, to find changes that no webhook reported.
  for (let looks = 0, open = true; open && looks < 50; looks++) {
    await pause(lookMs)
    const { items } = await client.list()
    for (const { transaction_id, status } of items) store.set(transaction_id, status)
    open = items.some(({ status }) => status === 'pending')
  }
  for (const { infraction_id, status } of (await client.disputes()).items)
    if (status === 'open') await client.reply(infraction_id, 'The order was delivered; see the attached receipt.')
}

function fileStore(file) {
  const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  return {
    get: (id) => known[id] ?? null,
    note: (text) => console.log(text),
    set(id, status) {
      known[id] = status
      writeFileSync(file, JSON.stringify(known))
    },
  }
}

if (process.argv[1] === import.meta.filename) {
  const store = fileStore(process.env.STORE ?? 'transactions.json')
  const [command, id] = process.argv.slice(2)
  if (command === 'status') console.log(JSON.stringify({ status: store.get(id) }))
  else {
    const { env } = process
    const client = createClient({
      url: env.PAYMENTS_SANDBOX_URL,
      clientId: env.PAYMENTS_SANDBOX_CLIENT_ID,
      clientSecret: env.PAYMENTS_SANDBOX_CLIENT_SECRET,
      signingKey: env.PAYMENTS_SANDBOX_SIGNING_KEY,
    })
    await runShop(client, store)
  }
}
