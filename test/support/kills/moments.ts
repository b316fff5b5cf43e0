/** The moments at which a sandbox is killed: what it is made to do, in the middle of which it dies. */
import { statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { oneOf } from '../chance.js'
import { type Body, send } from '../http.js'
import { launch, type Running } from '../program.js'
import { type Asked, nowMs } from './calls.js'
import type { Jump, Saved } from './expected.js'
import { baseOf, newWorld, type World } from './world.js'

export interface Trial {
  chance: () => number
  program: Running
  args: readonly string[]
  /** File of the default workspace. */
  file: string
  /** By name. */
  worlds: Map<string, World>
  /** Workspaces of which it is not known whether they are there, since nothing was answered. */
  unsure: Set<string>
  /** How long a start takes, about. */
  startMs: number
}

/** What is done in some workspace; it ends when it was answered, or fails with the socket. */
type Act = (trial: Trial, world: World) => Promise<void>

export interface Moment {
  name: string
  /** Always in this workspace. */
  world?: 'default'
  act?: Act
  /** It dies as soon as the act is over, else somewhere in its middle. */
  atEnd?: true
  /** Instead of dying by SIGKILL while it acts. */
  end?: (trial: Trial) => Promise<void>
}

async function asked(asking: Asked, method: string, url: string, body?: unknown): Promise<Body> {
  const answer = await send(method, url, body)
  if (answer.status !== 200 && answer.status !== 204)
    throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`)
  asking.answeredAtMs = nowMs()
  return answer.body
}

const control = ({ program }: Trial, world: World) => `${baseOf(world, program.url)}/_sandbox`

const reset: Act = async (trial, world) => {
  world.jump = { saved: null, askedAtMs: nowMs(), answeredAtMs: null }
  await asked(world.jump, 'POST', `${control(trial, world)}/reset`)
}

const saveAs = async (trial: Trial, world: World, name: string) => {
  const before = await asked({ askedAtMs: 0, answeredAtMs: null }, 'GET', `${control(trial, world)}/clock`)
  const saved: Saved = { ...world, leastMs: Date.parse(before.now), askedAtMs: nowMs(), answeredAtMs: null }
  world.saved.set(name, saved)
  await asked(saved, 'POST', `${control(trial, world)}/snapshots`, { name })
}

const save: Act = (trial, world) => saveAs(trial, world, `s${Math.floor(trial.chance() * 1e9)}`)

/** One that lies there from an earlier round; where there is none, one is made. */
const restore: Act = async (trial, world) => {
  const [first, ...more] = world.saved.keys()
  if (first === undefined) return save(trial, world)
  const name = oneOf(trial.chance, [first, ...more])
  const jump: Jump = { saved: world.saved.get(name) ?? null, askedAtMs: nowMs(), answeredAtMs: null }
  world.jump = jump
  await asked(jump, 'POST', `${control(trial, world)}/snapshots/${name}/restore`)
}

const forget: Act = async (trial, world) => {
  const [name] = world.saved.keys()
  if (name === undefined) return save(trial, world)
  world.saved.delete(name)
  await asked({ askedAtMs: 0, answeredAtMs: null }, 'DELETE', `${control(trial, world)}/snapshots/${name}`)
}

const advance: Act = async (trial, world) => {
  const by = oneOf(trial.chance, ['1s', '10m', '2h'])
  world.isAhead = true
  const { now } = await asked({ askedAtMs: 0, answeredAtMs: null }, 'POST', `${control(trial, world)}/clock/advance`, {
    by,
  })
  world.clockMs = Math.max(world.clockMs, Date.parse(now))
}

const names = ['w0', 'w1', 'w2'] as const

/** Makes one where there is none of a name, else drops it. */
const makeOrDrop: Act = async (trial) => {
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
    known.isGoing = true
    await asked(asking, 'DELETE', `${url}/${name}`)
    worlds.delete(name)
  }
  unsure.delete(name)
}

/** Large rows, until the log is written over into the file. */
const checkpoint: Act = async (trial, world) => {
  const before = statSync(trial.file).mtimeMs
  const text = 'x'.repeat(250)
  const steps = Array.from({ length: 200 }, () => ({ 'cashin.pay': { payer: { name: text } } }))
  let isOver = false
  const write = async () => {
    const asking = { askedAtMs: 0, answeredAtMs: null }
    while (!isOver) await asked(asking, 'POST', `${control(trial, world)}/scenarios`, { name: 'large', steps })
  }
  const writer = write().finally(() => {
    isOver = true
  })
  const until = nowMs() + 3000
  const looking = async () => {
    while (!isOver && statSync(trial.file).mtimeMs === before && nowMs() < until) await new Promise(setImmediate)
    isOver = true
    trial.program.child.kill('SIGKILL')
  }
  await Promise.all([writer, looking()])
}

/** Ended in good order, and killed before that is done. */
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

export const moments: readonly [Moment, ...Moment[]] = [
  { name: 'load' },
  { name: 'start', end: killWhileStarting },
  { name: 'close', end: killWhileClosing },
  { name: 'checkpoint', world: 'default', act: checkpoint, atEnd: true },
  { name: 'reset', act: reset },
  { name: 'restore', act: restore },
  { name: 'after a restore', act: restore, atEnd: true },
  { name: 'save', act: save },
  { name: 'after a save', act: save, atEnd: true },
  { name: 'forget', act: forget },
  { name: 'advance', act: advance },
  { name: 'workspaces', act: makeOrDrop },
  { name: 'after workspaces', act: makeOrDrop, atEnd: true },
]
