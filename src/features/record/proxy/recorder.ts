/** A running recording: the relays of the API and of webhooks, and their file. */
import type { Server } from 'node:http'
import { systemRandom } from '../../../base/crypto.js'
import { randomText } from '../../../base/ids.js'
import { originOf } from '../../../runtime/node/origin.js'
import { entryOf } from '../file/entry.js'
import type { Exchange } from '../file/exchange.js'
import { RecordingFile } from '../file/recording-file.js'
import { Pseudonyms } from '../redact/pseudonyms.js'
import { BodyBudget } from './body-copy.js'
import { createRelay } from './relay.js'

interface RecorderOptions {
  target: URL
  file: string
  port: number
  webhooks: { port: number; forwardTo: URL } | null
  now: () => number
  onFault: (message: string) => void
}

export interface Totals {
  exchanges: number
  webhooks: number
  omitted: number
  masked: number
}

export interface Recorder {
  url: string
  webhooksUrl: string | null
  /** Ends when exchanges in progress have ended, after `graceMs` at the latest. */
  close(graceMs: number): Promise<Totals>
}

const host = '127.0.0.1'
const keyLength = 52

export async function openRecorder(options: RecorderOptions): Promise<Recorder> {
  const { target, webhooks, now } = options
  const counts = { exchanges: 0, webhooks: 0 }
  const pseudonyms = new Pseudonyms(randomText(systemRandom().stream('recording'), keyLength))
  let file: RecordingFile | undefined
  const later = oneLater((exchange) => {
    if (record(exchange, pseudonyms, file)) counts[exchange.isWebhook ? 'webhooks' : 'exchanges']++
  })
  const { onExchange, flush: beforeAnswer } = later
  const { onFault } = options
  const shared = { budget: new BodyBudget(), now, onExchange, beforeAnswer, onFault, onLost: () => file?.omit() }
  const servers: Server[] = []
  const open = async (relay: Server, port: number) => {
    servers.push(relay)
    await listen(relay, port)
    return originOf(relay)
  }
  try {
    const url = await open(createRelay({ ...shared, target, isWebhook: false }), options.port)
    const webhooksUrl =
      webhooks === null
        ? null
        : await open(createRelay({ ...shared, target: webhooks.forwardTo, isWebhook: true }), webhooks.port)
    const created = await RecordingFile.create(options.file, options.onFault)
    file = created
    return {
      url,
      webhooksUrl,
      async close(graceMs) {
        await Promise.all(servers.map((server) => closed(server, graceMs)))
        beforeAnswer()
        created.close()
        return { ...counts, ...created.counts }
      },
    }
  } catch (error) {
    await Promise.all(servers.map((server) => closed(server, 0)))
    throw error
  }
}

/**
 * Records an exchange when its answer has left and the calls of this turn have passed. At most one waits, so that a
 * killed process loses no more than the last one.
 */
function oneLater(recordNow: (exchange: Exchange) => void): { onExchange(exchange: Exchange): void; flush(): void } {
  let waiting: Exchange | null = null
  const flush = () => {
    if (waiting === null) return
    const exchange = waiting
    waiting = null
    recordNow(exchange)
  }
  return {
    onExchange(exchange) {
      if (waiting === null) setImmediate(flush)
      flush()
      waiting = exchange
    },
    flush,
  }
}

/** Returns whether it was written. A failure here never affects the call. */
function record(exchange: Exchange, pseudonyms: Pseudonyms, file: RecordingFile | undefined): boolean {
  try {
    return file?.add(entryOf(exchange, pseudonyms)) ?? false
  } catch {
    file?.omit()
    return false
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: 4096 }, () => {
      server.off('error', reject)
      // A connection that cannot be accepted does not end the recording.
      server.on('error', () => {})
      resolve()
    })
  })
}

function closed(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(timer)
      // Exchanges that this breaks off are counted in the same turn.
      setImmediate(resolve)
    })
    server.closeIdleConnections()
  })
}
