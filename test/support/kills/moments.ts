/** The moments at which a sandbox is killed: the work during which it dies. */
import { watch } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { oneOf } from '../chance.js'
import { removedFeatures } from '../features.js'
import { type Body, send } from '../http.js'
import { launch, type Running } from '../program.js'
import { record, rotate } from './beside.js'
import { type Asked, nowMs } from './calls.js'
import type { Jump, Saved } from './expected.js'
import { baseOf, newWorld, type World } from './world.js'

export interface Trial {
  chance: () => number
  program: Running
  args: readonly string[]
  /** The database file of the default workspace. */
  file: string
  /** The workspaces by name. */
  worlds: Map<string, World>
  /** Workspaces whose creation or deletion was not answered. */
  unsure: Set<string>
  /** The approximate time of a start. */
  startMs: number
}

/** Work in a workspace. It resolves with the response, or rejects when the connection breaks. */
export type Act = (trial: Trial, world: World) => Promise<void>

export interface Moment {
  name: string
  /** The workspace (default: a random one). */
  world?: 'default'
  act?: Act
  /** The approximate time of the work; default: 60 ms. It is corrected by each work that ends. */
  usualMs?: number
  /** Kills right after the work instead of during it. */
  atEnd?: true
  /** Ends the program (default: SIGKILL). */
  end?: (trial: Trial) => Promise<void>
}

