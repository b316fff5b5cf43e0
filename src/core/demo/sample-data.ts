/** Sample data: the plan of a month, played through the code of the API and the actions. */
import { dayMs } from '../../base/duration.js'
import { isoUtc } from '../../base/iso.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { newUuid } from '../../protocol/rails/pix-key.js'
import { listAccounts, updateCredential } from '../auth/account.js'
import { credentialsOf } from '../auth/authenticate.js'
import { advanceClock, type Caller } from '../clock/advance.js'
import { createObject, withDefaultFields } from '../endpoints/create-object.js'
import { subjectId } from '../operations/transition.js'
import { trigger } from '../operations/trigger.js'
import type { Unit, Workspace } from '../unit/unit.js'
import { setInboxResponses } from '../webhooks/inbox.js'
import { type DueStep, type PlannedCall, type PlannedStep, planMonth } from './plan.js'

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
  /** The address of an inbox of the sandbox. */
  inboxUrl(name: string): string
  /** Makes a call as the first active credential; returns the id of the object in its answer, if any. */
  makeCall(call: PlannedCall): Promise<string | null>
}

/** An inbox that answers like a receiver that accepts no signature. */
const refusingInbox = 'answers-401'

/** Advances business time by `days`. Disconnecting cancels it; the changes until then are kept. */
export async function playMonth(
  ws: Workspace,
  { days, postbackUrl, inboxUrl, makeCall }: PlayOptions,
  whenGone?: Caller['onDisconnect'],
): Promise<PlayResult> {
  const { memory } = ws
  const fromMs = ws.clock.now()
  const seed = await ws.unit((unit) => {
    setMissingPostbackUrls(unit, postbackUrl)
    setInboxResponses(unit, refusingInbox, [{ status: 401, delayMs: 0 }])
    return newUuid(unit.ids.draw('demo'))
  })
  const agenda = planMonth(seed, fromMs, days, inboxUrl(refusingInbox))
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
    const { operation } = happening
    const isCall = 'call' in operation
    const result = isCall ? await makeCall(operation) : await ws.unit((unit) => attempt(unit, operation, id))
    counts[result === null && !isCall ? 'refused' : 'happened']++
    if (result === null) continue
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

function insert(agenda: DueStep[], due: DueStep): void {
  const at = agenda.findIndex((one) => one.atMs > due.atMs)
  agenda.splice(at === -1 ? agenda.length : at, 0, due)
}

type Operation = Exclude<PlannedStep['operation'], PlannedCall>

/** Returns the id of the step's object, or null if the step was rejected, for example for lack of balance. */
function attempt(unit: Unit, operation: Operation, id: string | null): string | null {
  try {
    return unit.attempt(() => play(unit, operation, id))
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return null
    throw error
  }
}

function play(unit: Unit, does: Operation, id: string | null): string {
  if ('action' in does) return subjectId(trigger(unit, does.action, id ?? undefined, does.params).subject)
  const [first, second] = listAccounts(unit.db)
  const account = does.account === 'other' ? (second ?? first) : first
  if (account === undefined) throw new ApiError('NOT_FOUND', { object: 'account' })
  const fields = withDefaultFields(unit, account, does.create, does.fields)
  return createObject(unit, account, does.create, fields, () => newUuid(unit.ids.draw('external-id'))).id
}
