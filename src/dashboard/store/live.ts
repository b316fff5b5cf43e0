/** The event stream: tells whoever listens what has changed, connects again by itself, and after a gap says that anything may have. */
import type { Change } from '../../client/control.js'
import { control, noticeDoor, tokenWanted } from '../api.js'
import { createValue } from './value.js'

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

let lastEventId: string | undefined
let wakeUp: () => void = () => {}

/** Follows the stream for as long as the page is open, or until it is asked for the token. */
export async function follow(): Promise<void> {
  for (let failures = 0; !tokenWanted.get(); failures++) {
    const opened = await readStream()
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
  let opened = false
  let silence: ReturnType<typeof setTimeout> | undefined
  const onSign = () => {
    clearTimeout(silence)
    silence = setTimeout(() => stop.abort(), silenceMs)
  }
  const onOpen = () => {
    opened = true
    onSign()
    connection.set('live')
    // Also at the very first time: something may have happened between the first answers and now.
    announce('everything')
  }
  try {
    await control.stream(
      (change, eventId) => {
        lastEventId = eventId ?? lastEventId
        gather(change)
      },
      stop.signal,
      { lastEventId, onOpen, onSign },
    )
  } catch (error) {
    noticeDoor(error)
  }
  clearTimeout(silence)
  return opened
}

let gathered: Change[] = []

/** What comes in one piece is told at once. */
function gather(change: Change): void {
  gathered.push(change)
  if (gathered.length > 1) return
  queueMicrotask(() => {
    const news = gathered
    gathered = []
    announce(news.some(({ type }) => type === 'gap') ? 'everything' : news)
  })
}
