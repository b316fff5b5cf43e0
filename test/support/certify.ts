/** Receivers to certify, with a sandbox: the reference, correct or with a fault edited into it. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import type { Send } from '../../src/core/unit/ports.js'
import { closeWorkspace } from '../../src/core/workspace/workspace.js'
import type { RuleReport } from '../../src/features/certify/report/evidence.js'
import type { Report } from '../../src/features/certify/report/rules.js'
import type { ReceiverReport } from '../../src/features/certify/routes.js'
import { defaultConfig } from '../../src/protocol/settings/platform.js'
import { OwnTime, plant } from './own-time.js'
import { sendInto } from './own-time-server.js'
import { printed } from './program.js'
import type { TestSandbox } from './sandbox.js'
import { secretsOf } from './signing.js'

/** A text of the reference and its replacement. */
export type Edit = readonly [from: string, to: string]

interface ReceiverModule {
  openReceiver(options: { secret: string; file: string; production: boolean }): Server
}

/** How often correct programs are certified: once, or a hundred times in `npm run torture`. */
export const runs = Array.from({ length: Number(process.env.CERTIFY_RUNS ?? 1) }, (_, at) => at + 1)

export interface TriedReceiver {
  url: string
  stateUrl: string
  /** A POST to this URL restarts the receiver, which then knows only its file. */
  restart: string
  close(): Promise<void>
}

/** In memory if possible, because the receivers write to the disk after every event and share one process. */
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'payments-sandbox-certify-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
let count = 0

/** Applies edits. Each text must occur exactly once, otherwise the edits are out of date. */
function edited(source: string, edits: readonly Edit[]): string {
  return edits.reduce((text, [from, to]) => {
    expect(text.split(from).length - 1, `occurrences in the reference: ${from}`).toBe(1)
    return text.replace(from, () => to)
  }, source)
}

/** Where the reference answers, and an edit that delays its answers. */
export const answered = 'response.writeHead(receive(request.headers, Buffer.concat(chunks))).end()'
export const afterMs = (delayMs: number): readonly Edit[] => [
  [answered, `await new Promise((resolve) => setTimeout(resolve, ${delayMs}))\n        ${answered}`],
]

/** Loads a program of `examples` with edits. */
export async function loadEdited(name: string, edits: readonly Edit[]): Promise<unknown> {
  const file = join(folder, `${++count}-${name}`)
  writeFileSync(file, edited(readFileSync(join(import.meta.dirname, '../../examples', name), 'utf8'), edits))
  return import(/* @vite-ignore */ pathToFileURL(file).href)
}

export async function openTried(edits: readonly Edit[] = [], production = false): Promise<TriedReceiver> {
  const { openReceiver } = (await loadEdited('receiver.mjs', edits)) as ReceiverModule
  const file = join(folder, `events-${++count}.jsonl`)
  const open = () => openReceiver({ secret: secretsOf('merchant').webhookSecret, file, production })
  let current = open()
  const inWork = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    if (request.url !== '/restart') {
      inWork.add(response)
      response.once('close', () => inWork.delete(response))
      return void current.emit('request', request, response)
    }
    // A process that has ended answers nothing any more.
    for (const one of inWork) one.destroy()
    current = open()
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${base}/webhooks`,
    stateUrl: `${base}/state`,
    restart: `${base}/restart`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** Certifies the reference with edits in simulated time, so that hours take no time and a busy machine changes no result. `statePath` is the path of the state URL; null: there is none. */
export async function certifyTimeless(
  edits: readonly Edit[],
  { production = false, statePath = 'state', more = {}, busyMs, restartMs = 0, downMs = 0 }: TimelessOptions = {},
): Promise<Report> {
  const time = new OwnTime(busyMs)
  const own = plant({
    Date: { now: time.now, parse: Date.parse },
    setTimeout: (ring: () => void, delayMs: number) => time.alarm(delayMs, ring),
  })
  const server = "import { createServer } from 'node:http'"
  const surrounded: Edit = [server, `${server}\n\nconst { Date, setTimeout } = ${own}`]
  const { openReceiver } = (await loadEdited('receiver.mjs', [surrounded, ...edits])) as ReceiverModule
  const file = join(folder, `events-${++count}.jsonl`)
  const open = () => openReceiver({ secret: secretsOf('merchant').webhookSecret, file, production })
  let current = open()
  const restarting = createServer((_request, response) => {
    const restart = () => {
      current = down
      time.alarm(downMs, () => (current = open()))
      response.end()
    }
    if (restartMs > 0) time.alarm(restartMs, restart)
    else {
      current = open()
      response.end()
    }
  })
  const down = createServer((_request, response) => void response.writeHead(503).end())
  const send = sendInto(time, (path) => (path === '/restart' ? restarting : current))
  const at = (path: string) => `http://127.0.0.1:3000/${path}`
  const mode = production ? 'production' : 'sandbox'
  const state = statePath === null ? {} : { state_url: at(statePath) }
  return certifyIn(time, send, { url: at('webhooks'), mode, ...state, restart: at('restart'), ...more })
}

