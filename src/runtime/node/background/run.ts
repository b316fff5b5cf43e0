/** Runs jobs in worker threads, outside the event loop: work on snapshots, and the jobs of features. */
import { Worker } from 'node:worker_threads'
import type { Ask, RunJob } from '../../../http/host.js'
import { isLargeBody } from '../../../http/messages.js'
import { ApiError } from '../../../protocol/platform/errors.js'
import type { DatabaseDriver } from '../../../protocol/settings/process.js'
import { UnusableDatabase } from '../../../store/db.js'
import { program } from '../program.js'

export interface JobTask {
  job: string
  input: unknown
  /** null: the first that can be loaded, if the job opens a database at all. */
  driver: DatabaseDriver | null
}

interface FromTo {
  from: string
  to: string
}

/** The work on the files of snapshots, by name. Every job writes `to` from scratch. At the end the file is complete and on disk. */
export interface FileJobs {
  /** Copies an open database file to a sealed image. */
  'file.copy': { descriptor: number; sizeBytes: number; to: string }
  /** Turns a stored image into a database file, checked and up to date. */
  'file.prepare': FromTo
  /** Does the same as the job above, then asks about the text of the export file, piece by piece. */
  'file.export': FromTo
  /** Turns an exported file into a sealed image, and checks the image. */
  'file.import': FromTo
}

/** Messages of the thread: questions, each of which waits for its answer, then the result. */
export type Message =
  | { kind: 'question'; question: unknown }
  | { kind: 'done'; value: unknown }
  | { kind: 'error'; isUnusable: boolean; message: string; code: string; refusal: Refusal | null }

/** An `ApiError`, which loses its class between threads. */
type Refusal = Pick<ApiError, 'code' | 'details'>

export interface Thread {
  /** Resolves to the next question, or to the result. Rejects with `ApiError`, `UnusableDatabase`, or the store's error. */
  next(): Promise<Exclude<Message, { kind: 'error' }>>
  answer(value: unknown): void
  /** Terminates the thread, whatever it is doing. */
  end(): void
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
      const transferList = isLargeBody(taken) ? [taken.buffer as ArrayBuffer] : []
      return await resultOf(startThread({ job, input, driver }, transferList), answer)
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}

/**
 * Hands values to a job, one after the other. The job asks for the next one with what it made of the one before (null:
 * nothing), and ends when it gets null.
 */
export class JobPipe<In, Out> {
  /** Resolves when the job works; rejects if it cannot start. */
  readonly ready: Promise<void>
  readonly #job: Promise<void>
  readonly #queue: { value: In; resolve: (made: Out | null) => void }[] = []
  /** Takes what the job makes of the present value. */
  #resolve: (made: Out | null) => void = () => {}
  #wake = () => {}
  #isEnding = false
  /** When the job got the present value. */
  startedAtMs = 0

  constructor(runJob: RunJob, job: string, onFailed: () => void = () => {}) {
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const done = runJob(job, null, new Uint8Array(), (made) => {
      begin()
      // The job of that name asks.
      return this.#nextAfter(made as Out | null)
    }).then(() => undefined)
    this.ready = Promise.race([begun, done])
    // Not every caller waits for it.
    this.ready.catch(() => {})
    this.#job = done.catch(() => {
      this.#isEnding = true
      onFailed()
      this.#resolve(null)
      for (const { resolve } of this.#queue.splice(0)) resolve(null)
    })
  }

  /** Resolves to what the job makes of the value; null also if it has failed or ended. */
  send(value: In): Promise<Out | null> {
    return new Promise((resolve) => {
      if (this.#isEnding) resolve(null)
      else this.#queue.push({ value, resolve })
      this.#wake()
    })
  }

  /** Resolves when the job has got all values and has ended. */
  async end(): Promise<void> {
    this.#isEnding = true
    this.#wake()
    // Node does not wait for a thread.
    const alive = setInterval(() => {}, 60_000)
    await this.#job
    clearInterval(alive)
  }

  async #nextAfter(made: Out | null): Promise<In | null> {
    this.#resolve(made)
    if (this.#queue.length === 0 && !this.#isEnding)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    const next = this.#queue.shift()
    this.#resolve = next?.resolve ?? (() => {})
    this.startedAtMs = performance.now()
    return next?.value ?? null
  }
}

async function resultOf(thread: Thread, answer: Ask): Promise<unknown> {
  try {
    for (;;) {
      const message = await thread.next()
      if (message.kind === 'done') return message.value
      thread.answer(await answer(message.question))
    }
  } finally {
    thread.end()
  }
}

export function startThread(task: JobTask, transferList: ArrayBuffer[] = []): Thread {
  const worker = new Worker(program.threadCode(), { eval: true, execArgv: [], workerData: { task }, transferList })
  // A process that ends does not wait for it.
  worker.unref()
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
    async next() {
      const message = await receive()
      if (message.kind === 'error') throw errorOf(message)
      return message
    },
    answer: (value) => worker.postMessage(value),
    end: () => void worker.terminate(),
  }
}

function errorOf({ refusal, isUnusable, message, code }: Extract<Message, { kind: 'error' }>): Error {
  if (refusal !== null) return new ApiError(refusal.code, refusal.details, message)
  return isUnusable ? new UnusableDatabase(message) : Object.assign(new Error(message), { code })
}
