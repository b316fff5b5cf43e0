/** Tasks and jobs that run in a worker thread, outside the event loop. */

import type { ApiError } from '../../../protocol/platform/errors.js'
import type { DatabaseDriver } from '../../../protocol/settings/process.js'

/** The tasks by name. Every task writes `to` from scratch. At the end the file is complete and on disk. */
export type Task =
  /** Copies an open database file to a sealed image. */
  | { do: 'copy'; descriptor: number; sizeBytes: number; to: string }
  /** Turns a stored image into a database file, checked and up to date. */
  | { do: 'prepare'; driver: DatabaseDriver; from: string; to: string }
  /** Does the same as the task above, then outputs the text of the export file in chunks. */
  | { do: 'export'; driver: DatabaseDriver; from: string; to: string }
  /** Turns an exported file into a sealed image, and checks the image. */
  | { do: 'import'; driver: DatabaseDriver; from: string; to: string }

/** The job of a feature, or work on images in memory. */
export interface JobTask {
  job: string
  input: unknown
  /** null: the first that can be loaded, if the job opens a database at all. */
  driver: DatabaseDriver | null
}

/** Messages of the thread: for a task `ready` once, then a piece or the end for each request; for a job questions, then `done`. */
export type Message =
  | { kind: 'question'; question: unknown }
  | { kind: 'done'; value: unknown }
  | { kind: 'ready' }
  | { kind: 'piece'; bytes: Uint8Array }
  | { kind: 'end' }
  | { kind: 'error'; isUnusable: boolean; message: string; code: string; refusal: Refusal | null }

/** An `ApiError`, which loses its class between threads. */
export type Refusal = Pick<ApiError, 'code' | 'details'>
