/** Runs probes from this process, so that tests choose the settings of both sides. */

import type { Finding } from '../../src/features/compare/judge/comparison.js'
import { compareInDetailHere } from '../../src/features/compare/node.js'
import { type ProbeId, type ProbeNeed, probeNeeds } from '../../src/features/compare/probe/probes.js'
import { ProbeReceiver } from '../../src/features/compare/probe/receiver.js'
import { ProbeRecording } from '../../src/features/compare/probe/recording.js'
import { type ProbeReport, planOf, reportOf } from '../../src/features/compare/probe/report.js'
import { runProbes } from '../../src/features/compare/probe/run.js'
import { type Config, defaultConfig } from '../../src/protocol/settings/platform.js'
import { jobRunner } from '../../src/runtime/node/background/run.js'
import { startSandbox } from '../../src/testing/index.js'
import type { StartOptions } from '../../src/testing/options.js'
import { built } from './built.js'

interface How {
  /** What `payments-sandbox probe` would be allowed to do (default: everything). */
  has?: readonly ProbeNeed[]
  without?: readonly ProbeId[]
  /** What stands before the sandbox: returns its base URL. */
  proxy?: (url: string) => Promise<string>
  /** What stands before the receiver of webhooks. */
  webhookProxy?: (url: string) => Promise<string>
  config?: Partial<Config>
  /** How long a webhook may take; a platform that does not send one makes a run that long. */
  webhookMs?: number
  onWait?: (text: string) => void
}

const everything = Object.keys(probeNeeds) as ProbeNeed[]

/** Probes a sandbox with these options, and compares it with one with standard settings. */
export async function probeSandbox(options: StartOptions, how: How = {}): Promise<ProbeReport> {
  await built()
  const {
    has = everything,
    without = [],
    proxy,
    webhookProxy,
    config = {},
    webhookMs = 30_000,
    onWait = () => {},
  } = how
  await using sandbox = await startSandbox(options)
  const base = (await proxy?.(sandbox.url)) ?? sandbox.url
  const recording = new ProbeRecording(base, null, jobRunner(null))
  const receiver = new ProbeReceiver(recording)
  try {
    const hooks = `http://127.0.0.1:${await receiver.listen(0)}`
    await sandbox.configure('merchant', { postback_url: `${(await webhookProxy?.(hooks)) ?? hooks}/hooks` })
    const { client_id: clientId, client_secret: clientSecret, signing_key: signingKey } = sandbox.accounts.merchant
    const plan = planOf(new Set(has)).filter(({ id }) => !without.includes(id))
    const end = await runProbes(
      plan.flatMap(({ id, missing }) => (missing.length === 0 ? [id] : [])),
      {
        ...{ target: { base, clientId, clientSecret, signingKey }, recording, receiver },
        signal: new AbortController().signal,
        onProbe: () => {},
        onWait,
        webhookMs,
      },
    )
    const compared = await compareInDetailHere([recording.text()], { ...defaultConfig, ...config })
    const { done, probeAt } = recording
    return reportOf({ target: base, file: null, plan, end, done, hasWebhooks: true, compared, probeAt })
  } finally {
    receiver.close()
    await recording.end()
  }
}

export const differing = ({ probes }: ProbeReport): ProbeId[] =>
  probes.flatMap(({ id, result }) => (result === 'differed' ? [id] : []))

export const findingsOf = ({ comparison }: ProbeReport): Finding[] =>
  (comparison?.findings ?? []).filter(({ verdict }) => verdict !== 'assumption_confirmed')
