/** What a runtime provides for a workspace: database, time, network, alarm. */
import type { Db } from '../../store/db.js'
import type { Images, SnapshotStore } from '../snapshots/images.js'
import type { ScenarioSource } from '../unit/scenario-source.js'
import type { Send } from '../unit/send-port.js'
import type { Alarm, Wake, Workspace } from '../unit/workspace.js'
import type { SleepState } from './sleep-state.js'

export interface Ports {
  db: Db
  /** Epoch milliseconds of real time. */
  wall: () => number
  send: Send
  wake: Wake
  alarm: Alarm
  /** Default: continues at once. */
  mayGoOn?: Workspace['pauseAdvance']
  /** Default: none. */
  scenarios?: ScenarioSource
  /** Where snapshots are stored as bytes (default: in memory). */
  images?: Images
  /** Stores snapshots in another way than as bytes. */
  snapshots?: SnapshotStore
  /** The image that fills an empty database and that a reset restores (default: newly created). */
  origin?: Uint8Array | null
  /**
   * State of a workspace that was put to sleep. If it fits, the workspace continues as if it had stayed open; otherwise
   * it starts.
   */
  sleepState?: SleepState | null
  /** Seven characters of each id, instead of its number (default: the number). */
  idMark?: string
}
