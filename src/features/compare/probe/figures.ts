/** The figures of a run for each tier: what it observed of all that probes can observe, and what of that differs. */
import {
  assumptionOf,
  type DocumentedSentenceId,
  documentedSentences,
  errorCatalogue,
  type FidelityTier,
  fidelityRows,
  fidelityTiers,
  measureFidelity,
  webhookHeaders,
} from '../../../inside/platform.js'
import { isKeyOf, rowAt, tableOf } from '../../../inside/values.js'
import type { DetailedComparison } from '../compare.js'
import type { Finding } from '../judge/comparison.js'
import type { EntryFinding } from '../judge/findings.js'
import { type ProbeId, type ProbeRow, probeOf, probesByRow, type Shown, shownBy, shownEverywhere } from './probes.js'

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
  'withdrawal-failed': ['cashout.failed balance'],
  'webhook-first': ['delay'],
  'webhook-delays': ['attempts.delay'],
  'webhook-retry': ['attempts.count'],
}

const headers = Object.values(webhookHeaders).map((name) => `headers.${name}`)
/** Paths that are about a single field only, and not about how a call ends. */
const fields: ReadonlySet<string> = new Set(
  [...headers, ...Object.values(places).flat()].filter((path) => path !== 'status'),
)

/** Sentences about all that an answer contains, by the beginning of the path. */
const contents: Readonly<Partial<Record<DocumentedSentenceId, string>>> = {
  'balance-components': 'data.balances',
  'charge-crypto-address': 'data.payment_info',
  'charge-spei-clabe': 'data.payment_info',
  'wallet-destination': 'data',
  'withdrawal-pending': 'data',
  'account-endpoints': 'data',
  'conversion-rate': 'data',
  'conversion-simulate': 'data',
  'conversion-new': 'data',
  'list-pages': 'data',
  'dispute-list': 'data',
  'dispute-detail': 'data',
}

/** Sentences that an endpoint exists. */
const endpointSentences: ReadonlySet<string> = new Set(
  documentedSentences.filter(({ section, tier }) => section === '4.3' && tier === 'core').map(({ id }) => id),
)
const isRow = (id: string) => fidelityRows.some((row) => row.id === id)
// An event has a name without a slash.
const isOfEvent = ({ call }: Pick<Finding, 'call'>) => !call.includes('/')

/** What of a probe differs: the assumption that the finding names, or the sentences about its place. */
export function differsIn(row: ProbeRow, finding: EntryFinding): readonly string[] {
  const { verdict, assumption, call, path, code, rejectedBy, sentence } = finding
  if (sentence !== null) return [sentence]
  if (assumption !== null) {
    return [assumption, ...(verdict === 'documentation_wrong' ? sentencesAt(shownBy(row), finding) : [])]
  }
  if (verdict === 'unexplained') return []
  if (verdict === 'unknown_field') return path === 'event' ? [] : ['undocumented_fields']
  const isEvent = isOfEvent(finding)
  const shown = isEvent && path !== 'balance' ? (row.webhooks?.shows ?? []) : row.shows
  const own = path === 'status' && code !== null ? [] : sentencesAt(shown, finding)
  // A field that a sentence of other probes is about shows nothing of this one.
  if (own.length > 0 || fields.has(path)) return own
  if (isEvent) return [`event:${call}`]
  if (path === 'error.code' && finding.absent === 'platform') return ['error-code']
  const ofCode = code !== null && isRow(`error:${code}`) ? [`error:${code}`] : []
  if (ofCode.length > 0 && rejectedBy !== 'sandbox') return ofCode
  if (rejectedBy === null && path !== 'status') return row.shows.filter((id) => isContent(id, path))
  const about = row.shows.filter((id) => isAboutOutcome(id, finding))
  const more = rejectedBy === 'sandbox' ? about.filter((id) => !endpointSentences.has(id)) : about
  return more.length > 0 ? more : about.length > 0 ? about : ofCode
}

const isContent = (id: Shown, path: string) => path.startsWith(rowAt(contents, id) ?? 'none')

/** Whether a sentence says that such a call is accepted or rejected. */
const isAboutOutcome = (id: Shown, { currency }: EntryFinding) =>
  rowAt(places, id) === undefined &&
  assumptionOf(id) === undefined &&
  !id.startsWith('error:') &&
  (!id.startsWith('minimum:') || id === `minimum:${String(currency)}`) &&
  id !== 'version-path'

/** The sentences about that place, or about the event as a whole. */
export function sentencesAt(
  sentences: readonly Shown[],
  { call, path }: Pick<Finding, 'call' | 'path'>,
): readonly Shown[] {
  const exact = sentences.filter((id) => [path, `${call} ${path}`].some((one) => rowAt(places, id)?.includes(one)))
  return exact.length > 0 || headers.includes(path) ? exact : sentences.filter((id) => id === `event:${call}`)
}

