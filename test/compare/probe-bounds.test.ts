/** Platforms that deviate just at a documented bound, or in something that one call alone does not show: each is one finding, about one rule. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type ProbeId, type ProbeNeed, probeIds } from '../../src/features/compare/probe/probes.js'
import { plainFetch } from '../support/plain-fetch.js'
import { findingsOf, type Json, openProxy, type Passing, probeSandbox } from '../support/probed.js'

// The answers of a platform that deviates are not those of the OpenAPI document.
globalThis.fetch = plainFetch

const refuse = (status: number, code: string, details: Json) => (passing: Passing) => {
  passing.status = status
  passing.body = { success: false, error: { code, message: 'no', group: 'validation', retryable: false, details } }
}
/** Refuses the answer to the request that was sent last. */
const refusing = (is: (request: Passing) => boolean, refusal: (passing: Passing) => void) => {
  let last: Passing | undefined
  return {
    ofRequest: (request: Passing) => {
      last = request
    },
    ofAnswer: (passing: Passing) => {
      if (last?.name === passing.name && is(last)) refusal(passing)
    },
  }
}
const chains = ['tron', 'ethereum', 'bsc', 'polygon', 'solana', 'bitcoin']
const offSeconds = ({ headers }: Passing, nowMs = Date.now()) => Math.abs(Number(headers['x-timestamp']) - nowMs / 1000)
const isAllSigned = ({ headers }: Passing) =>
  ['x-signature', 'x-nonce', 'x-timestamp'].every((name) => headers[name] !== undefined)

interface Platform {
  is: string
  changes: Parameters<typeof openProxy>[1]
  found: object
  row: string
  /** All rows that differ (default: that row alone). */
  rows?: string[]
  has?: ProbeNeed[]
  without?: readonly ProbeId[]
}

const platforms: Platform[] = [
  {
    is: 'accepts timestamps within a minute',
    changes: refusing(
      (request) => isAllSigned(request) && offSeconds(request) > 60 && offSeconds(request) < 400,
      refuse(401, 'INVALID_TIMESTAMP', {}),
    ),
    found: { verdict: 'documentation_wrong', path: 'error.code', platform: 'INVALID_TIMESTAMP' },
    row: 'timestamp-window',
  },
  {
    is: 'accepts external_ids of 100 characters',
    changes: refusing(
      ({ body }) => body.external_id?.length > 100 && body.external_id.length <= 150,
      refuse(422, 'INVALID_VALUE', { field: 'external_id', rule: 'must be at most 100 characters' }),
    ),
    found: { verdict: 'documentation_wrong', path: 'status', platform: '422 INVALID_VALUE' },
    row: 'external-id-length',
  },
  {
    is: 'accepts one decimal',
    changes: refusing(({ body }) => body.amount === 1.21, refuse(422, 'INVALID_AMOUNT', { field: 'amount' })),
    found: { verdict: 'documentation_wrong', path: 'status', platform: '422 INVALID_AMOUNT' },
    row: 'charge-decimals',
  },
  {
    is: 'knows no CNPJ with letters',
    changes: refusing(
      ({ body }) => /[A-Z]/.test(body.payer?.document),
      refuse(422, 'INVALID_VALUE', { field: 'payer.document', rule: 'must be a CPF or CNPJ' }),
    ),
    found: { verdict: 'assumption_wrong', assumption: 'cnpj_letters' },
    row: 'cnpj_letters',
  },
  {
    is: 'counts an external_id for each operation',
    changes: refusing(
      ({ name, body }) => name.endsWith('internal_transfers/payment') && body.external_id !== undefined,
      refuse(404, 'NOT_FOUND', { object: 'account' }),
    ),
    found: { verdict: 'assumption_wrong', assumption: 'external_id_scope' },
    row: 'external_id_scope',
  },
  {
    is: 'checks an amount before missing fields',
    changes: refusing(
      ({ name, body }) => name.endsWith('cashin') && body.amount < 0 && body.currency === undefined,
      refuse(422, 'INVALID_AMOUNT', { field: 'amount', rule: 'must be greater than 0' }),
    ),
    found: { verdict: 'assumption_wrong', assumption: 'missing_before_wrong' },
    row: 'missing_before_wrong',
  },
  {
    is: 'checks missing fields before a signature',
    changes: refusing(
      ({ name, headers, body }) =>
        name.endsWith('cashout') &&
        headers['x-signature'] !== undefined &&
        body.amount === undefined &&
        body.external_id !== undefined,
      refuse(400, 'MISSING_REQUIRED_FIELD', { field: 'amount' }),
    ),
    found: { verdict: 'assumption_wrong', assumption: 'order_of_checks' },
    row: 'order_of_checks',
  },
  {
    is: 'requires a signature for a quote',
    changes: refusing(({ name }) => name.endsWith('conversions/simulate'), refuse(401, 'MISSING_SIGNATURE', {})),
    found: { verdict: 'documentation_wrong', path: 'status', platform: '401 MISSING_SIGNATURE' },
    row: 'unsigned-routes',
  },
  {
    is: 'accepts no http:// address',
    changes: refusing(
      ({ body }) => body.postback_url?.startsWith('http://'),
      refuse(422, 'INVALID_POSTBACK_URL', {
        field: 'postback_url',
        rule: 'must be an https:// URL (strict_webhooks is set)',
      }),
    ),
    found: { verdict: 'assumption_wrong', setting: 'strict_webhooks', value: true },
    row: 'http_addresses',
  },
  {
    is: 'lists all chains for each currency',
    changes: {
      ofAnswer: ({ body: { error } }) => {
        if (error?.code === 'UNSUPPORTED_CHAIN') error.details.supported = chains
      },
    },
    found: { verdict: 'documentation_wrong', path: 'error.details.supported', platform: chains },
    row: 'chain-details',
  },
  {
    is: 'sends empty details',
    changes: {
      ofAnswer: ({ body: { error } }) => {
        if (error !== undefined) error.details = {}
      },
    },
    found: { verdict: 'documentation_wrong' },
    row: 'chain-details',
    rows: ['maximum-details', 'chain-details'],
  },
]

