/** Compares recordings, each with a fresh sandbox in memory; and the handler of `POST /_sandbox/compare`. */
import type { Config } from '../../inside/control.js'
import {
  bodyText,
  type CallContext,
  type Host,
  isLargeBody,
  type OpenScratch,
  readChunks,
} from '../../inside/handlers.js'
import { ApiError } from '../../inside/platform.js'
import { bytesWithin, isoUtc } from '../../inside/values.js'
import { closeWorkspace, type Send } from '../../inside/workspace.js'
import { maxHarBytes, NotHar } from './har/exchange.js'
import { type Recording, readRecording } from './har/recording.js'
import type { Comparison, LeftOut } from './judge/comparison.js'
import { Findings } from './judge/findings.js'
import { prove } from './judge/proof.js'
import { replay } from './replay/replay.js'
import { Scratch, scratchConfig } from './replay/scratch.js'

/** Sends nothing. */
const send: Send = async () => ({ outcome: 'ok', status: 200, responseBody: null, durationMs: 0, detail: null })

const messages: Readonly<Record<NotHar['problem'], string>> = {
  json: 'This file is not JSON, or its beginning is damaged. Choose a HAR 1.2 file: one that payments-sandbox record has written, or an export of a browser or a proxy.',
  har: 'This file is not a recording of the platform. Choose a HAR 1.2 file: one that payments-sandbox record has written, or an export of a browser or a proxy.',
  calls:
    'This recording has no call of the platform API and no webhook. Record again while your app calls the platform, and choose the new file.',
}

/** Compares a recording as received. Throws 400 INVALID_JSON if it is not UTF-8, 422 INVALID_VALUE if it is not a recording. */
export async function compareReceived({ bytes, config }: ReceivedRecording, open: OpenScratch): Promise<Comparison> {
  try {
    return (await compareInDetail([bodyText(bytes)], config, open)).report
  } catch (error) {
    if (!(error instanceof NotHar)) throw error
    const field = error.extraField === null ? {} : { field: error.extraField, fields: ['log'] }
    throw new ApiError('INVALID_VALUE', { ...field, rule: error.message }, messages[error.problem])
  }
}

interface ReceivedRecording {
  bytes: Uint8Array
  /** The settings to compare with. */
  config: Config
}

/**
 * The report, and what differs in the entries: at `first`, before settings are named, and at `last`, with the settings that
 * the findings name. Throws `NotHar` if a text is not a recording.
 */
export async function compareInDetail(texts: readonly string[], config: Config, open: OpenScratch) {
  const recordings: Recording[] = []
  for (const text of texts) recordings.push(await readRecording(text))
  if (recordings.some(({ entries }) => entries.length === 0))
    throw new NotHar('it has no call of the platform API and no webhook, so there is nothing to compare', 'calls')
  const leftOutByReason = new Map<string, number>()
  for (const { reason, entries } of recordings.flatMap(({ leftOut }) => leftOut))
    leftOutByReason.set(reason, (leftOutByReason.get(reason) ?? 0) + entries)
  const leftOut = [...leftOutByReason].map(([reason, entries]): LeftOut => ({ reason, entries }))
  const entries = recordings.flatMap((recording) => recording.entries)
  const lastMs = entries.reduce((latest, { startedMs }) => Math.max(latest, startedMs), 0)
  const repeat = (settings: Config) => repeatAll(recordings, settings, open)
  const { findings: first, ...counts } = await repeat(config)
  const last = await prove(first, config, recordings, async (settings) => (await repeat(settings)).findings)
  const day = isoUtc(lastMs).slice(0, 10)
  const report = last.report({ ...counts, recordings: texts.length, last_seen: day }, leftOut)
  return { report, first, last }
}

export type DetailedComparison = Awaited<ReturnType<typeof compareInDetail>>

async function repeatAll(recordings: readonly Recording[], config: Config, open: OpenScratch) {
  const findings = new Findings()
  let [exchanges, webhooks] = [0, 0]
  for (const recording of recordings) {
    const time = { wallMs: 0 }
    const ws = open(scratchConfig(config), { wall: () => time.wallMs, send })
    try {
      const replayed = await replay(new Scratch(ws, time), recording, findings)
      exchanges += replayed.exchanges
      webhooks += replayed.webhooks
    } finally {
      closeWorkspace(ws)
    }
  }
  findings.settle()
  return { findings, exchanges, webhooks }
}

/** Each comparison needs memory for a recording and a database. */
const mostAtOnce = 2
const running = new WeakMap<Host, number>()

/** Throws 409 CONFLICT if too many comparisons are running. */
async function compareIn(host: Host, bytes: Uint8Array, config: Config): Promise<Comparison> {
  if (host.openScratch === undefined) throw new ApiError('NOT_FOUND', {}, onlyLocal)
  const underWay = running.get(host) ?? 0
  if (underWay >= mostAtOnce)
    throw new ApiError(
      'CONFLICT',
      { max: mostAtOnce },
      `${underWay} comparisons are running. Try again when one of them has finished.`,
    )
  running.set(host, underWay + 1)
  try {
    if (host.runJob !== undefined && isLargeBody(bytes))
      // The same function in another thread.
      return (await host.runJob('compare', { bytes, config }, bytes)) as Comparison
    return await compareReceived({ bytes, config }, host.openScratch)
  } finally {
    running.set(host, (running.get(host) ?? 1) - 1)
  }
}

const onlyLocal = 'Comparisons are disabled in a hosted sandbox; run `payments-sandbox compare` on your machine.'

export const compareHandlers = {
  async compare({ host, ws, request, env }: CallContext): Promise<Comparison> {
    const restoreTimeLimit = env.extendTimeLimit?.()
    const bytes = await bytesWithin(readChunks(request, maxHarBytes)).finally(restoreTimeLimit)
    return compareIn(host, bytes, ws.config)
  },
}
