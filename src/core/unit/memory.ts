/** What a workspace keeps besides its database: one object, made anew by a reset or a restore and put back where that fails. */
import type { Clock } from '../../base/clock.js'
import type { Db } from '../../store/db.js'
import { forgetRows } from '../../store/row-cache.js'
import { type AccessState, createAccessState } from '../auth/auth-state.js'
import { createDispatchState, type DispatchState } from '../delivery/dispatch-state.js'
import { RequestLog } from '../request-log/log.js'
import { TokenUse } from '../request-log/token-use.js'
import type { Carried } from '../workspace/carried.js'
import { createIds, type Ids } from './ids.js'
import type { Expecting } from './unit.js'

export interface Memory {
  readonly ids: Ids
  readonly requestLog: RequestLog
  readonly tokenUse: TokenUse
  readonly access: AccessState
  readonly dispatch: DispatchState
  readonly expecting: Expecting
}

/** Rows that are kept in memory lie with the database (`row-cache.ts`), and are forgotten rather than undone. */
export const createMemory = (
  db: Db,
  seed: string | null,
  epoch: number,
  carried: Pick<Carried, 'ids' | 'guards'> | null = null,
): Memory => ({
  ids: createIds(db, seed, epoch, carried?.ids),
  requestLog: new RequestLog(db),
  tokenUse: new TokenUse(),
  access: createAccessState(carried?.guards),
  dispatch: createDispatchState(),
  expecting: new Map(),
})

interface Owner {
  readonly db: Db
  readonly clock: Clock
  memory: Memory
}

/** Keeps what stands now; the function that it returns puts all of it back. What was begun under another memory is finished by nobody. */
export function keepMemory(owner: Owner): () => void {
  const { memory } = owner
  const clockBack = owner.clock.keep()
  return () => {
    owner.memory = memory
    clockBack()
    forgetRows(owner.db)
  }
}
