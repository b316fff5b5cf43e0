/** What a workspace keeps besides its database: one object, made anew by a reset or a restore, and put back if that fails. */
import type { Clock } from '../../base/clock.js'
import type { Db } from '../../store/db.js'
import { forgetRows } from '../../store/row-cache.js'
import { createIds, type IdProgress, type Ids } from './ids.js'
import { type Slot, Slots } from './slots.js'

/** State of a room that a reset or a restore makes anew. Cached rows lie with the database (`row-cache.ts`) instead. */
export type MemorySlot<State> = Slot<Memory, State>

export class Memory extends Slots<Memory> {
  readonly db: Db
  readonly ids: Ids

  constructor(db: Db, seed: string | null, epoch: number, progress: IdProgress | null = null) {
    super()
    this.db = db
    this.ids = createIds(db, seed, epoch, progress)
  }

  protected override owner(): Memory {
    return this
  }
}

interface Owner {
  readonly db: Db
  readonly clock: Clock
  memory: Memory
}

/** Saves the present memory; the returned function puts it back. What was begun under another memory is finished by nobody. */
export function keepMemory(owner: Owner): () => void {
  const { memory } = owner
  const clockBack = owner.clock.keep()
  return () => {
    owner.memory = memory
    clockBack()
    forgetRows(owner.db)
  }
}
