/** A running recording: the relays of the API and of webhooks, and their file. */
import type { Server } from 'node:http'
import { jobRunner, originOf } from '../../../inside/node.js'
import { type Exchange, openBudget } from '../file/entry.js'
import { RecordingFile } from '../file/recording-file.js'
import { Redaction } from './redaction.js'
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

export type Recorder = Awaited<ReturnType<typeof openRecorder>>

const host = '127.0.0.1'

export async function openRecorder(options: RecorderOptions) {
  const { target, webhooks, now, onFault } = options
  const counts = { exchanges: 0, webhooks: 0 }
  let file: RecordingFile | undefined
  const redaction = new Redaction(jobRunner(null), () =>
    onFault('the recording has ended: its thread failed; calls are forwarded without being recorded'),
  )
  const onExchange = (exchange: Exchange) =>
    redaction.add(exchange, (entry) => {
      if (entry === null) file?.omit()
      else if (file?.add(entry) === true) counts[exchange.isWebhook ? 'webhooks' : 'exchanges']++
    })
  const beforeAnswer = (leave: () => void) => redaction.whenWritten(leave)
  const shared = { budget: openBudget(), now, onExchange, beforeAnswer, onFault, onLost: () => file?.omit() }
  const servers: Server[] = []
  const open = async (relay: Server, port: number) => {
    servers.push(relay)
    await listen(relay, port)
    return originOf(relay)
  }
  try {
    await redaction.ready
    const url = await open(createRelay({ ...shared, target, isWebhook: false }), options.port)
    const webhooksUrl =
      webhooks === null
        ? null
        : await open(createRelay({ ...shared, target: webhooks.forwardTo, isWebhook: true }), webhooks.port)
    const created = await RecordingFile.create(options.file, onFault)
    file = created
    return {
      url,
      webhooksUrl,
      /** Ends when exchanges in progress have ended, after `graceMs` at the latest. */
      async close(graceMs: number): Promise<Totals> {
        await Promise.all(servers.map((server) => closed(server, graceMs)))
        await redaction.end()
        created.close()
        return { ...counts, ...created.counts }
      },
    }
  } catch (error) {
    await Promise.all(servers.map((server) => closed(server, 0)))
    await redaction.end()
    throw error
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: 4096 }, () => {
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
  })
}
