/** The workspaces of one process: `default`, and those made over the control API, each with a database of its own. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Config } from '../../core/config.js'
import { closeWorkspace } from '../../core/lifecycle.js'
import type { ScenarioSource } from '../../core/scenarios/library.js'
import { startScheduler, tick } from '../../core/scheduler.js'
import type { Send } from '../../core/send-port.js'
import { openWorkspace, type Workspace } from '../../core/workspace.js'
import { perform } from '../../http/perform.js'
import { ApiError } from '../../spec/errors.js'
import { createWake, ringAfter } from './alarm.js'
import { memory, openSqlite } from './sqlite.js'

export interface Workspaces {
  get(name: string): Workspace | undefined
  names(): string[]
  create(name: string): Workspace
  drop(name: string): Promise<void>
  closeAll(): void
}

const workspaceName = /^[a-z0-9][a-z0-9_-]{0,49}$/

/** Opens `default` and, on a file, every other workspace that lies beside it. Throws where a database cannot be opened. */
export function openWorkspaces(db: string, config: Config, send: Send, scenarios: ScenarioSource): Workspaces {
  const open = new Map<string, Workspace>()
  const fileOf = (name: string) => (db === memory ? memory : name === 'default' ? db : `${db}.w-${name}`)

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
        perform,
      },
      config,
    )
    startScheduler(ws)
    open.set(name, ws)
    return ws
  }

  add('default')
  for (const name of namesBeside(db)) add(name)

  return {
    get: (name) => open.get(name),
    names: () => [...open.keys()],
    create(name) {
      if (!workspaceName.test(name))
        throw new ApiError('INVALID_VALUE', {
          field: 'name',
          rule: 'must be 1 to 50 of a-z, 0-9, hyphen and underscore',
        })
      if (open.has(name)) throw new ApiError('CONFLICT', { name }, { message: `There is a workspace ${name} already.` })
      return add(name)
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
      open.delete(name)
      await ws.unit(() => undefined).catch(() => undefined)
      closeWorkspace(ws)
      if (db !== memory)
        for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(fileOf(name) + suffix, { force: true })
    },
    closeAll() {
      for (const ws of open.values()) closeWorkspace(ws)
    },
  }
}

function namesBeside(db: string): string[] {
  const folder = dirname(db)
  if (db === memory || !existsSync(folder)) return []
  const prefix = `${basename(db)}.w-`
  return readdirSync(folder)
    .filter(
      (file) =>
        file.startsWith(prefix) && workspaceName.test(file.slice(prefix.length)) && existsSync(join(folder, file)),
    )
    .map((file) => file.slice(prefix.length))
    .sort()
}

/** A tick fails only when the store refuses; it is tried again with the next change. */
function report(error: unknown): void {
  console.error('payments-sandbox: the queue could not run:', error instanceof Error ? error.message : error)
}
