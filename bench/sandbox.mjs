/** Starts the real program for a measurement, and builds the calls to it. */
import { createHmac, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { rawRequest } from './load.mjs'
import { startProgram } from './process.mjs'

export const here = (file) => fileURLToPath(new URL(file, import.meta.url))
export const program = here('../bin/payments-sandbox.js')
export const rounds = Number(process.env.BENCH_ROUNDS ?? 4)
export const perRound = Number(process.env.BENCH_REQUESTS ?? 20_000)

/** Runs `work` in a temporary folder and deletes the folder afterwards. */
export async function inFolder(work, parent = tmpdir()) {
  const folder = mkdtempSync(join(parent, 'payments-sandbox-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts a sandbox and prepares its account, so that no call is rejected. */
export async function startSandbox(db, clock = 'manual', node = process.execPath) {
  const args = ['start', '--port', '0', '--json', '--db', db, '--no-rate-limits', '--clock', clock]
  const started = await startProgram([program, ...args], node)
  return { ...started, ...(await callsOf(started.base, started.ready.accounts[0].credentials[0])) }
}

/** Authenticates at a running sandbox on any runtime, and gives its account enough money and high enough limits. */
export async function callsOf(base, credential) {
  const bearer = await bearerOf(base, credential)
  const control = (method, path, body) => ask(`${base}/_sandbox${path}`, method, body)
  await control('PUT', '/accounts/merchant/balances', { BRL: '9000000000.00' })
  await control('PATCH', '/accounts/merchant', {
    limits: ['cashin', 'cashout'].map((operation) => ({ currency: 'BRL', operation, daily_limit: '9000000000.00' })),
  })
  return { bearer, control, ...callsWith(base, bearer, credential.signing_key) }
}

/** Builds the calls as bytes, for the sandbox or for a floor that accepts the same calls. */
export function callsWith(base, bearer, signingKey) {
  const call = (method, path, body = '', headers = {}) =>
    rawRequest(base, method, path, { ...bearer, ...headers }, body)
  return {
    cashin: (body = charge()) => call('POST', '/v2/transactions/cashin', body),
    balance: () => call('GET', '/v2/account/balance'),
    list: () => call('POST', '/v2/account/transactions/list', firstPage),
    withdrawal: () => {
      const body = withdrawal()
      return call('POST', '/v2/transactions/cashout', body, signed(signingKey, body))
    },
    pay: (id) => call('POST', '/_sandbox/trigger', JSON.stringify({ action: 'cashin.pay', id })),
  }
}

/** Calls through undici's `request`: `fetch` takes longer than the call that it makes. */
export async function ask(url, method, body, headers = {}) {
  const response = await request(url, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.body.text()
  if (response.statusCode >= 300) throw new Error(`${method} ${url}: ${response.statusCode} ${text}`)
  return text === '' ? null : JSON.parse(text)
}

export async function bearerOf(base, { client_id, client_secret }) {
  const headers = { Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` }
  const { access_token } = await ask(`${base}/v2/oauth/token`, 'POST', { grant_type: 'client_credentials' }, headers)
  return { Authorization: `Bearer ${access_token}` }
}

export const firstPage = '{"page":1,"page_size":50}'

let counter = 0
export const charge = () =>
  JSON.stringify({
    amount: 25.5,
    currency: 'BRL',
    external_id: `order-${++counter}-${randomUUID()}`,
    payer: { name: 'Maria Silva', document: '52998224725' },
  })

const withdrawal = () =>
  JSON.stringify({
    external_id: `wd-${++counter}-${randomUUID()}`,
    amount: 1,
    currency: 'BRL',
    key: '52998224725',
    key_type: 'cpf',
  })

function signed(signingKey, body) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const nonce = randomUUID()
  return {
    'X-Timestamp': timestamp,
    'X-Nonce': nonce,
    'X-Signature': createHmac('sha256', signingKey).update(`${timestamp}.${nonce}.${body}`).digest('hex'),
  }
}
