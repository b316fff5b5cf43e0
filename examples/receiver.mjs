/**
 * A webhook receiver that passes every requirement. It uses only the standard library.
 *
 *     PORT=3000 WEBHOOK_SECRET=… node receiver.mjs
 *     payments-sandbox certify receiver --url http://localhost:3000/webhooks --state-url http://localhost:3000/state
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'

/** `file` stores every accepted event. In production, events of a sandbox are rejected. */
export function openReceiver({ secret, file, production = false }) {
  const seen = new Set()
  const charges = new Map()

  // Restores the events that were accepted before a crash.
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  for (const line of lines.slice(0, -1)) take(JSON.parse(line))
  const log = openSync(file, 'a')

  function take({ id, event }) {
    seen.add(id)
    const change = changes[event.event]
    if (change === undefined) return
    const { data } = event
    const key = data.original_transaction_id ?? data.original_conversion_id ?? event.transaction_id
    if (!charges.has(key))
      charges.set(key, { credited: 0n, refunded: new Map(), disputed: new Map(), released: new Set() })
    change(charges.get(key), data)
  }

  function receive(headers, body) {
    if (!isSigned(secret, headers['x-webhook-signature'], body)) return 401
    if (!isFresh(headers['x-webhook-timestamp'])) return 401
    if (production && headers['x-sandbox'] === '1') return 401
    const id = headers['x-webhook-id']
    if (seen.has(id)) return 200
    const accepted = { id, event: JSON.parse(body) }
    writeSync(log, `${JSON.stringify(accepted)}\n`)
    fsyncSync(log)
    take(accepted)
    return 200
  }

  return createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost')
    try {
      if (request.method === 'POST' && pathname === '/webhooks') {
        const chunks = []
        for await (const chunk of request) chunks.push(chunk)
        response.writeHead(receive(request.headers, Buffer.concat(chunks))).end()
      } else if (pathname === '/state') {
        response.setHeader('Content-Type', 'application/json')
        response.end(JSON.stringify(stateOf(charges.get(searchParams.get('transaction_id')))))
      } else response.writeHead(404).end()
    } catch {
      if (!response.headersSent) response.writeHead(400)
      response.end()
    }
  })
}

function isSigned(secret, signature, body) {
  if (!/^[0-9a-f]{64}$/.test(signature ?? '')) return false
  const expected = createHmac('sha256', secret).update(body).digest()
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'))
}

function isFresh(timestamp) {
  if (!/^\d{1,12}$/.test(timestamp ?? '')) return false
  return Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300
}

/** No handler depends on an earlier event, so events may arrive in any order. */
const changes = {
  'cashin.confirmed': (charge, { amount }) =>
    Object.assign(charge, { confirmed: true, credited: charge.credited + unitsOf(amount) }),
  'cashin.refunded': (charge, { transaction_id, amount_refunded }) =>
    charge.refunded.set(transaction_id, unitsOf(amount_refunded)),
  'cashin.expired': (charge) => Object.assign(charge, { expired: true }),
  'chargeback.opened': (charge, { infraction_id, amount }) => charge.disputed.set(infraction_id, unitsOf(amount)),
  'chargeback.won': (charge, { infraction_id }) => charge.released.add(infraction_id),
  'chargeback.canceled': (charge, { infraction_id }) => charge.released.add(infraction_id),
  'transfer.confirmed': (transfer, { direction, amount }) =>
    direction === 'received' && book(transfer, 'confirmed', amount),
  'cashout.confirmed': (withdrawal) => book(withdrawal, 'confirmed', '0'),
  'cashout.failed': (withdrawal, { refunded_amount }) => book(withdrawal, 'failed', refunded_amount),
  'cashout.refunded': (withdrawal, { amount_refunded }) => book(withdrawal, 'refunded', amount_refunded),
  'conversion.confirmed': (conversion, { amount_to }) => book(conversion, 'completed', amount_to),
  'conversion.refunded': (conversion, { amount_reverted_from }) =>
    book(conversion, 'refunded', `-${amount_reverted_from}`),
}

/** The status of a refund is the last one, whatever arrives later. */
function book(entry, status, amount) {
  Object.assign(entry, {
    booked: entry.booked === 'refunded' ? 'refunded' : status,
    credited: entry.credited + unitsOf(amount),
  })
}

/** Enough decimals for every currency: BRL has 2, BTC 8, SOL 9. */
const scale = 9

/** Returns whole units of the smallest decimal, because a float cannot represent 19.99 or 1.15 exactly. */
function unitsOf(amount) {
  const [whole, fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(scale, '0'))
}

function amountOf(units) {
  const digits = String(units).padStart(scale + 1, '0')
  return `${digits.slice(0, -scale)}.${digits.slice(-scale).replace(/0{1,7}$/, '')}`
}

const sumOf = (units) => units.reduce((sum, one) => sum + one, 0n)

/** Returns the response of the state URL. */
function stateOf(charge) {
  if (charge === undefined) return { status: null, credited: '0.00' }
  const refunded = sumOf([...charge.refunded.values()])
  const blocked = sumOf([...charge.disputed].map(([id, units]) => (charge.released.has(id) ? 0n : units)))
  // A lost dispute stays blocked: its refund is about the same amount.
  const taken = refunded > blocked ? refunded : blocked
  const credited = charge.credited < taken ? 0n : charge.credited - taken
  const status =
    charge.booked ??
    (refunded > 0n ? 'refunded' : charge.confirmed ? 'confirmed' : charge.expired ? 'expired' : 'pending')
  return { status, credited: amountOf(credited) }
}

if (process.argv[1] === import.meta.filename) {
  const { PORT = '3000', WEBHOOK_SECRET: secret, EVENTS_FILE: file = 'events.jsonl' } = process.env
  if (!secret) throw new Error('WEBHOOK_SECRET is not set')
  openReceiver({ secret, file, production: process.env.NODE_ENV === 'production' }).listen(Number(PORT))
}
