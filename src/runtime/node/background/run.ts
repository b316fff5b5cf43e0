/** Starts a task in a worker thread and receives its results. */
import { Worker } from 'node:worker_threads'
import { UnusableDatabase } from '../../../store/db.js'
import { program } from '../program.js'
import type { Message, Task } from './task.js'

export interface BackgroundTask {
  /** Rejects with `UnusableDatabase`, or the store's error. */
  ready: Promise<void>
  /** Resolves to the next piece of the task's output, null at the end. Wait for each piece before the next call. */
  next(): Promise<Uint8Array | null>
  /** Terminates the thread, whatever it is doing. */
  end(): void
}

export function startInBackground(task: Task): BackgroundTask {
  const worker = new Worker(program.threadCode(), { eval: true, execArgv: [], workerData: { task } })
  const receive = () =>
    new Promise<Message>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('the background work was stopped before it was complete')))
    }).finally(() => {
      for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
      // Errors of a terminated thread are expected, and no caller waits for them.
      worker.on('error', () => undefined)
    })
  return {
    ready: receive()
      .then(orThrow)
      .then(() => undefined),
    async next() {
      worker.postMessage('next')
      const message = orThrow(await receive())
      return message.kind === 'piece' ? message.bytes : null
    },
    end: () => void worker.terminate(),
  }
}

function orThrow(message: Message): Message {
  if (message.kind !== 'error') return message
  if (message.isUnusable) throw new UnusableDatabase(message.message)
  throw Object.assign(new Error(message.message), { code: message.code })
}
