/** Runs in the worker thread: performs its task and sends the results. */

import { parentPort, workerData } from 'node:worker_threads'
import { codeOf } from '../../../base/unknown.js'
import { UnusableDatabase } from '../../../store/db.js'
import { sqliteCode } from '../sqlite/driver.js'
import type { Message, Task } from './task.js'
import { tasks } from './tasks.js'

export function background(): void {
  const post = (message: Message) => parentPort?.postMessage(message)
  const postErrors = (work: () => void) => {
    try {
      work()
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      post({
        kind: 'error',
        isUnusable: error instanceof UnusableDatabase,
        message,
        code: sqliteCode(error) ?? codeOf(error) ?? '',
      })
    }
  }
  postErrors(() => {
    // Only `inBackground` starts this thread.
    const { task } = workerData as { task: Task }
    // Each function takes the task of the same name.
    const pieces = (tasks[task.do] as (task: Task) => Iterator<Uint8Array> | undefined)(task)
    post({ kind: 'ready' })
    if (pieces !== undefined)
      parentPort?.on('message', () =>
        postErrors(() => {
          const next = pieces.next()
          post(next.done === true ? { kind: 'end' } : { kind: 'piece', bytes: next.value })
        }),
      )
  })
}
