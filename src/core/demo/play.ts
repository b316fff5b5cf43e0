/** Plays the sample month: advances the clock from step to step, through the same code as the API and the actions. */
import { dayMs, hourMs } from '../../base/duration.js'
import { isoUtc } from '../../base/iso.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { newUuid } from '../../protocol/rails/pix-key.js'
import { credentialsOf, listAccounts, updateCredential } from '../auth/account.js'
import { advanceClock, type Caller } from '../clock/advance.js'
import { createObject } from '../endpoints/create-object.js'
import { withDefaultFields } from '../endpoints/default-fields.js'
import { subjectId } from '../operations/transactions.js'
import { trigger } from '../operations/trigger.js'
import type { Unit } from '../unit/unit.js'
import type { Workspace } from '../unit/workspace.js'
import { type PlannedStep, stepsOfDay } from './month.js'
import { seededChoices } from './random-choices.js'

interface PlayResult {
  from: string
  to: string
  /** `happened` counts performed steps, `refused` those that the platform's rules did not allow at the time. */
  happened: number
  refused: number
}

interface PlayOptions {
  days: number
  /** The address for credentials that have none. */
  postbackUrl: string
}

interface DueStep {
  atMs: number
  step: PlannedStep
  /** The object of the step before. */
  id: string | null
}

/** Advances business time by `days`. Disconnecting cancels it; the changes until then are kept. */
export async function playMonth(
  ws: Workspace,
  { days, postbackUrl }: PlayOptions,
  whenGone?: Caller['onDisconnect'],
): Promise<PlayResult> {
  const { memory } = ws
  const fromMs = ws.clock.now()
  const seed = await ws.unit((unit) => {
    setMissingPostbackUrls(unit, postbackUrl)
    return newUuid(unit.ids.draw('demo'))
  })
  const agenda = planMonth(seed, fromMs, days)
  const counts = { happened: 0, refused: 0 }
  const endMs = fromMs + days * dayMs
  let isDisconnected = false
  const stopWatching = whenGone?.(() => {
    isDisconnected = true
  })
  /** Returns false after a reset, a restore or a cancellation: the plan cannot continue. */
  const advanceTo = async (atMs: number): Promise<boolean> => {
    const target = (nowMs: number) => ({ toMs: Math.max(atMs, nowMs) })
    const isThere =
      atMs <= ws.clock.now() || (await advanceClock(ws, target, { waitMs: null, onDisconnect: whenGone })).isComplete
    return isThere && !isDisconnected && !ws.closed && ws.memory === memory
  }
  let canContinue = true
  for (let due = agenda.shift(); due !== undefined && due.atMs <= endMs; due = agenda.shift()) {
    const { atMs, step: happening, id } = due
    canContinue = await advanceTo(atMs)
    if (!canContinue) break
    const result = await ws.unit((unit) => attempt(unit, happening, id))
    if (result === null) {
      counts.refused++
      continue
    }
    counts.happened++
    for (const next of happening.followUps) insert(agenda, { atMs: atMs + next.afterMs, step: next, id: result })
  }
  if (canContinue) await advanceTo(endMs)
  stopWatching?.()
  return { from: isoUtc(fromMs), to: isoUtc(ws.clock.now()), ...counts }
}

function setMissingPostbackUrls(unit: Unit, postbackUrl: string): void {
  for (const account of listAccounts(unit.db))
    for (const credential of credentialsOf(unit.db, account.seq))
      if (credential.postbackUrl === null && unit.config.webhookUrl === null)
        updateCredential(unit, credential.seq, { postbackUrl })
}

/** Returns the steps that follow no other step, in order. */
function planMonth(seed: string, fromMs: number, days: number): DueStep[] {
  const chance = seededChoices(seed)
  const whole = Array.from({ length: days }, (_, day) =>
    stepsOfDay(day, chance).map((happening) => ({
      atMs: fromMs + day * dayMs + hourMs + happening.afterMs,
      step: happening,
      id: null,
    })),
  )
  return whole.flat().sort((one, other) => one.atMs - other.atMs)
}

function insert(agenda: DueStep[], due: DueStep): void {
  const at = agenda.findIndex((one) => one.atMs > due.atMs)
  agenda.splice(at === -1 ? agenda.length : at, 0, due)
}

/** Returns the id of the step's object, or null if the step was rejected, for example for lack of balance. */
function attempt(unit: Unit, happening: PlannedStep, id: string | null): string | null {
  try {
    return unit.attempt(() => play(unit, happening, id))
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return null
    throw error
  }
}

function play(unit: Unit, { operation: does }: PlannedStep, id: string | null): string {
  if ('action' in does) return subjectId(trigger(unit, does.action, id ?? undefined, does.params).subject)
  const [first, second] = listAccounts(unit.db)
  const account = does.account === 'other' ? (second ?? first) : first
  if (account === undefined) throw new ApiError('NOT_FOUND', { object: 'account' })
  const fields = withDefaultFields(unit, account, does.create, does.fields)
  return createObject(unit, account, does.create, fields, () => newUuid(unit.ids.draw('external-id'))).id
}
