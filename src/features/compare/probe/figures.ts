/** The figures of a run for each tier: what it observed of all that probes can observe, and what of that differs. */
import {
  assumptionOf,
  type DocumentedSentenceId,
  type FidelityTier,
  fidelityRows,
  fidelityTiers,
  measureFidelity,
  webhookHeaders,
} from '../../../inside/platform.js'
import { rowAt, tableOf } from '../../../inside/values.js'
import type { Finding } from '../judge/comparison.js'
import { type ProbeRow, probesByRow, type Shown, shownBy } from './probes.js'

export interface ProbeFigures {
  coverage: Record<string, { observed: number; of: number }>
  divergence: Record<string, { differs: number; of: number }>
}

/** Counts as the page of fidelity does: the rows that a probe shows. A row that differs counts even if no probe shows it. */
export function figuresOf(observed: ReadonlySet<string>, differing: ReadonlySet<string>): ProbeFigures {
  const { coverage: ofProbes } = measureFidelity(probesByRow().keys(), [])
  const byTier = <Figure>(figure: (ids: string[], tier: FidelityTier) => Figure): Record<string, Figure> =>
    tableOf(fidelityTiers, (tier) =>
      figure(
        fidelityRows.filter((row) => row.tier === tier).map(({ id }) => id),
        tier,
      ),
    )
  return {
    coverage: byTier((ids, tier) => ({
      observed: ids.filter((id) => observed.has(id)).length,
      of: ofProbes[tier].observed,
    })),
    divergence: byTier((ids) => ({
      differs: ids.filter((id) => differing.has(id)).length,
      of: ids.filter((id) => observed.has(id) || differing.has(id)).length,
    })),
  }
}

/** The places of sentences that are about single fields. */
const places: Readonly<Partial<Record<DocumentedSentenceId, readonly string[]>>> = {
  'envelope-success': ['success'],
  'envelope-data': ['data', 'body'],
  'envelope-request-id': ['request_id'],
  'envelope-timestamp': ['timestamp'],
  'token-answer': ['access_token', 'expires_in'],
  'token-meta': ['meta.request_id', 'meta.timestamp'],
  'charge-id': ['data.transaction_id'],
  'charge-external-id': ['data.external_id'],
  'charge-amount': ['data.amount', 'data.currency'],
  'charge-fee': ['data.fee'],
  'charge-pix-method': ['data.payment_method'],
  'charge-pix-qrcode': ['data.payment_info.qrcode'],
  'charge-pix-expiration': ['data.payment_info.expiration', 'data.payment_info.expires_at'],
  'crypto-address-life': ['data.payment_info.expiration'],
  'charge-pending': ['data.status'],
  'charge-postback-url': ['data.postback_url'],
  'charge-created-at': ['data.created_at'],
  'charge-status': ['status'],
  'external-id-repeated': ['data.transaction_id'],
  'error-success': ['success'],
  'error-code': ['error.message'],
  'error-group': ['error.group'],
  'error-retryable': ['error.retryable'],
  'error-details': ['error.details'],
  'chain-details': ['error.details.supported'],
  'maximum-details': ['error.details.max_amount'],
  'event-timestamp': ['timestamp'],
  'event-transaction-id': ['transaction_id'],
  'webhook-type': [`headers.${webhookHeaders.type}`],
  'webhook-event': [`headers.${webhookHeaders.event}`],
  'webhook-signature': [`headers.${webhookHeaders.signature}`],
  'webhook-id': [`headers.${webhookHeaders.id}`],
  'webhook-timestamp': [`headers.${webhookHeaders.timestamp}`],
  'webhook-agent': [`headers.${webhookHeaders.userAgent}`],
  'webhook-first': ['delay'],
  'webhook-delays': ['attempts.delay'],
  'webhook-retry': ['attempts.count'],
}

const headers = Object.values(webhookHeaders).map((name) => `headers.${name}`)
/** Paths that are about a single field only, and not about how a call ends. */
const fields: ReadonlySet<string> = new Set(
  [...headers, ...Object.values(places).flat()].filter((path) => path !== 'status'),
)

/** What of a probe differs: the assumption that the finding names, or the sentences about its place. */
export function differsIn(row: ProbeRow, finding: Finding): readonly string[] {
  const { verdict, assumption, call, path } = finding
  if (assumption !== null)
    return [assumption, ...(verdict === 'documentation_wrong' ? sentencesAt(shownBy(row), finding) : [])]
  // An event has a name without a slash.
  const isEvent = !call.includes('/')
  const own = sentencesAt(isEvent ? (row.webhooks?.shows ?? []) : row.shows, finding)
  // A field that a sentence of other probes is about shows nothing of this one.
  if (own.length > 0 || fields.has(path)) return own
  if (isEvent) return [`event:${call}`]
  const code = path === 'error.code' ? `error:${String(finding.sandbox)}` : null
  const others = row.shows.filter(
    (id) =>
      rowAt(places, id) === undefined &&
      assumptionOf(id) === undefined &&
      id !== 'version-path' &&
      (code === null || !id.startsWith('error:')),
  )
  return code !== null && fidelityRows.some(({ id }) => id === code) ? [code, ...others] : others
}

/** The sentences about that place, or about the event as a whole. */
export function sentencesAt(
  sentences: readonly Shown[],
  { call, path }: Pick<Finding, 'call' | 'path'>,
): readonly Shown[] {
  const exact = sentences.filter((id) => rowAt(places, id)?.includes(path))
  return exact.length > 0 || headers.includes(path) ? exact : sentences.filter((id) => id === `event:${call}`)
}
