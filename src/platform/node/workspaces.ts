/** The workspaces of one process: `default`, and those made over the control API, each with a database of its own. */
import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ScenarioSource } from '../../core/scenarios/source-port.js'
import { startScheduler, tick } from '../../core/scheduler/scheduler.js'
import { endDeliveries } from '../../core/webhooks/dispatch-state.js'
import type { Send } from '../../core/webhooks/send-port.js'
import type { Config } from '../../core/workspace/config.js'
import { closeWorkspace } from '../../core/workspace/lifecycle.js'
import { requireName } from '../../core/workspace/names.js'
import { openWorkspace } from '../../core/workspace/opening.js'
import type { Workspace } from '../../core/workspace/workspace.js'
import { ApiError } from '../../protocol/api/errors.js'
import { createWake, ringAfter } from './alarm.js'
import { createFileImages, namesBeside, removeUnfinished } from './images.js'
import { isUnavailable, memory, openSqlite } from './sqlite.js'

export interface Workspaces {
  get(name: string): Workspace | undefined
  names(): string[]
  create(name: string): Workspace
  drop(name: string): Promise<void>
  /** Sends no webhook any more; resolves when those on the wire have been answered and written down, or after so long. */
  endDeliveries(graceMs: number): Promise<void>
  closeAll(): void
}

/** Each takes a database, and on a disk two open files. */
const maxWorkspaces = 500

/** Opens `default` and, on a file, every other workspace that lies beside it. Throws where a database cannot be opened. */
export function openWorkspaces(db: string, config: Config, send: Send, scenarios: ScenarioSource): Workspaces {
  const open = new Map<string, Workspace>()
  const fileOf = (name: string) => (db === memory ? memory : name === 'default' ? db : `${db}.w-${name}.db`)

  const add = (name: string): Workspace => {
    const ws: Workspace = openWorkspace(
      name,
      {
        db: openSqlite(fileOf(name)),
        wall: Date.now,
        send,
        wake: createWake(
          () => ws,
          () => void tick(ws).catch(report),
        ),
        alarm: ringAfter,
        scenarios,
        ...(db === memory ? {} : { images: createFileImages(fileOf(name)) }),
      },
      config,
    )
    startScheduler(ws)
    open.set(name, ws)
    return ws
  }

  add('default')
  if (db !== memory) {
    // Only once the database is ours: what another process is writing is left alone.
    removeUnfinished(db)
    for (const name of namesBeside(db, '.w-', '.db')) add(name)
  }

  return {
    get: (name) => open.get(name),
    names: () => [...open.keys()],
    create(name) {
      requireName(name)
      if (open.has(name)) throw new ApiError('CONFLICT', { name }, { message: `There is a workspace ${name} already.` })
      if (open.size >= maxWorkspaces)
        throw new ApiError(
          'CONFLICT',
          { max: maxWorkspaces },
          { message: `There are ${open.size} workspaces already: drop one first.` },
        )
      try {
        return add(name)
      } catch (error) {
        const isFolderGone = db !== memory && !existsSync(dirname(db))
        if (!isFolderGone && !isUnavailable(error)) throw error
        throw new ApiError('SERVICE_UNAVAILABLE', { reason: String(error) })
      }
    },
    async drop(name) {
      if (name === 'default')
        throw new ApiError('INVALID_VALUE', {
          field: 'name',
          rule: 'the workspace default cannot be dropped: reset it',
        })
      const ws = open.get(name)
      if (ws === undefined)
        throw new ApiError('NOT_FOUND', { workspace: name }, { message: `There is no workspace ${name}.` })
      // What was asked for before it goes, still happens; the name is free once the files are gone.
      await ws.unit(() => undefined).catch(() => undefined)
      if (open.get(name) !== ws) return
      open.delete(name)
      const snapshots = ws.images.list().map((image) => image.name)
      closeWorkspace(ws)
      for (const snapshot of snapshots) ws.images.remove(snapshot)
      if (db !== memory)
        for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(fileOf(name) + suffix, { force: true })
    },
    async endDeliveries(graceMs) {
      const ended = Promise.all([...open.values()].map((ws) => endDeliveries(ws.memory.dispatch)))
      let cancel = () => {}
      const late = new Promise<void>((resolve) => {
        cancel = ringAfter(graceMs, resolve)
      })
      await Promise.race([ended, late])
      cancel()
    },
    closeAll() {
      for (const ws of open.values()) closeWorkspace(ws)
    },
  }
}

/** A tick fails only when the store refuses; it is tried again with the next change. */
function report(error: unknown): void {
  console.error('payments-sandbox: the queue could not run:', error instanceof Error ? error.message : error)
}
