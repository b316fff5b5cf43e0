/** Wrong calls, one for each error that they must get. None of them may change anything. */
import type { Name } from '../../support/model.js'
import type { Hand } from './scenarios.js'
import { hold } from './violation.js'
import type { Answer } from './workspace.js'
import { idleSecret, secretOf } from './world.js'

interface Wrong {
  method?: string
  path?: string
  body?: string
  headers?: Record<string, string>
  ip?: string
  /** Calls without the bearer token. */
  isAnonymous?: true
  /** How often it is sent; the last answer counts. */
  times?: number
  isSigned?: true
}

const charge = (more: object) => JSON.stringify({ amount: 5, currency: 'BRL', external_id: 'never', ...more })
const cashout = '/v2/transactions/cashout'
const token = { path: '/v2/oauth/token', body: '{"grant_type":"client_credentials"}', isAnonymous: true } as const
const nonce = '11111111-1111-4111-8111-111111111111'
const signed = (timestamp: number) => ({
  'X-Signature': '0'.repeat(64),
  'X-Timestamp': String(timestamp),
  'X-Nonce': nonce,
})
const basic = (who: Name, secret: string) => ({ Authorization: `Basic ${btoa(`client_sandbox_${who}:${secret}`)}` })
const sandbox = (path: string, more: Wrong = {}): Wrong => ({ method: 'GET', path: `/_sandbox${path}`, ...more })

/** By code. `who` sends a call of the platform API; a charge by default. */
const wrongs = {
  INVALID_CREDENTIALS: (who) => ({ ...token, headers: basic(who, 'wrong'), ip: `10.0.0.${who.length}`, times: 1 }),
  IP_BLOCKED_TEMPORARILY: (who) => ({ ...token, headers: basic(who, 'wrong'), ip: '10.0.1.1', times: 6 }),
  RATE_LIMIT_EXCEEDED: (who) => ({ ...token, headers: basic(who, secretOf('secret', who)), ip: '10.0.2.1', times: 31 }),
  INVALID_TIMESTAMP: () => ({ path: cashout, body: charge({ key: 'a@example.com' }), headers: signed(1) }),
  MISSING_SIGNATURE: () => ({ path: cashout, body: charge({ key: 'a@example.com' }) }),
  INVALID_SIGNATURE: (_who, atMs) => ({
    path: cashout,
    body: charge({ key: 'a@example.com' }),
    headers: signed(Math.floor(atMs / 1000)),
  }),
  MISSING_REQUIRED_FIELD: () => ({ body: '{"amount":5,"external_id":"never"}' }),
  INVALID_AMOUNT: () => ({ body: charge({ amount: -1 }) }),
  INVALID_CURRENCY: () => ({ body: charge({ currency: 'XXX' }) }),
  UNSUPPORTED_CHAIN: () => ({ body: charge({ currency: 'USDT', chain: 'bitcoin' }) }),
  PROVIDER_ERROR: () => ({
    body: charge({ amount: 500, currency: 'MXN' }),
    headers: { 'X-Sandbox-Error': 'PROVIDER_ERROR' },
  }),
  UNAUTHORIZED: () => ({ body: charge({}), isAnonymous: true }),
  CREDENTIAL_INACTIVE: () => ({
    ...token,
    headers: { Authorization: `Basic ${btoa(`client_sandbox_idle:${idleSecret}`)}` },
  }),
  FORBIDDEN_ORIGIN: () => ({ body: charge({}), headers: { Host: 'another.example' } }),
  INVALID_JSON: () => ({ body: '{"amount":' }),
  UNSUPPORTED_CONTENT_TYPE: () => ({ body: charge({}), headers: { 'content-type': 'text/plain' } }),
  PAYLOAD_TOO_LARGE: () => ({ body: charge({ payer: { name: 'x'.repeat(300_000) } }) }),
  INVALID_VALUE: () => ({ body: charge({ external_id: 'x'.repeat(1000) }) }),
  INVALID_POSTBACK_URL: () => ({ body: charge({ postback_url: 'ftp://a.example' }) }),
  INVALID_SPLIT_CONFIG: () => ({ body: charge({ split: [{ username: 'nobody', amount: 1 }] }) }),
  SELF_TRANSFER_BLOCKED: (who) => ({
    path: '/v2/internal_transfers/payment',
    body: charge({ username: who }),
    isSigned: true,
  }),
  NOT_FOUND: () => sandbox('/transactions/tx_none'),
  METHOD_NOT_ALLOWED: () => sandbox('/clock/advance'),
  CONFLICT: () => sandbox('/accounts', { method: 'POST', body: '{"username":"merchant"}' }),
  WAIT_TIMEOUT: () => sandbox('/webhooks/wait?transaction_id=none&timeout=0s'),
} as const satisfies Record<string, (who: Name, wallMs: number) => Wrong>

export type WrongCall = keyof typeof wrongs
// The names of a table's own rows.
export const wrongCalls = Object.keys(wrongs) as WrongCall[]

export async function callWrongly({ world, send }: Hand, code: WrongCall, who: Name): Promise<void> {
  // With `strict`, the header has no effect, and the call would succeed.
  if (code === 'PROVIDER_ERROR' && world.isStrict) return
  const wrong: Wrong = wrongs[code](who, world.wallMs)
  const { method = 'POST', path = '/v2/transactions/cashin', body, headers = {}, ip, times = 1 } = wrong
  const isOfPlatform = path.startsWith('/v2') && wrong.isAnonymous !== true
  const bearer = isOfPlatform ? await world.bearer(who) : {}
  let answer: Answer | undefined
  for (let left = times; left > 0; left--)
    answer =
      wrong.isSigned === true
        ? await send(who, path, body ?? '', true)
        : await world.process.call(method, path, body, { ...bearer, ...headers }, ip)
  if (code === 'RATE_LIMIT_EXCEEDED' && !world.hasRates) return
  // The address may be blocked by the call before.
  const expected: (string | undefined)[] = code === 'INVALID_CREDENTIALS' ? [code, 'IP_BLOCKED_TEMPORARILY'] : [code]
  hold(expected.includes(answer?.code), () => `a call that is ${code} got ${answer?.code ?? answer?.status}`)
}
