/** Starts a task in a thread, and hears of what becomes of it. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { UnusableDatabase } from '../../../store/db.js'
import type { Message, Task } from './task.js'

export interface Background {
  /** Rejects with `UnusableDatabase`, or the store's error. */
  ready: Promise<void>
  /** The next piece of what the task gives; null at the end. One at a time. */
  next(): Promise<Uint8Array | null>
  /** Ends the thread, whatever it is doing. */
  end(): void
}

export function inBackground(task: Task): Background {
  const worker = new Worker(`require(require('node:worker_threads').workerData.program).background()`, {
    eval: true,
    execArgv: [],
    workerData: { program: programFile(), task },
  })
  const receive = () =>
    new Promise<Message>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('the work in the background was given up')))
    }).finally(() => {
      for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
      // An error that nobody waits for is that of a thread that was ended.
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

/** The built program is in the `dist` of one of the folders above this file, whether this is the source or the program itself. */
function programFile(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); program === undefined; folder = dirname(folder)) {
    const file = join(folder, 'dist', 'program.cjs')
    if (existsSync(file)) program = file
    else if (folder === dirname(folder)) throw new Error('dist/program.cjs is missing: build the program first')
  }
  return program
}
