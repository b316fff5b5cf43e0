/** The event stream: reports changes to listeners, reconnects by itself, and after a gap reports that anything may have changed. */
import type { Change } from '../../client/control.js'
import { checkTokenRequired, control, type Failure, failureOf, isTokenRequired, unreachable } from '../api.js'
import { createValue } from './hooks.js'

/** `everything`: changes may have been missed, so every view reads its data again. */
type ChangeNotice = readonly Change[] | 'everything'

/** While the connection is lost, the reason. */
export const connection = createValue<'connecting' | 'live' | Failure>('connecting')

const listeners = new Set<(changes: ChangeNotice) => void>()
const waitsMs = [250, 500, 1000, 2000, 4000]
/** The sandbox sends a heartbeat every 15 s. After this silence the connection counts as dead. */
const silenceMs = 40_000

export function listen(listener: (changes: ChangeNotice) => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export function announce(changes: ChangeNotice): void {
  for (const listener of [...listeners]) listener(changes)
}

let lastEventId: string | undefined
let retryNow: () => void = () => {}

/** Follows the stream until the page closes or the sandbox asks for its token. */
export async function followStream(): Promise<void> {
  for (let failures = 0; !isTokenRequired.get(); failures++) {
    const { opened, failure } = await readStream()
    if (opened) failures = 0
    connection.set(failure)
    await pause(waitsMs[Math.min(failures, waitsMs.length - 1)] ?? 4000)
  }
}

/** Reconnects at once when the user returns to the page. */
export function reconnectNow(): void {
  retryNow()
}

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    retryNow = resolve
    setTimeout(resolve, ms)
  })

/** Resolves when the stream has ended, to whether it had begun and why it ended. */
async function readStream(): Promise<{ opened: boolean; failure: Failure }> {
  const stop = new AbortController()
  let opened = false
  let failure = unreachable
  let silence: ReturnType<typeof setTimeout> | undefined
  const onActivity = () => {
    clearTimeout(silence)
    silence = setTimeout(() => stop.abort(), silenceMs)
  }
  const onOpen = () => {
    opened = true
    onActivity()
    connection.set('live')
    // Also on the first connection: something may have changed since the first answers.
    announce('everything')
  }
  try {
    await control.stream(
      (change, eventId) => {
        lastEventId = eventId ?? lastEventId
        queueChange(change)
      },
      stop.signal,
      { lastEventId, onOpen, onActivity },
    )
  } catch (error) {
    checkTokenRequired(error)
    failure = failureOf(error)
  }
  clearTimeout(silence)
  return { opened, failure }
}

let pendingChanges: Change[] = []

/** Reports changes that arrive together as one. */
function queueChange(change: Change): void {
  pendingChanges.push(change)
  if (pendingChanges.length > 1) return
  queueMicrotask(() => {
    const changes = pendingChanges
    pendingChanges = []
    announce(changes.some(({ type }) => type === 'gap') ? 'everything' : changes)
  })
}
