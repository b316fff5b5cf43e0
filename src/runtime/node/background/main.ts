/** Runs in the worker thread: performs its task or job and sends the results. */

import { parentPort, workerData } from 'node:worker_threads'
import { rowAt } from '../../../base/keys.js'
import { codeOf, messageOf } from '../../../base/unknown.js'
import { features } from '../../../features/node.js'
import type { Ask, OpenScratch } from '../../../http/host.js'
import { ApiError } from '../../../protocol/platform/errors.js'
import { UnusableDatabase } from '../../../store/db.js'
import { sqliteCode } from '../sqlite/driver.js'
import { chooseDriver, createSqlite, type Sqlite } from '../sqlite/sqlite.js'
import { scratchWorkspaces } from '../workspaces.js'
import { imageJobsOn } from './image-jobs.js'
import type { JobTask, Message, Task } from './task.js'
import { tasks } from './tasks.js'

export function background(): void {
  const post = (message: Message) => parentPort?.postMessage(message)
  const postErrors = async (work: () => unknown) => {
    try {
      await work()
    } catch (error) {
      const message = messageOf(error)
      post({
        kind: 'error',
        isUnusable: error instanceof UnusableDatabase,
        message,
        code: sqliteCode(error) ?? codeOf(error) ?? '',
        refusal: error instanceof ApiError ? { code: error.code, details: error.details } : null,
      })
    }
  }
  void postErrors(async () => {
    // Only `run.ts` starts this thread.
    const { task } = workerData as { task: Task | JobTask }
    if ('job' in task) {
      const value = await runJob(task)
      parentPort?.postMessage({ kind: 'done', value } satisfies Message, buffersOf(value))
      return
    }
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

/** Whole buffers are handed over instead of copied. */
const buffersOf = (value: unknown): ArrayBuffer[] => [
  ...new Set(
    [value]
      .flat()
      .flatMap((one) =>
        one instanceof Uint8Array && one.buffer instanceof ArrayBuffer && !(one instanceof Buffer) ? [one.buffer] : [],
      ),
  ),
]

function runJob({ job, input, driver }: JobTask): Promise<unknown> {
  let loaded: Sqlite | undefined
  const sqlite = () => (loaded ??= createSqlite(chooseDriver(driver)))
  const tables = features.map(({ jobs }) => jobs)
  const run =
    tables.map((table) => rowAt(table, job)).find((one) => one !== undefined) ?? rowAt(imageJobsOn(sqlite()), job)
  if (run === undefined) throw new Error(`there is no job ${job}`)
  const openScratch: OpenScratch = (...input) => scratchWorkspaces(sqlite(), noSend).open(...input)
  // Whoever starts a job gives it its own input.
  return run(input as never, { ask, openScratch })
}

const noSend = () => Promise.reject(new Error('a job sends nothing'))

const ask: Ask = (question) =>
  new Promise((resolve) => {
    parentPort?.once('message', resolve)
    parentPort?.postMessage({ kind: 'question', question } satisfies Message)
  })
