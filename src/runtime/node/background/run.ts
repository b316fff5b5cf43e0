/** Starts a task in a worker thread and receives its results. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { UnusableDatabase } from '../../../store/db.js'
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
  const worker = new Worker(`require(require('node:worker_threads').workerData.program).background()`, {
    eval: true,
    execArgv: [],
    workerData: { program: programFile(), task },
  })
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

let program: string | undefined

/** The built program is in the `dist` of a folder above this file, for the source as for the built program. */
function programFile(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); program === undefined; folder = dirname(folder)) {
    const file = join(folder, 'dist', 'program.cjs')
    if (existsSync(file)) program = file
    else if (folder === dirname(folder)) throw new Error('dist/program.cjs is missing: build the program first')
  }
  return program
}
