/** Runs probes from this process, so that tests choose the settings of both sides. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
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
import { plainFetch } from './plain-fetch.js'

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

// biome-ignore lint/suspicious/noExplicitAny: a deviation changes any field
export type Json = any

/** A request or an answer that a proxy passes on. */
export interface Passing {
  /** `POST /v2/transactions/cashin`, or the name of an event. */
  name: string
  headers: Record<string, string>
  body: Json
  /** The body as sent. */
  text: string
  status: number
}

interface Changes {
  /** How long a request waits before it is passed on. */
  delayMs?: number
  /** What a request waits for before it is passed on. */
  before?: (passing: Passing) => Promise<void>
  /** What is answered with 200 and not passed on. */
  isDropped?: (passing: Passing) => boolean
  ofRequest?: (passing: Passing) => void
  ofAnswer?: (passing: Passing) => void
}

/** Passes calls or webhooks on, and changes requests and answers. */
export async function openProxy(
  target: string,
  { isDropped, delayMs = 0, before, ofRequest, ofAnswer }: Changes,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = 'GET', url = '', headers } = request
    const name = String(headers['x-webhook-event'] ?? `${method} ${url.split('?')[0]}`)
    const { host: _host, connection: _connection, 'content-length': _length, ...others } = headers
    const plain = Object.fromEntries(Object.entries(others).map(([one, value]) => [one, String(value)]))
    const sent = changed({ name, headers: plain, text: Buffer.concat(chunks).toString(), status: 0 }, ofRequest)
    if (isDropped?.(sent) === true) return void response.writeHead(200).end('{}')
    await pause(delayMs)
    await before?.(sent)
    const answer = await plainFetch(target + url, {
      ...{ method, headers: sent.headers },
      body: method === 'GET' ? null : sent.text,
    })
    const { 'content-length': _own, ...own } = Object.fromEntries(answer.headers)
    const back = changed({ name, headers: own, text: await answer.text(), status: answer.status }, ofAnswer)
    response.writeHead(back.status, back.headers).end(back.text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A body that does not change keeps its text, because of its signature. */
function changed(one: Omit<Passing, 'body'>, change?: (passing: Passing) => void): Passing {
  let body: Json = {}
  try {
    body = JSON.parse(one.text)
  } catch {}
  const before = JSON.stringify(body)
  const passing = { ...one, body }
  change?.(passing)
  return JSON.stringify(passing.body) === before ? passing : { ...passing, text: JSON.stringify(passing.body) }
}
