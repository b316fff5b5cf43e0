/** Starts a task or a job in a worker thread and receives its results. */
import { Worker } from 'node:worker_threads'
import type { Ask, RunJob } from '../../../http/host.js'
import { isLargeBody } from '../../../http/messages.js'
import { ApiError } from '../../../protocol/platform/errors.js'
import type { DatabaseDriver } from '../../../protocol/settings/process.js'
import { UnusableDatabase } from '../../../store/db.js'
import { program } from '../program.js'
import type { JobTask, Message, Task } from './task.js'

export interface BackgroundTask {
  /** Rejects with `UnusableDatabase`, or the store's error. */
  ready: Promise<void>
  /** Resolves to the next piece of the task's output, null at the end. Wait for each piece before the next call. */
  next(): Promise<Uint8Array | null>
  /** Terminates the thread, whatever it is doing. */
  end(): void
}

export function startInBackground(task: Task): BackgroundTask {
  const { worker, receive } = startThread(task)
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

/** Each job needs a processor, and memory for its input. */
const mostJobs = 2

/** Each runner runs two jobs at a time; others wait. */
export function jobRunner(driver: DatabaseDriver | null): RunJob {
  let running = 0
  const waiting: (() => void)[] = []
  return async (job, input, taken, answer = async () => null) => {
    if (running < mostJobs) running++
    // Whoever ends hands over its place.
    else await new Promise<void>((resolve) => void waiting.push(resolve))
    try {
      // A small body can be part of a buffer that others use.
      return await run({ job, input, driver }, isLargeBody(taken) ? [taken.buffer as ArrayBuffer] : [], answer)
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}

async function run(task: JobTask, transferList: ArrayBuffer[], answer: Ask): Promise<unknown> {
  const { worker, receive } = startThread(task, transferList)
  // A process that ends does not wait for it.
  worker.unref()
  try {
    for (;;) {
      const message = orThrow(await receive())
      if (message.kind === 'done') return message.value
      if (message.kind === 'question') worker.postMessage(await answer(message.question))
    }
  } finally {
    void worker.terminate()
  }
}

function startThread(
  task: Task | JobTask,
  transferList: ArrayBuffer[] = [],
): { worker: Worker; receive: () => Promise<Message> } {
  const worker = new Worker(program.threadCode(), { eval: true, execArgv: [], workerData: { task }, transferList })
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
  return { worker, receive }
}

function orThrow(message: Message): Message {
  if (message.kind !== 'error') return message
  const { refusal } = message
  if (refusal !== null) throw new ApiError(refusal.code, refusal.details, message.message)
  if (message.isUnusable) throw new UnusableDatabase(message.message)
  throw Object.assign(new Error(message.message), { code: message.code })
}
