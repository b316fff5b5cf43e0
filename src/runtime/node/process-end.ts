/** What is done when this process ends: one listener of each signal for all callers, because Node reports a leak at eleven. */
import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

interface Watcher {
  onExit: () => void
  onSignal: ((signal: NodeJS.Signals) => void) | undefined
  received: NodeJS.Signals | null
}

const watchers = new Set<Watcher>()

/**
 * Calls `onExit` when the process exits or a signal arrives. A signal calls `onSignal` instead, if given, and the process then
 * stays until the watch is over. Returns a function that ends the watch.
 */
export function watchProcessEnd(onExit: () => void, onSignal?: (signal: NodeJS.Signals) => void): () => void {
  const watcher: Watcher = { onExit, onSignal, received: null }
  if (watchers.size === 0) {
    for (const signal of signals) process.on(signal, receive)
    process.on('exit', exit)
  }
  watchers.add(watcher)
  return () => {
    if (!watchers.delete(watcher)) return
    if (watcher.onSignal !== undefined && watcher.received !== null) endBy(watcher.received)
    if (watchers.size === 0) stopListening()
  }
}

function stopListening(): void {
  for (const signal of signals) process.off(signal, receive)
  process.off('exit', exit)
}

function receive(signal: NodeJS.Signals): void {
  for (const watcher of watchers) {
    watcher.received = signal
    if (watcher.onSignal === undefined) watcher.onExit()
    else watcher.onSignal(signal)
  }
  endBy(signal)
}

/** Without another listener of the program, the signal ends the process. */
function endBy(signal: NodeJS.Signals): void {
  const isHeld = [...watchers].some(({ onSignal }) => onSignal !== undefined)
  if (isHeld || process.listenerCount(signal) > 1) return
  stopListening()
  process.kill(process.pid, signal)
}

function exit(): void {
  for (const { onExit } of watchers) onExit()
}

/** Resolves to the exit code of a child, or 128 plus the number of the signal that ended it, as shells do. Rejects with a `Failed` if it cannot be started. */
export const exitCodeOf = (
  child: ChildProcess,
  file: string,
  Failed: new (message: string) => Error,
): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      reject(new Failed(code === 'ENOENT' ? `command not found: ${file}` : `${file}: ${message}`)),
    )
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })
