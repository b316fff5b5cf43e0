/** One round: load on some workspaces, a moment, the kill, the next start, and a look at everything. */
import { setTimeout as pause } from 'node:timers/promises'
import { oneOf } from '../chance.js'
import { send } from '../http.js'
import { startProgram, withoutProgress } from '../program.js'
import type { Receiver } from '../receiver.js'
import { callersOf, nowMs } from './calls.js'
import { type Moment, moments, type Trial } from './moments.js'
import { baseOf, inspect, newWorld, type World } from './world.js'

export interface Round {
  moment: string
  /** From the call of the program until it says that it is ready. */
  readyMs: number
  /** From ready until the first webhook, where one was overdue. */
  resumedMs: number | null
  faults: string[]
}

/** How a call is refused that time has overtaken. */
const overtaken = ['TOKEN_EXPIRED', 'INVALID_TRANSITION']

/** How long each moment takes, about: it is killed at any time within, and a little after. */
const usualMs = new Map<string, number>()

export async function playRound(trial: Trial, posts: Receiver): Promise<Round> {
  const { chance, worlds } = trial
  const moment = oneOf(chance, moments)
  const all = [...worlds.values()] as [World, ...World[]]
  const target = moment.world === undefined ? oneOf(chance, all) : all[0]
  const loaded = new Set([all[0], target, oneOf(chance, all)])
  const faults = await underLoad(trial, moment, target, loaded)
  faults.push(...errorsOf(trial))
  const startedMs = nowMs()
  trial.program = await startProgram(trial.args)
  const readyAtMs = nowMs()
  trial.startMs = readyAtMs - startedMs
  const resumedMs = await resumedAfter(trial, posts, readyAtMs)
  const isUndone = all.some(({ jump, isGoing }) => jump !== null || isGoing)
  // Before the look at the events, so that whatever came stands among them.
  const came = posts.all.splice(0)
  faults.push(...(await missing(trial)))
  for (const world of worlds.values()) faults.push(...(await inspect(world, trial.program.url)))
  const known = new Set([...worlds.values()].flatMap(({ eventIds }) => eventIds))
  const strangers = came.filter(({ headers }) => !known.has(String(headers['x-webhook-id'])))
  if (!isUndone)
    faults.push(
      ...strangers.map(({ headers, body }) => `${headers['x-webhook-id']} was sent, and is not known: ${body}`),
    )
  return { moment: moment.name, readyMs: trial.startMs, resumedMs, faults }
}

/** What it does until it is dead, and what it said that it should not have. */
async function underLoad(trial: Trial, moment: Moment, target: World, loaded: Set<World>): Promise<string[]> {
  const { chance, program } = trial
  const faults: string[] = []
  const reported = (error: Error) => {
    if (!/fetch failed|terminated|closed|ECONN/.test(error.message)) faults.push(error.message)
  }
  let isOver = false
  const running = Promise.all(
    [...loaded].map((world) =>
      callersOf(baseOf(world, program.url), chance, world.calls).run(
        4,
        () => isOver,
        ({ code }) => world.jump !== null || world.isGoing || (world.isAhead && overtaken.includes(code)),
      ),
    ),
  ).catch(reported)
  await pause(chance() * 500)
  if (chance() < 0.4) {
    isOver = true
    await running
  }
  const fromMs = nowMs()
  const acting = (moment.act?.(trial, target) ?? Promise.resolve()).then(
    () => void usualMs.set(moment.name, 0.7 * (usualMs.get(moment.name) ?? 60) + 0.3 * (nowMs() - fromMs)),
    reported,
  )
  if (moment.atEnd) await acting
  else if (moment.act !== undefined) await pause(chance() * 1.4 * (usualMs.get(moment.name) ?? 60))
  await (moment.end?.(trial) ?? program.stop('SIGKILL'))
  await Promise.all([running, acting])
  return faults
}

const errorsOf = ({ program }: Trial) => {
  const said = withoutProgress(program.errors())
  return said === '' ? [] : [`it said: ${said.slice(0, 1000)}`]
}

async function resumedAfter({ program }: Trial, posts: Receiver, readyAtMs: number): Promise<number | null> {
  const firstAtMs = () => posts.all.find(({ atMs }) => atMs >= readyAtMs)?.atMs
  const { body } = await send('GET', `${program.url}/_sandbox/webhooks?status=pending&limit=500`)
  const { now } = (await send('GET', `${program.url}/_sandbox/clock`)).body
  const isOverdue = body.data.some((event: { next_attempt_at: string }) => event.next_attempt_at <= now)
  if (!isOverdue && firstAtMs() === undefined) return null
  while (firstAtMs() === undefined && nowMs() < readyAtMs + 60_000) await pause(2)
  return (firstAtMs() ?? Number.POSITIVE_INFINITY) - readyAtMs
}

/** Workspaces that were acknowledged are there, those that were dropped are not; a name that is free can be taken. */
async function missing({ program, worlds, unsure }: Trial): Promise<string[]> {
  const { body } = await send('GET', `${program.url}/_sandbox/workspaces`)
  const there: string[] = body.data.map(({ name }: { name: string }) => name)
  const faults: string[] = []
  for (const name of there) if (!worlds.has(name)) faults.push(`the workspace ${name} was dropped, and is there`)
  for (const [name, world] of worlds) {
    if (there.includes(name)) {
      // Dropped halfway, it may have lost its snapshots.
      if (world.isGoing) world.saved.clear()
      world.isGoing = false
      continue
    }
    if (!unsure.has(name)) faults.push(`the workspace ${name} is lost`)
    worlds.set(name, newWorld(name))
    const made = await send('POST', `${program.url}/_sandbox/workspaces`, { name })
    if (made.status !== 200) faults.push(`the name ${name} cannot be taken: ${JSON.stringify(made.body)}`)
  }
  unsure.clear()
  return faults
}