async function asked(asking: Asked, method: string, url: string, body?: unknown): Promise<Body> {
  const answer = await send(method, url, body)
  if (answer.status !== 200 && answer.status !== 204)
    throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`)
  asking.answeredAtMs = nowMs()
  return answer.body
}

/** A call of which no later check needs to know whether it was answered. */
const ask = (method: string, url: string, body?: unknown): Promise<Body> =>
  asked({ askedAtMs: 0, answeredAtMs: null }, method, url, body)

const control = ({ program }: Trial, world: World) => `${baseOf(world, program.url)}/_sandbox`

const reset: Act = async (trial, world) => {
  world.jump = { saved: null, askedAtMs: nowMs(), answeredAtMs: null }
  await asked(world.jump, 'POST', `${control(trial, world)}/reset`)
}

const saveAs = async (trial: Trial, world: World, name: string) => {
  const before = await ask('GET', `${control(trial, world)}/clock`)
  const saved: Saved = { ...world, leastMs: Date.parse(before.now), askedAtMs: nowMs(), answeredAtMs: null }
  world.saved.set(name, saved)
  await asked(saved, 'POST', `${control(trial, world)}/snapshots`, { name })
}

const save: Act = (trial, world) => saveAs(trial, world, `s${Math.floor(trial.chance() * 1e9)}`)

/** Restores a snapshot of an earlier round, or saves one if there is none. */
const restore: Act = async (trial, world) => {
  const [first, ...more] = world.saved.keys()
  if (first === undefined) return save(trial, world)
  const name = oneOf(trial.chance, [first, ...more])
  const jump: Jump = { saved: world.saved.get(name) ?? null, askedAtMs: nowMs(), answeredAtMs: null }
  world.jump = jump
  await asked(jump, 'POST', `${control(trial, world)}/snapshots/${name}/restore`)
}

/** Imports the exported file of a snapshot under another name. */
const importCopy: Act = async (trial, world) => {
  const [first] = world.saved
  if (first === undefined) return save(trial, world)
  const [name, original] = first
  const snapshots = `${control(trial, world)}/snapshots`
  const file = await ask('GET', `${snapshots}/${name}/export`)
  const copy: Saved = { ...original, answeredAtMs: null }
  const copyName = `c${Math.floor(trial.chance() * 1e9)}`
  world.saved.set(copyName, copy)
  await asked(copy, 'POST', `${snapshots}/${copyName}/import`, file)
  copy.answeredAtMs = original.answeredAtMs
}

/** Certifies the workspace's own inbox, which accepts everything: it fails, and leaves nothing in the workspace but messages. */
const certify: Act = async (trial, world) => {
  const url = `${control(trial, world)}/inbox/certified`
  await ask('POST', `${control(trial, world)}/certify/receiver`, { url })
}

/** A recording of fifty calls, which are repeated in a sandbox of their own. */
const compare: Act = async (trial, world) => {
  const { compareRoutes } = await import('../../../src/features/compare/routes.js')
  const { log } = compareRoutes.compare.example
  const entries = Array.from({ length: 50 }, () => log.entries[0])
  await ask('POST', `${control(trial, world)}/compare`, { log: { ...log, entries } })
}

const deleteSnapshot: Act = async (trial, world) => {
  const [name] = world.saved.keys()
  if (name === undefined) return save(trial, world)
  world.saved.delete(name)
  await ask('DELETE', `${control(trial, world)}/snapshots/${name}`)
}

const advance: Act = async (trial, world) => {
  const by = oneOf(trial.chance, ['1s', '10m', '2h'])
  world.isAhead = true
  const { now } = await ask('POST', `${control(trial, world)}/clock/advance`, {
    by,
  })
  world.clockMs = Math.max(world.clockMs, Date.parse(now))
}

const names = ['w0', 'w1', 'w2'] as const

/** Creates a workspace with a random name, or deletes it if it exists. */
const createOrDelete: Act = async (trial) => {
  const { worlds, unsure, program } = trial
  const name = oneOf(trial.chance, names)
  const url = `${program.url}/_sandbox/workspaces`
  const asking = { askedAtMs: nowMs(), answeredAtMs: null }
  unsure.add(name)
  const known = worlds.get(name)
  if (known === undefined) {
    worlds.set(name, newWorld(name))
    await asked(asking, 'POST', url, { name })
  } else {
    known.isDeleting = true
    await asked(asking, 'DELETE', `${url}/${name}`)
    worlds.delete(name)
  }
  unsure.delete(name)
}

/** Writes large rows until a checkpoint moves the log into the database file, and kills the program at once. */
const checkpoint: Act = async (trial, world) => {
  const text = 'x'.repeat(250)
  const steps = Array.from({ length: 200 }, () => ({ 'cashin.pay': { payer: { name: text } } }))
  let isOver = false
  const end = () => {
    isOver = true
    watcher.close()
    trial.program.child.kill('SIGKILL')
  }
  const watcher = watch(trial.file, end)
  const timer = setTimeout(end, 3000)
  const asking = { askedAtMs: 0, answeredAtMs: null }
  try {
    while (!isOver) await asked(asking, 'POST', `${control(trial, world)}/scenarios`, { name: 'large', steps })
  } finally {
    clearTimeout(timer)
    end()
  }
}

/** Stops the program and kills it before it has finished closing. */
async function killWhileClosing({ chance, program }: Trial): Promise<void> {
  const ended = program.stop('SIGTERM')
  await pause(chance() * 60)
  program.child.kill('SIGKILL')
  await ended
}

async function killWhileStarting({ chance, args, startMs, program }: Trial): Promise<void> {
  await program.stop('SIGKILL')
  for (let left = Math.ceil(chance() * 3); left > 0; left--) {
    const child = launch(['start', '--port', '0', '--json', ...args])
    const closed = new Promise((resolve) => child.once('close', resolve))
    await pause(chance() * 1.2 * startMs)
    child.kill('SIGKILL')
    await closed
  }
}

const all: readonly Moment[] = [
  { name: 'start', end: killWhileStarting },
  { name: 'close', end: killWhileClosing },
  { name: 'checkpoint', world: 'default', act: checkpoint, atEnd: true },
  { name: 'reset', act: reset },
  { name: 'restore', act: restore },
  { name: 'after a restore', act: restore, atEnd: true },
  { name: 'save', act: save },
  { name: 'after a save', act: save, atEnd: true },
  { name: 'import', act: importCopy },
  { name: 'after an import', act: importCopy, atEnd: true },
  { name: 'delete a snapshot', act: deleteSnapshot },
  { name: 'certify', act: certify, usualMs: 2000 },
  { name: 'compare', act: compare, usualMs: 300 },
  { name: 'rotate', act: rotate, usualMs: 800 },
  { name: 'record', act: record, atEnd: true },
  { name: 'advance', act: advance },
  { name: 'workspaces', act: createOrDelete },
  { name: 'after workspaces', act: createOrDelete, atEnd: true },
]

/** Those of a feature have its name. */
export const moments: readonly [Moment, ...Moment[]] = [
  { name: 'load' },
  ...all.filter(({ name }) => !removedFeatures.includes(name)),
]
