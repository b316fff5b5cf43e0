/** The receiver of a run's webhooks: records them, and answers as the probe wants. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { originOf } from '../../../inside/node.js'
import { lowerCaseWebhookHeaders } from '../../../inside/platform.js'
import { bytesWithin, fieldsOfJson } from '../../../inside/values.js'
import type { ProbeRecording } from './recording.js'

const largestBytes = 1024 * 1024
const decoder = new TextDecoder()

/** Of an event: `cashout`. */
export const subjectOf = (event: string) => event.slice(0, event.indexOf('.'))

export class ProbeReceiver {
  /** The events that were answered with 200 since the probe began, and their objects. */
  #received: { event: string; objectId: string }[] = []
  #rejections = 0
  readonly #attempts = new Map<string, number>()
  readonly #server: Server
  #probe = ''
  #onWebhook = () => {}
  /** The probes that created objects, by the id of the object. */
  readonly causes = new Map<string, string>()
  /** Whether any webhook has arrived. */
  isReached = false

  constructor(readonly recording: ProbeRecording) {
    this.#server = createServer((request, response) => {
      this.#answer(request)
        .catch(() => 400)
        .then((status) => response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}'))
    })
  }

  /** Resolves to the port. */
  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const report = () => resolve(Number(new URL(originOf(this.#server)).port))
      this.#server.once('error', reject).listen(port, '127.0.0.1', report)
    })
  }

  /** The receiver answers the first attempts of each webhook of this probe with 500. */
  begin(probe: string, rejections: number): void {
    this.#probe = probe
    this.#received = []
    this.#rejections = rejections
  }

  /** Resolves to the events that have not arrived in time. One that says another outcome is no less an answer. */
  async waitFor(events: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<string[]> {
    const missing = () => {
      const arrived = this.#received.flatMap(({ event, objectId }) => (this.#isOwn(objectId) ? [subjectOf(event)] : []))
      return events.filter((name) => {
        const at = arrived.indexOf(subjectOf(name))
        if (at >= 0) arrived.splice(at, 1)
        return at < 0
      })
    }
    const untilMs = Date.now() + timeoutMs
    while (missing().length > 0 && Date.now() < untilMs && !signal.aborted)
      await new Promise<void>((resolve) => {
        const goOn = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', goOn)
          resolve()
        }
        const timer = setTimeout(goOn, untilMs - Date.now())
        signal.addEventListener('abort', goOn, { once: true })
        this.#onWebhook = goOn
      })
    return missing()
  }

  /** Whether the probe created an object. Of an interrupted run, webhooks about objects come that no answer names. */
  #isOwn(objectId: string): boolean {
    const cause = this.causes.get(objectId)
    return cause === undefined ? !this.recording.isInterrupted : cause === this.#probe
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #answer(request: IncomingMessage): Promise<number> {
    const startedAtMs = Date.now()
    const body = await bytesWithin(request, largestBytes)
    if (request.method !== 'POST') return 405
    const { [lowerCaseWebhookHeaders.id]: id, [lowerCaseWebhookHeaders.event]: header } = request.headers
    const { transaction_id: objectId, event = header } = fieldsOfJson(decoder.decode(body)) ?? {}
    const attempt = (this.#attempts.get(String(id)) ?? 0) + 1
    this.#attempts.set(String(id), attempt)
    const status = attempt > this.#rejections ? 200 : 500
    const { rawHeaders, url = '/' } = request
    const headers = Array.from(
      { length: rawHeaders.length / 2 },
      (_, at) => [rawHeaders[2 * at] ?? '', rawHeaders[2 * at + 1] ?? ''] as const,
    )
    await this.recording.add(
      {
        ...{ isWebhook: true, base: `http://${request.headers.host ?? 'localhost'}`, target: url, method: 'POST' },
        request: { headers, body },
        answer: { headers: [], body: new Uint8Array(), status, statusText: '' },
        ...{ startedAtMs, waitMs: Date.now() - startedAtMs },
      },
      this.causes.get(String(objectId)) ?? this.#probe,
    )
    this.isReached = true
    if (status === 200) this.#received.push({ event: String(event), objectId: String(objectId) })
    this.#onWebhook()
    return status
  }
}