interface TimelessOptions {
  production?: boolean
  statePath?: string | null
  /** Further fields of the request. */
  more?: Partial<CertifyOptions>
  /** The delay of the next alarm. */
  busyMs?: () => number
  /** The time of a restart, if it takes time; then the receiver answers nothing but 503 for `downMs`. */
  restartMs?: number
  downMs?: number
}

/** Certifies a receiver that never answers, in simulated time. */
export function certifySilent(): Promise<Report> {
  const time = new OwnTime()
  const server = createServer(() => {})
  return certifyIn(
    time,
    sendInto(time, () => server),
    { url: 'http://127.0.0.1:3000/webhooks' },
  )
}

/** Certifies under load in simulated time. `receiver` is called without a socket and waits with simulated alarms. */
export const certifyLoadTimeless = (
  time: OwnTime,
  receiver: Server,
  given: Omit<CertifyOptions, 'url'>,
): Promise<ReceiverReport> =>
  certifyIn(
    time,
    sendInto(time, () => receiver),
    { ...given, url: 'http://127.0.0.1:3000/webhooks' },
  )

async function certifyIn(time: OwnTime, send: Send, given: CertifyOptions): Promise<ReceiverReport> {
  // Loaded before time is simulated: the sandbox loads it with the first certification, which takes real time.
  await import('../../src/features/certify/handlers.js')
  await import('../../src/features/certify/receiver/certify-receiver.js')
  const { ws, app } = time.openSandbox({ ...defaultConfig, clock: 'manual' }, send)
  const body = JSON.stringify(given)
  try {
    return await time.pass(async () => (await time.control(app, 'POST', '/certify/receiver', body)) as ReceiverReport)
  } finally {
    closeWorkspace(ws)
  }
}

/** Starts the Python reference with edits in its own process. */
export async function openPython(edits: readonly Edit[] = []): Promise<Omit<TriedReceiver, 'restart'>> {
  const file = join(folder, `receiver-${++count}.py`)
  writeFileSync(file, edited(readFileSync(join(import.meta.dirname, '../../examples/receiver.py'), 'utf8'), edits))
  const child = spawn('python3', [file], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PORT: '0',
      WEBHOOK_SECRET: secretsOf('merchant').webhookSecret,
      EVENTS_FILE: `${file}.sqlite`,
    },
  })
  const base = (await printed(child, /\n/)).trim()
  return {
    url: `${base}/webhooks`,
    stateUrl: `${base}/state`,
    close: () =>
      new Promise((resolve) => {
        child.once('close', () => resolve()).kill()
      }),
  }
}

export interface CertifyOptions {
  url: string
  state_url?: string
  restart?: string
  mode?: string
  production_url?: string
  time_limit?: string
  load?: unknown
}

export async function certify(sandbox: Pick<TestSandbox, 'control'>, given: CertifyOptions): Promise<ReceiverReport> {
  const answer = await sandbox.control('POST', '/certify/receiver', given)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

export async function certifyTried(sandbox: TestSandbox, edits: readonly Edit[]): Promise<Report> {
  const { url, stateUrl, restart, close } = await openTried(edits)
  try {
    return await certify(sandbox, { url, state_url: stateUrl, restart })
  } finally {
    await close()
  }
}

export const withResult = ({ rules }: Report, result: RuleReport['result']): string[] =>
  rules.filter((rule) => rule.result === result).map(({ id }) => id)

/** Describes a report with one line for each rule, for messages of failed tests. */
export const describeReport = ({ rules }: Report): string =>
  rules.map(({ id, result, observed }) => `${result.padEnd(6)} ${id} ${observed}`).join('\n')
