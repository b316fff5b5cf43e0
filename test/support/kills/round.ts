/** One round: load on some workspaces, a kill at a random moment, the next start, and a check of everything. */
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
  /** The time from the start of the program until it is ready. */
  readyMs: number
  /** The time from ready until the first webhook; null if no webhook was due. */
  resumedMs: number | null
  faults: string[]
}

/** The errors of calls that come too late after an advance of the clock. */
const tooLateCodes = ['TOKEN_EXPIRED', 'INVALID_TRANSITION']

/** The times that works took. The kill comes within the usual one or a little later. */
const tookMs = new Map<string, number>()
const usualMs = ({ name, usualMs = 60 }: Moment) => tookMs.get(name) ?? usualMs

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
  const isUndone = all.some(({ jump, isDeleting }) => jump !== null || isDeleting)
  // Taken before the events are read, so that they contain every received webhook.
  const received = posts.all.splice(0)
  faults.push(...(await workspaceFaults(trial)))
  for (const world of worlds.values()) faults.push(...(await inspect(world, trial.program.url)))
  const known = new Set([...worlds.values()].flatMap(({ eventIds }) => eventIds))
  const strangers = received.filter(({ headers }) => !known.has(String(headers['x-webhook-id'])))
  if (!isUndone)
    faults.push(
      ...strangers.map(({ headers, body }) => `${headers['x-webhook-id']} was sent, but no such event exists: ${body}`),
    )
  return { moment: moment.name, readyMs: trial.startMs, resumedMs, faults }
}

/** Runs load and the moment's work until the program is dead. Returns unexpected errors. */
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
        ({ code }) => world.jump !== null || world.isDeleting || (world.isAhead && tooLateCodes.includes(code)),
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
    () => void tookMs.set(moment.name, 0.7 * usualMs(moment) + 0.3 * (nowMs() - fromMs)),
    reported,
  )
  if (moment.atEnd) await acting
  else if (moment.act !== undefined) await pause(chance() * 1.4 * usualMs(moment))
  await (moment.end?.(trial) ?? program.stop('SIGKILL'))
  await Promise.all([running, acting])
  return faults
}

const errorsOf = ({ program }: Trial) => {
  const output = withoutProgress(program.errors())
  return output === '' ? [] : [`error output: ${output.slice(0, 1000)}`]
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

/** Checks that created workspaces exist and deleted ones do not, and that a free name can be used. */
async function workspaceFaults({ program, worlds, unsure }: Trial): Promise<string[]> {
  const { body } = await send('GET', `${program.url}/_sandbox/workspaces`)
  const existing: string[] = body.data.map(({ name }: { name: string }) => name)
  const faults: string[] = []
  for (const name of existing) if (!worlds.has(name)) faults.push(`the workspace ${name} was deleted but exists`)
  for (const [name, world] of worlds) {
    if (existing.includes(name)) {
      // An interrupted deletion may have deleted the snapshots.
      if (world.isDeleting) world.saved.clear()
      world.isDeleting = false
      continue
    }
    if (!unsure.has(name)) faults.push(`the workspace ${name} is lost`)
    worlds.set(name, newWorld(name))
    const answer = await send('POST', `${program.url}/_sandbox/workspaces`, { name })
    if (answer.status !== 200) faults.push(`the free name ${name} cannot be used: ${JSON.stringify(answer.body)}`)
  }
  unsure.clear()
  return faults
}
