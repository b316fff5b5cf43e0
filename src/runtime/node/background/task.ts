/** What is done with databases beside the event loop, in a thread of its own. */
import type { DatabaseDriver } from '../../../protocol/control/shapes/drivers.js'

/** `to` is written anew, and is complete and on the disk at the end. */
export type Task =
  /** An open database file becomes a sealed image. */
  | { do: 'copy'; descriptor: number; sizeBytes: number; to: string }
  /** A stored image becomes a database file that is checked and up to date. */
  | { do: 'prepare'; driver: DatabaseDriver; from: string; to: string }
  /** The same, and then the text of its file in pieces. */
  | { do: 'export'; driver: DatabaseDriver; from: string; to: string }
  /** An exported file becomes a sealed image that is checked. */
  | { do: 'import'; driver: DatabaseDriver; from: string; to: string }

/** What the thread says: `ready` once, then a piece or the end for each time it is asked. */
export type Message =
  | { kind: 'ready' }
  | { kind: 'piece'; bytes: Uint8Array }
  | { kind: 'end' }
  | { kind: 'error'; isUnusable: boolean; message: string; code: string }
