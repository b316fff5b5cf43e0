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
    const key = event.data.original_transaction_id ?? event.data.transaction_id
    if (!charges.has(key)) charges.set(key, { cents: 0, refunded: new Map() })
    change(charges.get(key), event.data)
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
    Object.assign(charge, { confirmed: true, cents: charge.cents + centsOf(amount) }),
  'cashin.refunded': (charge, { transaction_id, amount_refunded }) =>
    charge.refunded.set(transaction_id, centsOf(amount_refunded)),
  'cashin.expired': (charge) => Object.assign(charge, { expired: true }),
  'chargeback.opened': (charge) => Object.assign(charge, { disputed: true }),
  'chargeback.won': (charge) => Object.assign(charge, { decided: true }),
  'chargeback.canceled': (charge) => Object.assign(charge, { decided: true }),
}

/** Returns whole cents, because a float cannot represent 19.99 or 1.15 exactly. */
function centsOf(amount) {
  const [whole, fraction = ''] = amount.split('.')
  return Number(whole + fraction.padEnd(2, '0'))
}

/** Returns the response of the state URL. */
function stateOf(charge) {
  if (charge === undefined) return { status: null, credited: '0.00' }
  const refunded = [...charge.refunded.values()].reduce((sum, cents) => sum + cents, 0)
  const blocked = charge.disputed && !charge.decided
  const cents = blocked ? 0 : Math.max(0, charge.cents - refunded)
  const status = refunded > 0 ? 'refunded' : charge.confirmed ? 'confirmed' : charge.expired ? 'expired' : 'pending'
  return { status, credited: (cents / 100).toFixed(2) }
}

if (process.argv[1] === import.meta.filename) {
  const { PORT = '3000', WEBHOOK_SECRET: secret, EVENTS_FILE: file = 'events.jsonl' } = process.env
  if (!secret) throw new Error('WEBHOOK_SECRET is not set')
  openReceiver({ secret, file, production: process.env.NODE_ENV === 'production' }).listen(Number(PORT))
}
