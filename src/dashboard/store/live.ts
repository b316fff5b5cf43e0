/** The event stream: tells whoever listens what has changed, connects again by itself, and after a gap says that anything may have. */
import { createParser } from 'eventsource-parser'
import { authHeaders, failureOf, prefix, tokenWanted } from '../api.js'
import { createValue } from './value.js'

export interface Change {
  type: string
  id: string
  status?: string
}

/** `everything`: changes may have been missed, so look again at all that is shown. */
export type News = readonly Change[] | 'everything'

export const connection = createValue<'connecting' | 'live' | 'lost'>('connecting')

const listeners = new Set<(news: News) => void>()
const waitsMs = [250, 500, 1000, 2000, 4000]
/** The sandbox says every 15 s that it is still there; after this long the connection is taken for dead. */
const silenceMs = 40_000

export function listen(listener: (news: News) => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export function announce(news: News): void {
  for (const listener of [...listeners]) listener(news)
}

let lastId: string | null = null
let wakeUp: () => void = () => {}

/** Follows the stream for as long as the page is open, or until it is asked for the token. */
export async function follow(): Promise<void> {
  for (let failures = 0; !tokenWanted.get(); failures++) {
    const opened = await readStream().catch(() => false)
    if (opened) failures = 0
    connection.set('lost')
    await pause(waitsMs[Math.min(failures, waitsMs.length - 1)] ?? 4000)
  }
}

/** Whoever comes back to the page does not wait for the next try. */
export function hurry(): void {
  wakeUp()
}

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    wakeUp = resolve
    setTimeout(resolve, ms)
  })

/** Answers, once the stream has ended, whether it had ever begun. */
async function readStream(): Promise<boolean> {
  const stop = new AbortController()
  const answer = await fetch(`${prefix}/_sandbox/stream`, {
    cache: 'no-store',
    signal: stop.signal,
    headers: {
      Accept: 'text/event-stream',
      ...authHeaders(),
      ...(lastId === null ? {} : { 'Last-Event-ID': lastId }),
    },
  })
  if (!answer.ok || answer.body === null) {
    failureOf(answer.status, await answer.json().catch(() => null))
    return false
  }
  // Also at the very first time: something may have happened between the first answers and now.
  connection.set('live')
  announce('everything')
  await pump(answer.body, () => stop.abort())
  return true
}

async function pump(body: ReadableStream<Uint8Array>, giveUp: () => void): Promise<void> {
  let changes: Change[] = []
  const parser = createParser({
    onEvent({ id, data }) {
      if (id !== undefined) lastId = id
      const change = readChange(data)
      if (change !== null) changes.push(change)
    },
  })
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let silence = setTimeout(giveUp, silenceMs)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      clearTimeout(silence)
      if (done) return
      silence = setTimeout(giveUp, silenceMs)
      parser.feed(decoder.decode(value, { stream: true }))
      if (changes.length > 0) announce(changes.some(({ type }) => type === 'gap') ? 'everything' : changes)
      changes = []
    }
  } catch {
    // The connection broke: the caller opens another.
  }
}

function readChange(data: string): Change | null {
  try {
    const value = JSON.parse(data) as Partial<Change> | null
    return typeof value?.type === 'string' ? ({ id: '', ...value } as Change) : null
  } catch {
    return null
  }
}
