/** What a recording shows: which documented sentences and assumptions it observes, and which of them differ. */
import { fieldAt, fieldsIn } from '../../src/base/unknown.js'
import type { Finding } from '../../src/features/compare/judge/comparison.js'
import { passes } from '../../src/features/compare/judge/verdicts.js'
import { compareInDetailHere } from '../../src/features/compare/node.js'
import { rowsIn, sentencesAt } from '../../src/features/compare/probe/figures.js'
import { type ProbeId, probeIds, probeOf, type Shown as Row, shownBy } from '../../src/features/compare/probe/probes.js'
import { documentedSentences } from '../../src/protocol/platform/documented-sentences.js'
import { lowerCaseWebhookHeaders } from '../../src/protocol/platform/headers.js'
import { defaultConfig } from '../../src/protocol/settings/platform.js'

export interface Shown {
  /** Day of the newest exchange. */
  date: string
  exchanges: number
  webhooks: number
  agrees: string[]
  differs: string[]
  findings: Finding[]
}

const sentences = documentedSentences.map(({ id }) => id)

/** Throws `NotHar` if the text is not a recording. */
export async function observe(text: string): Promise<Shown> {
  const compared = await compareInDetailHere([text], defaultConfig)
  const { report } = compared
  const log = fieldsIn(fieldsIn(JSON.parse(text)).log)
  const entries = Array.isArray(log.entries) ? log.entries.map(fieldsIn) : []
  const probeAt = (number: number) => String(entries[number - 1]?._probe ?? '')
  const rows = rowsIn(compared, probeAt, probed(log, entries))
  // Without a probe, a difference that is not about one place is about no single sentence.
  const others = [...compared.last.byEntry].flatMap(([number, found]) =>
    probeIds.some((id) => id === probeAt(number))
      ? []
      : found.flatMap((one) => (one.assumption === null ? sentencesAt(sentences, one) : one.assumption)),
  )
  const differs = new Set<string>([...rows.differing, ...others])
  const confirmed = report.findings.flatMap(({ verdict, assumption }) => (passes(verdict) ? (assumption ?? []) : []))
  const observed = new Set([...rows.observed, ...entries.flatMap(namedIn), ...confirmed])
  return {
    date: report.last_seen ?? '',
    exchanges: report.exchanges,
    webhooks: report.webhooks,
    agrees: [...observed].filter((id) => !differs.has(id)).sort(),
    differs: [...differs].sort(),
    findings: report.findings.filter(({ verdict }) => !passes(verdict)),
  }
}

/** What the completed probes of a run show; of their webhooks, only if they arrived. */
function probed(
  log: Record<string, unknown>,
  entries: readonly Record<string, unknown>[],
): ReadonlyMap<ProbeId, readonly Row[]> {
  const { done } = fieldsIn(log._probe)
  const withWebhooks = new Set(entries.flatMap((entry) => (entry._webhook === true ? [entry._probe] : [])))
  const ids = probeIds.filter((id) => Array.isArray(done) && done.includes(id))
  return new Map(ids.map((id) => [id, withWebhooks.has(id) ? shownBy(probeOf(id)) : probeOf(id).shows]))
}

/** The sentence about the event of a webhook, the failure in it, or the error of a call. */
function namedIn({ request, response }: Record<string, unknown>): string[] {
  const { headers, postData } = fieldsIn(request)
  const event = (Array.isArray(headers) ? headers.map(fieldsIn) : []).find(
    ({ name }) => String(name).toLowerCase() === lowerCaseWebhookHeaders.event,
  )?.value
  const [asked, answered] = [postData, fieldsIn(response).content].map((content) => jsonOf(fieldsIn(content).text))
  const names =
    event === undefined
      ? [`error:${String(fieldAt(fieldAt(answered, 'error'), 'code'))}`]
      : [`event:${String(event)}`, `failure:${String(fieldAt(fieldAt(asked, 'data'), 'error_code'))}`]
  return sentences.filter((id) => names.includes(id))
}

function jsonOf(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return null
  }
}
