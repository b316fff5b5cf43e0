/** What a recording shows: which documented sentences and assumptions it observes, and which of them differ. */
import { fieldsIn } from '../../src/base/unknown.js'
import type { Finding } from '../../src/features/compare/judge/comparison.js'
import { passes } from '../../src/features/compare/judge/verdicts.js'
import { compareInDetailHere } from '../../src/features/compare/node.js'
import { rowsIn } from '../../src/features/compare/probe/figures.js'
import { probeIds } from '../../src/features/compare/probe/probes.js'
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

/** Throws `NotHar` if the text is not a recording. */
export async function observe(text: string): Promise<Shown> {
  const compared = await compareInDetailHere([text], defaultConfig)
  const { report } = compared
  const { _probe: probe } = fieldsIn(fieldsIn(JSON.parse(text)).log)
  const { done } = fieldsIn(probe)
  const complete = probeIds.filter((id) => Array.isArray(done) && done.includes(id))
  const { observed, differing: differs } = rowsIn(compared, () => '', probe === undefined ? null : complete)
  return {
    date: report.last_seen ?? '',
    exchanges: report.exchanges,
    webhooks: report.webhooks,
    agrees: [...observed].sort(),
    differs: [...differs].sort(),
    findings: report.findings.filter(({ verdict }) => !passes(verdict)),
  }
}
