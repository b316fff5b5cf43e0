/**
 * The workspaces of one process: `default`, and workspaces created with the control API, each with its own database. Also
 * the ports to Node that they need: the real time, timers, and the inboxes at the sandbox's own address.
 */

import { networkInterfaces } from 'node:os'
import { messageOf } from '../../base/unknown.js'
import { startScheduler, tick } from '../../core/clock/scheduler.js'
import { deliveryState, endDeliveries } from '../../core/delivery/queue.js'
import {
  createByteSnapshotStore,
  createMemoryImages,
  imageWorkOn,
  type SnapshotStore,
} from '../../core/snapshots/images.js'
import { requireName, type ScenarioSource, type Send } from '../../core/unit/ports.js'
import type { Workspace } from '../../core/unit/unit.js'
import {
  closeWorkspace,
  nameTakenError,
  openWorkspace,
  requireDeletable,
  sleepableMs,
  unknownWorkspaceError,
  workspaceLimitError,
} from '../../core/workspace/workspace.js'
import type { OpenScratch } from '../../http/host.js'
import { isInboxPath } from '../../protocol/control/webhooks.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { storeRetryMs } from '../../protocol/platform/limits.js'
import { addressKind } from '../../protocol/platform/webhook-hosts.js'
import type { Config } from '../../protocol/settings/platform.js'
import { createTables, type Db } from '../../store/db.js'
import { jobRunner } from './background/run.js'
import { imageWork } from './background/snapshot-jobs.js'
import { memory } from './sqlite/driver.js'
import { createOpenFiles } from './sqlite/file.js'
import { namesBeside, removeDatabase, removeFile, removeUnfinished } from './sqlite/snapshots.js'
import { isStoreError, type Sqlite } from './sqlite/sqlite.js'

/** The sandbox's own inboxes as receivers: webhooks to them are always allowed, in shared mode and with strict webhooks too. */
export interface OwnInboxes {
  /** Whether a URL is an inbox at the sandbox's port. Whether its host is this sandbox is checked when connecting. */
  covers(target: URL): boolean
  /** Returns whether the sandbox listens on this address. */
  isHere(address: string): boolean
}

/** `host` is the address that the sandbox was configured to listen on; `port` returns 0 until it listens. */
export function ownInboxes(host: string, port: () => number): OwnInboxes {
  const isOnLoopback = host === 'localhost' || addressKind(host) === 'loopback'
  const isOnEvery = addressKind(host) === 'unspecified'
  return {
    covers: (target) =>
      target.protocol === 'http:' && Number(target.port || 80) === port() && isInboxPath(target.pathname),
    isHere: (address) =>
      addressKind(address) === 'loopback'
        ? isOnLoopback || isOnEvery
        : !isOnLoopback && addressesOfThisMachine().includes(address),
  }
}

const addressesOfThisMachine = (): string[] =>
  Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? [])

/** Longest delay of a timer in Node. */
const maxTimerMs = 2 ** 31 - 1

/** Calls `tick` at a business time of the workspace. While the clock is frozen before that time, it is not called. */
export function createWake(
  workspace: () => Workspace,
  tick: () => void,
  setTimer = callAfter,
): (atMs: number | null) => void {
  let disarm = () => {}
  return (atMs) => {
    disarm()
    const delayMs = atMs === null ? null : workspace().clock.untilMs(atMs)
    if (delayMs === null) return
    if (delayMs === 0) {
      const immediate = setImmediate(tick)
      disarm = () => clearImmediate(immediate)
    } else {
      disarm = setTimer(Math.min(Math.ceil(delayMs), maxTimerMs), tick)
    }
  }
}

/** Calls back once after `delayMs`; returns a function that cancels it. */
export function callAfter(delayMs: number, callback: () => void): () => void {
  const timer = setTimeout(callback, delayMs)
  return () => clearTimeout(timer)
}

export interface Workspaces {
  /** Returns the workspace and opens it on first use. Throws 503 SERVICE_UNAVAILABLE if it cannot be opened. */
  get(name: string): Workspace | undefined
  names(): string[]
  create(name: string): Workspace
  drop(name: string): Promise<void>
  /** Calls back for every open workspace, and for every workspace that is opened later. */
  onOpen(listener: (ws: Workspace) => void): void
  /** Stops sending webhooks; resolves when webhooks in flight are completed and stored, or after `graceMs`. */
  endDeliveries(graceMs: number): Promise<void>
  closeAll(): void
}

/** A workspace on a file takes hardly any memory while nobody uses it. */
const maxWorkspaces = { inMemory: 500, onFiles: 10_000 }
/** How long a start, and each turn after it, looks up when the next jobs of workspaces are due. */
const [startShareMs, laterShareMs] = [1000, 20]
/** Returns the real time in epoch milliseconds, for the whole process. */
export const wallClock = () => Date.now()

/**
 * Opens `default`. With a file, every other workspace beside it is opened on first use, or when a job in it is due.
 * Throws if a database cannot be used.
 */
