/** Runs in the worker thread: performs its job and sends the result. */

import { parentPort, workerData } from 'node:worker_threads'
import { rowAt } from '../../../base/keys.js'
import { codeOf, messageOf } from '../../../base/unknown.js'
import { features } from '../../../features/node.js'
import type { Ask, OpenScratch } from '../../../http/host.js'
import { ApiError } from '../../../protocol/platform/errors.js'
import { UnusableDatabase } from '../../../store/db.js'
import { sqliteCode } from '../sqlite/driver.js'
import { chooseDriver, createSqlite } from '../sqlite/sqlite.js'
import { scratchWorkspaces } from '../workspaces.js'
import type { JobTask, Message } from './run.js'
import { snapshotJobs } from './snapshot-jobs.js'

export function background(): void {
  // Only `run.ts` starts this thread.
  const { task } = workerData as { task: JobTask }
  runJob(task).then(
    (value) => post({ kind: 'done', value }, buffersOf(value)),
    (error: unknown) =>
      post({
        kind: 'error',
        isUnusable: error instanceof UnusableDatabase,
        message: messageOf(error),
        code: sqliteCode(error) ?? codeOf(error) ?? '',
        refusal: error instanceof ApiError ? { code: error.code, details: error.details } : null,
      }),
  )
}

const post = (message: Message, taken: ArrayBuffer[] = []) => parentPort?.postMessage(message, taken)

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

async function runJob({ job, input, driver }: JobTask): Promise<unknown> {
  const ofFeature = features.map(({ jobs }) => rowAt(jobs, job)).find((one) => one !== undefined)
  const run = ofFeature ?? rowAt(snapshotJobs(chooseDriver(driver)), job)
  if (run === undefined) throw new Error(`there is no job ${job}`)
  const openScratch: OpenScratch = (...input) =>
    scratchWorkspaces(createSqlite(chooseDriver(driver)), noSend).open(...input)
  // Whoever starts a job gives it its own input.
  return run(input as never, { ask, openScratch })
}

const noSend = () => Promise.reject(new Error('a job sends nothing'))

const ask: Ask = (question) =>
  new Promise((resolve) => {
    parentPort?.once('message', resolve)
    post({ kind: 'question', question })
  })