test.each(platforms)(
  'a platform that $is is one finding',
  async ({ changes, found, row, rows = [row], has, without = [] }) => {
    const report = await probeSandbox(
      { cashoutSettle: '150ms' },
      {
        ...(has === undefined ? { has: ['key', 'money'] } : { has }),
        without: ['retries', ...without],
        config: { cashoutSettle: 'auto', cashoutSettleMs: 150 },
        proxy: (url) => openProxy(url, changes),
      },
    )
    const findings = findingsOf(report)
    expect(findings, JSON.stringify(findings, null, 1)).toEqual([expect.objectContaining(found)])
    expect(report.rows.differ).toEqual(rows)
  },
)

const only = (probes: readonly ProbeId[]) => probeIds.filter((id) => !probes.includes(id))

test('a platform that makes each second attempt three seconds late is one finding; one that is late once is none', async () => {
  const later = (isLate: (count: number) => boolean) => {
    const seen = new Map<string, number>()
    let count = 0
    return async ({ headers }: Passing) => {
      const id = headers['x-webhook-id'] ?? ''
      seen.set(id, (seen.get(id) ?? 0) + 1)
      if (seen.get(id) !== 2 || !isLate(++count)) return
      await pause(3000)
      headers['x-webhook-timestamp'] = String(Math.floor(Date.now() / 1000))
    }
  }
  const run = (isLate: (count: number) => boolean) =>
    probeSandbox(
      { cashoutSettle: '150ms' },
      { without: only(['retries']), webhookProxy: (url) => openProxy(url, { before: later(isLate) }) },
    )
  const [always, once] = await Promise.all([run(() => true), run((count) => count === 2)])
  const findings = findingsOf(always)
  expect(findings, JSON.stringify(findings, null, 1)).toEqual([
    expect.objectContaining({ verdict: 'documentation_wrong', path: 'attempts.delay', sandbox: '1 s' }),
  ])
  expect(always.rows.differ).toEqual(['webhook-delays'])
  expect(findingsOf(once)).toEqual([])
  expect(once.rows.not_observed).not.toContain('webhook-delays')
})
