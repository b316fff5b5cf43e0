/** Tasks on databases that run in a worker thread, outside the event loop. */
import type { DatabaseDriver } from '../../../protocol/control/shapes/drivers.js'

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

/** Messages of the thread: `ready` once, then a piece or the end for each request. */
export type Message =
  | { kind: 'ready' }
  | { kind: 'piece'; bytes: Uint8Array }
  | { kind: 'end' }
  | { kind: 'error'; isUnusable: boolean; message: string; code: string }
