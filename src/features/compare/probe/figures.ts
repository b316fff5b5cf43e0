/** The figures of a run for each tier: what it observed of all that probes can observe, and what of that differs. */
import {
  assumptionOf,
  assumptionRows,
  type DocumentedSentenceId,
  documentedSentences,
  type FidelityTier,
  fidelityTiers,
  tierOfAssumption,
  webhookHeaders,
} from '../../../inside/platform.js'
import { rowAt } from '../../../inside/values.js'
import type { Finding } from '../judge/comparison.js'
import { type ProbeRow, type Shown, shownBy } from './probes.js'

export interface ProbeFigures {
  coverage: Record<string, { observed: number; of: number }>
  divergence: Record<string, { differs: number; of: number }>
}

/** Everything that a probe can observe. */
const observable: readonly { id: string; tier: FidelityTier }[] = [
  ...documentedSentences.filter(({ unobservable }) => unobservable === undefined),
  ...assumptionRows.flatMap((row) =>
    row.unobservable === undefined ? [{ id: row.id, tier: tierOfAssumption(row) }] : [],
  ),
]

export function figuresOf(observed: ReadonlySet<string>, differing: ReadonlySet<string>): ProbeFigures {
  const byTier = <Figure>(figure: (seen: string[], all: string[]) => Figure): Record<string, Figure> =>
    Object.fromEntries(
      fidelityTiers.map((tier) => {
        const all = observable.filter((one) => one.tier === tier).map(({ id }) => id)
        const seen = all.filter((id) => observed.has(id))
        return [tier, figure(seen, all)]
      }),
    )
  return {
    coverage: byTier((seen, all) => ({ observed: seen.length, of: all.length })),
    divergence: byTier((seen) => ({ differs: seen.filter((id) => differing.has(id)).length, of: seen.length })),
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
export function differsIn(row: ProbeRow, { verdict, assumption, call, path }: Finding): readonly Shown[] {
  const all = shownBy(row)
  if (assumption !== null) {
    const documented = verdict === 'documentation_wrong' ? sentencesAt(all, { call, path }) : []
    return all.filter((id) => id === assumption || documented.includes(id))
  }
  // An event has a name without a slash.
  const sentences: readonly Shown[] = call.includes('/') ? row.shows : (row.webhooks?.shows ?? [])
  const own = sentencesAt(sentences, { call, path })
  // A field that a sentence of other probes is about shows nothing of this one.
  if (own.length > 0 || fields.has(path)) return own
  return sentences.filter(
    (id) => rowAt(places, id) === undefined && assumptionOf(id) === undefined && id !== 'version-path',
  )
}

/** The sentences about that place, or about the event as a whole. */
export function sentencesAt(
  sentences: readonly Shown[],
  { call, path }: Pick<Finding, 'call' | 'path'>,
): readonly Shown[] {
  const exact = sentences.filter((id) => rowAt(places, id)?.includes(path))
  return exact.length > 0 || headers.includes(path) ? exact : sentences.filter((id) => id === `event:${call}`)
}