export function openWorkspaces(
  sqlite: Sqlite,
  db: string,
  config: Config,
  send: Send,
  scenarios: ScenarioSource,
  originImage: Uint8Array | null,
): Workspaces {
  /** The open workspace; null if it has not been opened yet. */
  const known = new Map<string, Workspace | null>()
  const opened = () => [...known.values()].filter((ws) => ws !== null)
  const listeners: ((ws: Workspace) => void)[] = []
  const openFiles = createOpenFiles()
  const fileOf = (name: string) => (db === memory ? memory : name === 'default' ? db : `${db}.w-${name}.db`)
  const timers = new Set<() => void>()
  const callLater = (delayMs: number, callback: () => void) => {
    const cancel = callAfter(Math.min(delayMs, maxTimerMs), () => {
      timers.delete(cancel)
      callback()
    })
    timers.add(cancel)
  }

  const databaseOf = (name: string): { db: Db; snapshots?: SnapshotStore } => {
    const first = () => emptyImage(sqlite)
    if (db === memory) {
      const own = sqlite.openInMemory(originImage === null ? first() : undefined)
      const work = imageWork(imageWorkOn(own), jobRunner(sqlite.driver))
      return { db: own, snapshots: createByteSnapshotStore(own, createMemoryImages(wallClock), work) }
    }
    return name === 'default'
      ? sqlite.openWithSnapshots(db)
      : sqlite.openWithSnapshots(fileOf(name), openFiles, originImage === null ? first : undefined)
  }

  const add = (name: string): Workspace => {
    const opened = databaseOf(name)
    try {
      const ws: Workspace = openWorkspace(
        name,
        {
          ...opened,
          wall: wallClock,
          send,
          wake: createWake(
            () => ws,
            () => void tick(ws).catch(report),
          ),
          callAfter,
          scenarios,
          origin: originImage,
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

  /**
   * Schedules the opening for the time when its next job is due. A workspace that cannot be used does not prevent the
   * start of others.
   */
  const scheduleOpening = (name: string) => {
    if (known.get(name) !== null) return
    try {
      const file = sqlite.open(fileOf(name))
      try {
        const delayMs = sleepableMs({ db: file, wall: wallClock }, config)
        if (delayMs !== null) callLater(delayMs, () => openWhenDue(name))
      } finally {
        file.close()
      }
    } catch (error) {
      console.error(`payments-sandbox: the workspace ${name} cannot be used:`, messageOf(error))
    }
  }
  /** Lets calls pass after each `shareMs`: with thousands of workspaces it takes seconds. */
  const scheduleOpenings = (names: IterableIterator<string>, shareMs: number) => {
    const untilMs = performance.now() + shareMs
    for (const name of names) {
      scheduleOpening(name)
      if (performance.now() > untilMs) return callLater(laterShareMs, () => scheduleOpenings(names, laterShareMs))
    }
  }
  const openWhenDue = (name: string) => {
    try {
      if (known.get(name) === null) add(name)
    } catch (error) {
      report(error)
      callLater(storeRetryMs, () => openWhenDue(name))
    }
  }

  add('default')
  if (db !== memory) {
    // Runs only when the database is locked: the unfinished files of another process must not be deleted.
    removeUnfinished(db)
    const names = namesBeside(db, '.w-', '.db')
    for (const name of names) known.set(name, null)
    scheduleOpenings(names.values(), startShareMs)
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
      if (known.has(name)) throw nameTakenError(name)
      const most = db === memory ? maxWorkspaces.inMemory : maxWorkspaces.onFiles
      if (known.size >= most) throw workspaceLimitError(most)
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
      if (ws === undefined) throw unknownWorkspaceError(name)
      // Work requested before the deletion still runs; the name is free once the files are deleted.
      await ws?.unit(() => undefined).catch(() => undefined)
      if (known.get(name) !== ws) return
      known.delete(name)
      if (ws !== null) {
        // Files that are deleted next need no sync: this saves three of the fourteen syncs of a workspace that is
        // created, used once and deleted.
        if (ws.db.opened !== null) ws.db.exec('pragma synchronous = OFF')
        closeWorkspace(ws)
      }
      if (db !== memory) removeDatabase(fileOf(name))
    },
    async endDeliveries(graceMs) {
      const ended = Promise.all(opened().map((ws) => endDeliveries(ws.memory.of(deliveryState))))
      let cancel = () => {}
      const late = new Promise<void>((resolve) => {
        cancel = callAfter(graceMs, resolve)
      })
      await Promise.race([ended, late])
      cancel()
    },
    closeAll() {
      for (const cancel of timers) cancel()
      for (const ws of opened()) closeWorkspace(ws)
      openFiles.end()
    },
  }
}

let emptyDatabase: Uint8Array | undefined

/**
 * An empty database with its tables, built once per process: opening it takes a sixth of the time of creating them, and
 * on a file five syncs instead of eleven.
 */
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
    if (!isStoreError(error)) throw error
    throw new ApiError('SERVICE_UNAVAILABLE', { reason: messageOf(error) })
  }
}

/** Reports a failed tick. A tick fails only if the store cannot be written; the next change triggers another one. */
function report(error: unknown): void {
  console.error('payments-sandbox: the queue of scheduled jobs could not run:', messageOf(error))
}

// Private workspaces in memory, each for one task: a certification, a comparison.

export function scratchWorkspaces(sqlite: Sqlite, send: Send): { open: OpenScratch; closeAll(): void } {
  const opened = new Set<Workspace>()
  return {
    open(config, ports = {}) {
      for (const ws of opened) if (ws.closed) opened.delete(ws)
      const all = { db: sqlite.openInMemory(), wall: wallClock, send, wake: () => {}, callAfter, ...ports }
      const ws = openWorkspace('scratch', all, config)
      opened.add(ws)
      return ws
    },
    closeAll() {
      for (const ws of opened) if (!ws.closed) closeWorkspace(ws)
    },
  }
}