interface ShownRows {
  observed: ReadonlySet<string>
  differing: ReadonlySet<string>
  /** Rows that are not observed because something else differs, with what that is. */
  hidden: ReadonlyMap<string, string>
}

/** `shownIn` is what completed probes show, with what their last webhook shows if it was observed. */
export function rowsIn(
  compared: DetailedComparison,
  probeAt: (entry: number) => string,
  shownIn: ReadonlyMap<ProbeId, readonly Shown[]>,
): ShownRows {
  const { byEntry: leftByEntry, agreedCodes } = compared.last
  const named = compared.report.findings.filter(({ setting, value }) => setting !== null && value !== null)
  const settings = new Set<string | null | undefined>(named.map(({ setting }) => setting))
  const differing = new Set<string>(named.flatMap(({ assumption }) => assumption ?? []))
  const [observed, hidden] = [new Set<string>(), new Map<string, string>()]
  // A webhook that is missing shows after an entry of any probe.
  const unsent = [...leftByEntry.values()].flat().filter(({ path }) => path === 'event')
  for (const [id, shown] of shownIn) {
    const of = (entries: typeof leftByEntry) =>
      [...entries].flatMap(([number, found]) => (probeAt(number) === id ? found : []))
    const [first, seen] = [of(compared.first.byEntry), of(leftByEntry)]
    const missing = unsent.filter(({ call }) => probeOf(id).webhooks?.events.some((event) => event === call))
    const left = [...seen, ...missing.filter((one) => !seen.includes(one))]
    // With the setting that a finding names, what differed because of it agrees.
    const own = first.filter(({ assumption, setting }) =>
      settings.has(assumption === null ? setting : assumptionOf(assumption)?.setting),
    )
    for (const one of [...left, ...own]) for (const row of differsIn(probeOf(id), one)) differing.add(row)
    for (const row of shownBy(probeOf(id))) {
      // A rejected call causes no webhook, whatever setting explains that.
      const rejection = shown.includes(row) ? undefined : first.find(({ rejectedBy }) => rejectedBy === 'platform')
      const cause = left.find((one) => hides(one, row, probeOf(id), left)) ?? rejection
      const isAbsent = row.startsWith('error:') && !agreedCodes.has(row.slice('error:'.length))
      if (cause === undefined && !shown.includes(row)) continue
      if (cause === undefined && !isAbsent) observed.add(row)
      else hidden.set(row, nameOf(cause ?? first[0]))
    }
  }
  for (const row of hidden.keys()) if (observed.has(row) || differing.has(row)) hidden.delete(row)
  return { observed, differing, hidden }
}

const nameOf = (finding: EntryFinding | undefined) =>
  finding === undefined ? 'no such answer' : (finding.assumption ?? `${finding.call} ${finding.path}`)

const endings: readonly string[] = ['error.code', 'body', 'event']
/** After such a difference, nothing else of the entry is compared. */
const isEnding = ({ path, verdict, rejectedBy }: EntryFinding) =>
  rejectedBy !== null || endings.includes(path) || verdict === 'unexplained'

/** Whether a difference leaves nothing of a probe that could show the row. */
function hides(finding: EntryFinding, id: Shown, row: ProbeRow, all: readonly EntryFinding[]): boolean {
  const isEvent = isOfEvent(finding)
  const part: readonly Shown[] = isEvent ? (row.webhooks?.shows ?? []) : row.shows
  if (!isEnding(finding) || id.startsWith('error:') || !part.includes(id)) return false
  if (finding.path === 'event' && finding.call !== row.webhooks?.events.at(-1)) return false
  const [kind, name] = id.split(':')
  if (kind === 'minimum') return name === finding.currency
  if (kind === 'event') return name === finding.call
  // Under another name, an error still shows that the call is rejected.
  if (!isShownByAny(id)) return !(finding.path === 'error.code' && isUnknownCode(finding.platform))
  const ended = new Set(all.filter((one) => isEnding(one) && isOfEvent(one) === isEvent).map((one) => one.exchange))
  return ended.size >= (isEvent ? (row.webhooks?.events.length ?? 0) : row.calls.length)
}

const isUnknownCode = (code: unknown) => typeof code === 'string' && !isKeyOf(errorCatalogue, code)

/** Whether each call of a probe shows a row, and not one call by how it ends. */
const isShownByAny = (id: Shown) =>
  shownEverywhere.has(id) ||
  rowAt(places, id) !== undefined ||
  assumptionOf(id)?.at?.every(({ codes, path }) => codes === undefined && path !== 'status') === true
