/** A recorder in this process, and targets whose responses the test decides. All are closed after the test. */
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Recorder, Totals } from '../../src/features/record/proxy/recorder.js'
import { eventually } from './eventually.js'
import { temporaryFolder } from './folder.js'
import { closeAfter } from './hooks.js'

export interface HarEntry {
  startedDateTime: string
  time: number
  timings: { send: number; wait: number; receive: number }
  request: {
    method: string
    url: string
    headers: { name: string; value: string }[]
    queryString: { name: string; value: string }[]
    postData?: { mimeType: string; text?: string; params?: HarParam[]; _omitted?: true }
    bodySize: number
  }
  response: {
    status: number
    headers: { name: string; value: string }[]
    content: { size: number; mimeType: string; text?: string; _omitted?: true }
  }
  _webhook?: true
}

interface HarParam {
  name: string
  value?: string
  fileName?: string
}

export interface HarLog {
  version: string
  entries: HarEntry[]
  _omitted: number
  _masked: number
  /** The process that records; null after its end. */
  _process: number | null
}

export const readLog = (file: string): HarLog => JSON.parse(readFileSync(file, 'utf8')).log

/** Starts a target on a free port of loopback. */
export async function openTarget(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeAfter(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Starts a target that speaks as the test decides, not only HTTP. */
export async function openSocketTarget(onSocket: (socket: Socket) => void): Promise<string> {
  const server = createSocketServer((socket) => onSocket(socket.on('error', () => {})))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeAfter(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Starts a target that answers everything with these bytes. */
export const openRaw = (bytes: string): Promise<string> =>
  openSocketTarget((socket) => void socket.once('data', () => socket.end(bytes, 'latin1')))

/** Starts a target that returns each request's body as JSON. */
export const openEcho = (): Promise<string> =>
  openTarget((incoming, outgoing) => {
    outgoing.writeHead(200, { 'Content-Type': 'application/json' })
    incoming.pipe(outgoing)
  })

export interface TestRecorder extends Recorder {
  file: string
  log(): HarLog
  /** Returns the log once it has so many entries (default: 1): an entry follows its response. */
  logWithEntry(count?: number): Promise<HarLog>
  /** Ends the recorder, so that every exchange is written, and returns the text of the file. */
  text(): Promise<string>
  /** Calls in progress may take `graceMs` (default: 0). */
  end(graceMs?: number): Promise<Totals>
}

export async function openTestRecorder(
  target: string,
  forwardTo?: string,
  onFault = (message: string): void => {
    throw new Error(message)
  },
): Promise<TestRecorder> {
  const file = join(temporaryFolder(), 'calls.har')
  const { openRecorder } = await import('../../src/features/record/proxy/recorder.js')
  const recorder = await openRecorder({
    target: new URL(target),
    file,
    port: 0,
    webhooks: forwardTo === undefined ? null : { port: 0, forwardTo: new URL(forwardTo) },
    now: Date.now,
    onFault,
  })
  let ended: Promise<Totals> | undefined
  const end = (graceMs = 0) => {
    ended ??= recorder.close(graceMs)
    return ended
  }
  closeAfter(() => end())
  const log = () => readLog(file)
  const logWithEntry = (count = 1) =>
    eventually(
      async () => log(),
      ({ entries }) => entries.length >= count,
    )
  const text = async () => {
    await end()
    return readFileSync(file, 'utf8')
  }
  return { ...recorder, file, end, log, logWithEntry, text }
}

/** Sends bodies with these headers through one recorder, one after the other, and returns the recorded ones. */
export async function recordedWith(headers: Record<string, string>, ...bodies: object[]) {
  const recorder = await openTestRecorder(await openEcho())
  for (const body of bodies) await post(`${recorder.url}/any`, JSON.stringify(body), headers)
  const { entries } = await recorder.logWithEntry(bodies.length)
  return entries.map(({ request }) => JSON.parse(request.postData?.text ?? ''))
}

export const recordedBodies = (...bodies: object[]) => recordedWith({}, ...bodies)

/** Posts a JSON body and returns the response as text. */
export async function post(url: string, body: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body })
  return answer.text()
}
