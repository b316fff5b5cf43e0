/** Starts programs in a process group of their own, so that everything they start can be stopped with them. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { watchProcessEnd } from '../../inside/node.js'

export interface ProcessGroup {
  child: ChildProcess
  /** Sends a signal to every process of the group. */
  kill(signal: NodeJS.Signals): void
}

/** Time for a program to end after a signal, before it is killed. */
const endGraceMs = 2000

/**
 * A signal to this process stops the group, and so does the end of this process. When the program has ended, kills what it
 * left running, because such a process could keep its output open; `leaves` is for a program that starts others, which go
 * on if it succeeded.
 */
export function startGroup(
  file: string,
  args: readonly string[],
  { leaves = false, ...options }: SpawnOptions & { leaves?: boolean },
): ProcessGroup {
  // Windows has no process groups.
  const hasGroup = process.platform !== 'win32'
  const child = spawn(file, args, { ...options, detached: hasGroup })
  const kill = (signal: NodeJS.Signals) => {
    if (child.pid === undefined) return
    try {
      if (hasGroup) process.kill(-child.pid, signal)
      else child.kill(signal)
    } catch {
      // The group has ended.
    }
  }
  const killAll = () => kill('SIGKILL')
  let timer: ReturnType<typeof setTimeout> | undefined
  const unwatch = watchProcessEnd(killAll, (signal) => {
    kill(signal)
    timer ??= setTimeout(killAll, endGraceMs)
  })
  const stopWatching = () => {
    clearTimeout(timer)
    unwatch()
  }
  child.once('error', stopWatching)
  child.once('exit', (code) => {
    if (!leaves || code !== 0) killAll()
    stopWatching()
  })
  return { child, kill }
}
