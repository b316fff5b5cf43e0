/** Platforms that check signatures or tokens otherwise than documented, or not at all: each is one finding, with its verdict. */
import { expect, test } from 'vitest'
import { signRequest } from '../../src/inside/client.js'
import { differing, findingsOf, openProxy, type Passing, probeSandbox } from '../support/probed.js'

/** The fixed credentials of the demonstration account. */
const signingKey = `sk_sandbox_merchant_${'0'.repeat(40)}`
const signedRoutes = ['cashout', 'pix/payment', 'internal_transfers/payment', 'conversions/new']
const isSigned = ({ name }: Passing) => signedRoutes.some((route) => name.endsWith(route))
const signRightly = ({ headers, text }: Passing, signature: Parameters<typeof signRequest>[0] | null = null) => {
  const right = signRequest(signature ?? { signingKey, body: Buffer.from(text) })
  for (const [name, value] of Object.entries(right)) headers[name.toLowerCase()] = value
}
const header = ({ headers }: Passing, name: string) => headers[name]
/** Calls with all three headers, so that the platform can compare them. */
const isWhole = (one: Passing) =>
  isSigned(one) && ['x-signature', 'x-timestamp', 'x-nonce'].every((name) => header(one, name))

interface Platform {
  is: string
  /** Makes the calls right that this platform does not reject. */
  change(passing: Passing): void
  found: object
  /** The probes that differ. */
  probes: string[]
}

const notMade = {
  verdict: 'documentation_wrong',
  assumption: null,
  about: 'The platform does not make this check of a signature.',
}
const used = new Set<string>()

const platforms: Platform[] = [
  {
    is: 'checks no signatures',
    change: (one) => isSigned(one) && signRightly(one),
    found: {
      verdict: 'documentation_wrong',
      assumption: null,
      about: 'The platform rejects no call of the recording for a wrong signature.',
    },
    probes: ['unsigned', 'timestamp', 'signature', 'signature_headers', 'nonce', 'conversion'],
  },
  {
    is: 'requires no signature of one route',
    change: (one) =>
      one.name.endsWith('conversions/new') && header(one, 'x-signature') === undefined && signRightly(one),
    found: { ...notMade, sandbox: 'MISSING_SIGNATURE', calls: ['POST /v2/conversions/new'] },
    probes: ['unsigned'],
  },
  {
    is: 'requires the headers and compares none of them',
    change: (one) => isWhole(one) && Number(header(one, 'x-timestamp')) > 0 && signRightly(one),
    found: { verdict: 'documentation_wrong', assumption: null, path: 'error.code' },
    probes: ['timestamp', 'signature', 'signature_headers', 'nonce', 'conversion'],
  },
  {
    is: 'accepts a nonce again',
    change: (one) => {
      const nonce = header(one, 'x-nonce') ?? ''
      if (isWhole(one) && used.has(nonce)) signRightly(one)
      used.add(nonce)
    },
    found: { ...notMade, sandbox: 'REPLAY_DETECTED' },
    probes: ['nonce', 'conversion'],
  },
  {
    is: 'accepts any timestamp',
    change: (one) => {
      const offMs = Math.abs(Number(header(one, 'x-timestamp')) * 1000 - Date.now())
      if (isWhole(one) && offMs > 290_000) signRightly(one)
    },
    found: { ...notMade, sandbox: 'INVALID_TIMESTAMP' },
    probes: ['timestamp'],
  },
  {
    is: 'accepts a signature in upper case',
    change: (one) => {
      const hex = header(one, 'x-signature') ?? ''
      if (hex !== hex.toLowerCase()) one.headers['x-signature'] = hex.toLowerCase()
    },
    found: { verdict: 'assumption_wrong', assumption: 'signature_headers' },
    probes: ['signature_headers'],
  },
  {
    is: 'checks the required fields before the signature',
    change: (one) => isSigned(one) && one.body.amount === undefined && signRightly(one),
    found: { verdict: 'assumption_wrong', assumption: 'order_of_checks' },
    probes: ['signature'],
  },
  {
    is: 'asks for no token',
    change: ({ name, headers }) => {
      if (name === 'GET /v2/account/balance' && headers.authorization === undefined) headers.authorization = token
    },
    found: { verdict: 'documentation_wrong', path: 'status', platform: 200, calls: ['GET /v2/account/balance'] },
    probes: ['no_token'],
  },
]

let token = ''

test.each(platforms)('a platform that $is is one finding', async ({ change, found, probes }) => {
  used.clear()
  const report = await probeSandbox(
    { cashoutSettle: '150ms' },
    {
      without: ['retries'],
      config: { cashoutSettle: 'auto', cashoutSettleMs: 150 },
      proxy: (url) =>
        openProxy(url, {
          ofRequest: change,
          ofAnswer: ({ body }) => {
            if (typeof body.access_token === 'string') token = `Bearer ${body.access_token}`
          },
        }),
    },
  )
  const findings = findingsOf(report)
  expect(findings, JSON.stringify(findings, null, 1)).toEqual([expect.objectContaining(found)])
  expect(differing(report)).toEqual(probes)
})
