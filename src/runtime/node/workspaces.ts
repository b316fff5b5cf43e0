/** The workspaces of one process: `default`, and those made over the control API, each with a database of its own. */

import { startScheduler, tick } from '../../core/clock/scheduler.js'
import { deliveryState, endDeliveries } from '../../core/delivery/dispatch-state.js'
import type { SnapshotStore } from '../../core/snapshots/images.js'
import { requireName } from '../../core/unit/names.js'
import type { ScenarioSource } from '../../core/unit/scenario-source.js'
import type { Send } from '../../core/unit/send-port.js'
import type { Workspace } from '../../core/unit/workspace.js'
import { closeWorkspace } from '../../core/workspace/closing.js'
import { openWorkspace } from '../../core/workspace/opening.js'
import { limitReached, nameTaken, noSuchWorkspace, requireDeletable } from '../../core/workspace/refusals.js'
import { restMs } from '../../core/workspace/unopened.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { storeRetryMs } from '../../protocol/platform/limits.js'
import type { Config } from '../../protocol/settings/platform.js'
import { createTables, type Db } from '../../store/db.js'
import { createWake, longestMs, ringAfter } from './alarm.js'
import { memory } from './sqlite/driver.js'
import { namesBeside, removeDatabase, removeFile, removeUnfinished } from './sqlite/images.js'
import { createOpenFiles } from './sqlite/open-files.js'
import { isOfStore, type Sqlite } from './sqlite/sqlite.js'

export interface Workspaces {
  /** Opens it where nobody has asked for it before. 503 SERVICE_UNAVAILABLE where that is not possible. */
  get(name: string): Workspace | undefined
  names(): string[]
  create(name: string): Workspace
  drop(name: string): Promise<void>
  /** Tells of each workspace that is open, now and later. */
  onOpen(listener: (ws: Workspace) => void): void
  /** Sends no webhook any more; resolves when those on the wire have been answered and written down, or after so long. */
  endDeliveries(graceMs: number): Promise<void>
  closeAll(): void
}

const maxWorkspaces = 500
/** Epoch milliseconds of real time, for the whole process. */
export const wall = () => Date.now()

/** Opens `default`; on a file, every other one that lies beside it is opened when it is asked for, or something is due in it. Throws where a database is not usable. */
export function openWorkspaces(
  sqlite: Sqlite,
  db: string,
  config: Config,
  send: Send,
  scenarios: ScenarioSource,
  origin: Uint8Array | null,
): Workspaces {
  /** null: not opened yet. */
  const known = new Map<string, Workspace | null>()
  const opened = () => [...known.values()].filter((ws) => ws !== null)
  const listeners: ((ws: Workspace) => void)[] = []
  const openFiles = createOpenFiles()
  const fileOf = (name: string) => (db === memory ? memory : name === 'default' ? db : `${db}.w-${name}.db`)
  const ringing = new Set<() => void>()
  const ringLater = (delayMs: number, ring: () => void) => {
    const cancel = ringAfter(Math.min(delayMs, longestMs), () => {
      ringing.delete(cancel)
      ring()
    })
    ringing.add(cancel)
  }

  const databaseOf = (name: string): { db: Db; snapshots?: SnapshotStore } => {
    const first = () => emptyImage(sqlite)
    if (db === memory) return { db: sqlite.openInMemory(origin === null ? first() : undefined) }
    return name === 'default'
      ? sqlite.openWithSnapshots(db)
      : sqlite.openWithSnapshots(fileOf(name), openFiles, origin === null ? first : undefined)
  }

  const add = (name: string): Workspace => {
    const opened = databaseOf(name)
    try {
      const ws: Workspace = openWorkspace(
        name,
        {
          ...opened,
          wall,
          send,
          wake: createWake(
            () => ws,
            () => void tick(ws).catch(report),
          ),
          alarm: ringAfter,
          scenarios,
          origin,
        },
        config,
      )
      startScheduler(ws)
      known.set(name, ws)
      for (const listener of listeners) listener(ws)
      return ws
    } catch (error) {
      opened.db.close()
      throw error
    }
  }

  /** Where something is due later, it is opened then; one that cannot be used keeps no other from starting. */
  const leave = (name: string) => {
    known.set(name, null)
    try {
      const file = sqlite.open(fileOf(name))
      try {
        const delayMs = restMs({ db: file, wall }, config)
        if (delayMs !== null) ringLater(delayMs, () => wake(name))
      } finally {
        file.close()
      }
    } catch (error) {
      console.error(`payments-sandbox: the workspace ${name} cannot be used:`, messageOf(error))
    }
  }
  const wake = (name: string) => {
    try {
      if (known.get(name) === null) add(name)
    } catch (error) {
      report(error)
      ringLater(storeRetryMs, () => wake(name))
    }
  }

  add('default')
  if (db !== memory) {
    // Only once the database is ours: what another process is writing is left alone.
    removeUnfinished(db)
    for (const name of namesBeside(db, '.w-', '.db')) leave(name)
  }

  return {
    get(name) {
      const ws = known.get(name)
      return ws === null ? orUnavailable(() => add(name)) : ws
    },
    names: () => [...known.keys()],
    onOpen(listener) {
      listeners.push(listener)
      for (const ws of opened()) listener(ws)
    },
    create(name) {
      requireName(name)
      if (known.has(name)) throw nameTaken(name)
      if (known.size >= maxWorkspaces) throw limitReached(maxWorkspaces)
      try {
        return orUnavailable(() => add(name))
      } catch (error) {
        if (db !== memory) removeFile(fileOf(name))
        throw error
      }
    },
    async drop(name) {
      requireDeletable(name)
      const ws = known.get(name)
      if (ws === undefined) throw noSuchWorkspace(name)
      // What was asked for before it goes, still happens; the name is free once the files are gone.
      await ws?.unit(() => undefined).catch(() => undefined)
      if (known.get(name) !== ws) return
      known.delete(name)
      if (ws !== null) {
        // What is deleted next need not reach the disk first: three syncs of the fourteen of a workspace that is made, used once and dropped.
        if (ws.db.opened !== null) ws.db.exec('pragma synchronous = OFF')
        closeWorkspace(ws)
      }
      if (db !== memory) removeDatabase(fileOf(name))
    },
    async endDeliveries(graceMs) {
      const ended = Promise.all(opened().map((ws) => endDeliveries(ws.memory.of(deliveryState))))
      let cancel = () => {}
      const late = new Promise<void>((resolve) => {
        cancel = ringAfter(graceMs, resolve)
      })
      await Promise.race([ended, late])
      cancel()
    },
    closeAll() {
      for (const cancel of ringing) cancel()
      for (const ws of opened()) closeWorkspace(ws)
      openFiles.end()
    },
  }
}

let emptyDatabase: Uint8Array | undefined

/** An empty database with its tables made, once for the process: to open it takes a sixth of making them, and on a file five syncs of eleven. */
function emptyImage(sqlite: Sqlite): Uint8Array {
  if (emptyDatabase === undefined) {
    const first = sqlite.openInMemory()
    createTables(first)
    emptyDatabase = first.image()
    first.close()
  }
  return emptyDatabase
}

function orUnavailable<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!isOfStore(error)) throw error
    throw new ApiError('SERVICE_UNAVAILABLE', { reason: messageOf(error) })
  }
}

/** A tick fails only when the store refuses; it is tried again with the next change. */
function report(error: unknown): void {
  console.error('payments-sandbox: the queue could not run:', messageOf(error))
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
