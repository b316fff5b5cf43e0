/**
 * Server-sent events: every change as it happens. Each client has a position in the bus's buffer, so a slow reader can
 * catch up.
 */

import type { Change, Workspace } from '../../core/unit/unit.js'
import type { streamRoutes } from '../../protocol/control/stream-and-pages.js'
import { isAdmin } from '../messages.js'
import type { ControlCall, Handlers } from './routes.js'

const heartbeatMs = 15_000
/** Unread bytes that may be buffered for a client. */
const bufferBytes = 64 * 1024

const headers = { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' }

function streamChanges({ host, ws, query, request }: ControlCall<(typeof streamRoutes)['streamChanges']>): Response {
  const { types } = query
  if (request.method === 'HEAD') return new Response(null, { headers })
  const resume = request.headers.get('last-event-id') ?? query.last_event_id ?? null
  return new Response(
    changeStream(
      ws,
      (change) => types === undefined || types.includes(change.type),
      resume,
      () => isAdmin(host, request),
    ),
    { headers },
  )
}

/**
 * `mayFollow` returns false after the admin token was rotated; the stream then ends before the next change. `resume` is
 * the id of the last event that the client received. If later changes are no longer available, the client gets an event
 * `gap`.
 */
function changeStream(
  ws: Workspace,
  accepts: (change: Change) => boolean,
  resume: string | null,
  mayFollow: () => boolean,
): ReadableStream<Uint8Array> {
  const { bus } = ws
  const encoder = new TextEncoder()
  let place = startPosition(ws, resume)
  let stop = () => {}
  let stopped = false

  // Sends as many changes as fit: with many clients, one write per turn is cheaper than one per change.
  const fill = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (!mayFollow()) end(controller)
    const capacity = stopped ? 0 : (controller.desiredSize ?? 0)
    let text = ''
    while (place < bus.last && text.length < capacity) text += next()
    if (text !== '') controller.enqueue(encoder.encode(text))
  }
  const end = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (stopped) return
    stopped = true
    stop()
    controller.close()
  }
  const next = (): string => {
    const change = place < 0 ? undefined : bus.at(place + 1)
    if (change === undefined) {
      place = bus.last
      return `id: ${bus.origin}-${place}\nevent: gap\ndata: {"type":"gap"}\n\n`
    }
    place++
    return accepts(change) ? textOf(change, `${bus.origin}-${place}`) : ''
  }
  return new ReadableStream(
    {
      start(controller) {
        stop = followBus(
          ws,
          controller,
          () => fill(controller),
          () => end(controller),
          () => place,
        )
        controller.enqueue(encoder.encode('retry: 1000\n: every change as it happens\n\n'))
        if (place < 0) controller.enqueue(encoder.encode(next()))
      },
      pull: fill,
      cancel() {
        stopped = true
        stop()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: bufferBytes }),
  )
}

const texts = new WeakMap<Change, string>()

/** The text is the same for all clients, so it is built once. */
function textOf(change: Change, id: string): string {
  const known = texts.get(change)
  if (known !== undefined) return known
  const text = `id: ${id}\nevent: ${change.type}\ndata: ${JSON.stringify(change)}\n\n`
  texts.set(change, text)
  return text
}

/**
 * Calls `fill` after each group of changes, sends heartbeats, and closes the stream with its workspace; returns a
 * function that stops this.
 */
function followBus(
  ws: Workspace,
  controller: ReadableStreamDefaultController<Uint8Array>,
  fill: () => void,
  end: () => void,
  place: () => number,
): () => void {
  const beat = () => {
    fill()
    if (isOver) return
    if ((controller.desiredSize ?? 0) > 0) controller.enqueue(new TextEncoder().encode(': still here\n\n'))
    cancel = ws.callAfter(heartbeatMs, beat)
  }
  let isScheduled = false
  let isOver = false
  let cancel = ws.callAfter(heartbeatMs, beat)
  const fillSoon = () => {
    isScheduled = false
    if (!isOver) fill()
  }
  const unsubscribe = ws.bus.subscribe((change) => {
    if (change.type === 'workspace' && change.status === 'closed') {
      fill()
      stop()
      end()
    } else if (!isScheduled) {
      isScheduled = true
      void Promise.resolve().then(fillSoon)
    }
  }, place)
  const stop = () => {
    isOver = true
    cancel()
    unsubscribe()
  }
  return stop
}

/** Returns the number of the last change that the client has received; -1 if it is unknown. */
function startPosition({ bus }: Workspace, resume: string | null): number {
  if (resume === null || resume === '') return bus.last
  const match = /^([a-z0-9]+)-(\d{1,15})$/.exec(resume)
  const place = Number(match?.[2])
  return match?.[1] === bus.origin && place <= bus.last ? place : -1
}

export const streamHandlers: Handlers<typeof streamRoutes> = { streamChanges }
