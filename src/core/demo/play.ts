/** Plays a month through: the clock advances from one thing that happens to the next, and everything is done as the API and the actions do it. */
import { dayMs, hourMs } from '../../base/duration.js'
import { isoUtc } from '../../base/iso.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { newUuid } from '../../protocol/rails/uuid.js'
import { credentialsOf, listAccounts, updateCredential } from '../auth/account.js'
import { advanceClock, type Caller } from '../clock/advances.js'
import { makeObject } from '../endpoints/make.js'
import { withUsual } from '../endpoints/usual.js'
import { subjectId } from '../operations/transactions.js'
import { trigger } from '../operations/trigger.js'
import type { Unit } from '../unit/unit.js'
import type { Workspace } from '../unit/workspace.js'
import { chanceFrom } from './chance.js'
import { dayOf, type Happening } from './month.js'

export interface Played {
  from: string
  to: string
  /** What was done, and what the rules of the platform did not allow just then. */
  happened: number
  refused: number
}

export interface PlayOptions {
  days: number
  /** Where webhooks go that have no address yet. */
  postbackUrl: string
}

interface Due {
  atMs: number
  happening: Happening
  /** What it follows from. */
  id: string | null
}

/** Advances business time by `days`. A caller who leaves cancels it; what has already happened is kept. */
export async function playMonth(
  ws: Workspace,
  { days, postbackUrl }: PlayOptions,
  whenGone?: Caller['whenGone'],
): Promise<Played> {
  const { memory } = ws
  const fromMs = ws.clock.now()
  const seed = await ws.unit((unit) => {
    giveAddresses(unit, postbackUrl)
    return newUuid(unit.ids.draw('demo'))
  })
  const agenda = agendaOf(seed, fromMs, days)
  const counts = { happened: 0, refused: 0 }
  const endMs = fromMs + days * dayMs
  let isGone = false
  const stopWatching = whenGone?.(() => {
    isGone = true
  })
  /** False after a reset, a restore or a cancellation: there is nothing to go on with. */
  const advanceTo = async (atMs: number): Promise<boolean> => {
    const target = (nowMs: number) => ({ toMs: Math.max(atMs, nowMs) })
    const isThere = atMs <= ws.clock.now() || (await advanceClock(ws, target, { waitMs: null, whenGone })).isComplete
    return isThere && !isGone && !ws.closed && ws.memory === memory
  }
  let goesOn = true
  for (let due = agenda.shift(); due !== undefined && due.atMs <= endMs; due = agenda.shift()) {
    const { atMs, happening, id } = due
    goesOn = await advanceTo(atMs)
    if (!goesOn) break
    const made = await ws.unit((unit) => attempt(unit, happening, id))
    if (made === null) {
      counts.refused++
      continue
    }
    counts.happened++
    for (const next of happening.followUps) insert(agenda, { atMs: atMs + next.afterMs, happening: next, id: made })
  }
  if (goesOn) await advanceTo(endMs)
  stopWatching?.()
  return { from: isoUtc(fromMs), to: isoUtc(ws.clock.now()), ...counts }
}

function giveAddresses(unit: Unit, postbackUrl: string): void {
  for (const account of listAccounts(unit.db))
    for (const credential of credentialsOf(unit.db, account.seq))
      if (credential.postbackUrl === null && unit.config.webhookUrl === null)
        updateCredential(unit, credential.seq, { postbackUrl })
}

/** What nothing else leads to, in order. */
function agendaOf(seed: string, fromMs: number, days: number): Due[] {
  const chance = chanceFrom(seed)
  const whole = Array.from({ length: days }, (_, day) =>
    dayOf(day, chance).map((happening) => ({
      atMs: fromMs + day * dayMs + hourMs + happening.afterMs,
      happening,
      id: null,
    })),
  )
  return whole.flat().sort((one, other) => one.atMs - other.atMs)
}

function insert(agenda: Due[], due: Due): void {
  const at = agenda.findIndex((one) => one.atMs > due.atMs)
  agenda.splice(at === -1 ? agenda.length : at, 0, due)
}

/** The id of what it was done to; null where it was refused: a balance that does not suffice, say. */
function attempt(unit: Unit, happening: Happening, id: string | null): string | null {
  try {
    return unit.attempt(() => play(unit, happening, id))
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return null
    throw error
  }
}

function play(unit: Unit, { does }: Happening, id: string | null): string {
  if ('action' in does) return subjectId(trigger(unit, does.action, id ?? undefined, does.params).subject)
  const [first, second] = listAccounts(unit.db)
  const account = does.account === 'other' ? (second ?? first) : first
  if (account === undefined) throw new ApiError('NOT_FOUND', { object: 'account' })
  const fields = withUsual(unit, account, does.create, does.fields)
  return makeObject(unit, account, does.create, fields, () => newUuid(unit.ids.draw('external-id'))).id
}
