/** The thread: does its task, and answers with what came of it. */
import { parentPort, workerData } from 'node:worker_threads'
import { UnusableDatabase } from '../../../store/db.js'
import { codeOf } from '../durable-file.js'
import { sqliteCode } from '../sqlite/driver.js'
import type { Message, Task } from './task.js'
import { tasks } from './tasks.js'

export function background(): void {
  const say = (message: Message) => parentPort?.postMessage(message)
  const orSay = (work: () => void) => {
    try {
      work()
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      say({
        kind: 'error',
        isUnusable: error instanceof UnusableDatabase,
        message,
        code: sqliteCode(error) ?? codeOf(error),
      })
    }
  }
  orSay(() => {
    // `inBackground` is the only one to start it.
    const { task } = workerData as { task: Task }
    // Each function takes the task of its name.
    const pieces = (tasks[task.do] as (task: Task) => Iterator<Uint8Array> | undefined)(task)
    say({ kind: 'ready' })
    if (pieces !== undefined)
      parentPort?.on('message', () =>
        orSay(() => {
          const next = pieces.next()
          say(next.done === true ? { kind: 'end' } : { kind: 'piece', bytes: next.value })
        }),
      )
  })
}
