/** Compares recordings, each with a fresh sandbox in memory. */
import { isoUtc } from '../../base/iso.js'
import type { Send } from '../../core/unit/send-port.js'
import { closeWorkspace } from '../../core/workspace/closing.js'
import type { OpenScratch } from '../../http/host.js'
import type { Config } from '../../protocol/settings/platform.js'
import { Findings } from '../core/findings.js'
import { Scratch, scratchConfig } from '../core/scratch.js'
import { NotHar } from '../protocol/har.js'
import type { Comparison, LeftOut } from '../protocol/verdicts.js'
import { readRecording } from './har/recording.js'
import { replay } from './replay.js'

/** Sends nothing. */
const send: Send = async () => ({ outcome: 'ok', status: 200, responseBody: null, durationMs: 0, detail: null })

/** Throws `NotHar` if a text is not a recording. */
export async function compareRecordings(
  texts: readonly string[],
  config: Config,
  open: OpenScratch,
): Promise<Comparison> {
  const findings = new Findings()
  const leftOutByReason = new Map<string, number>()
  let [exchanges, webhooks, lastMs] = [0, 0, 0]
  for (const text of texts) {
    const recording = await readRecording(text)
    if (recording.entries.length === 0)
      throw new NotHar('it has no call of the platform API and no webhook, so there is nothing to compare')
    let wall = () => 0
    const ws = open(scratchConfig(config), { wall: () => wall(), send })
    try {
      const scratch = new Scratch(ws, (now) => {
        wall = now
      })
      const replayed = await replay(scratch, recording, findings)
      exchanges += replayed.exchanges
      webhooks += replayed.webhooks
      lastMs = Math.max(lastMs, recording.entries.at(-1)?.startedMs ?? 0)
    } finally {
      closeWorkspace(ws)
    }
    for (const { reason, entries } of recording.leftOut)
      leftOutByReason.set(reason, (leftOutByReason.get(reason) ?? 0) + entries)
  }
  const leftOut = [...leftOutByReason].map(([reason, entries]): LeftOut => ({ reason, entries }))
  const lastSeen = lastMs === 0 ? null : isoUtc(lastMs).slice(0, 10)
  return findings.report({ exchanges, webhooks, recordings: texts.length, last_seen: lastSeen }, leftOut)
}
