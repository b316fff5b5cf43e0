/** Repeats a recording in a fresh sandbox, entry by entry, and compares both sides. */
import { lowerCaseWebhookHeaders, signatureWindowMs } from '../../../inside/platform.js'
import {
  exactDuration,
  type Fields,
  fieldsIn,
  isoUtc,
  minuteMs,
  parseMoment,
  secondMs,
} from '../../../inside/values.js'
import { statusOf } from '../../../inside/workspace.js'
import { type Entry, isCall, type RecordedCall, type Recording } from '../har/recording.js'
import { Answers } from '../judge/answers.js'
import { durationText } from '../judge/calibrate.js'
import { Events } from '../judge/events.js'
import type { Findings } from '../judge/findings.js'
import { plainDifference } from '../judge/headers.js'
import { Balances } from './balances.js'
import { causes, observedIn, subjectField } from './causes.js'
import { KnownPairs } from './known-pairs.js'
import { Outside } from './outside.js'
import { firstOffsetMs, nextStatedMs, PlatformClock, RecordedEnd, sentMsIn, skewMsOf, statedMsIn } from './pace.js'
import { bodyOf, RecordedEvents } from './recorded-events.js'
import { Requests } from './requests.js'
import type { Scratch } from './scratch.js'

const interruptedBalances = 'balances are not compared, because a withdrawal was interrupted'

/** Clocks that differ are one cause, and the comparison corrects it. */
function reportSkew(skewMs: number, first: Entry, findings: Findings): void {
  if (Math.abs(skewMs) <= signatureWindowMs) return
  const text = `${exactDuration(Math.round(Math.abs(skewMs) / secondMs) * secondMs)} ${skewMs > 0 ? 'ahead of' : 'behind'}`
  const about = `The clock of the platform is ${text} the clock of the recorder. The comparison corrects this; check the recorder's clock.`
  const [platform, sandbox] = [first.startedMs + skewMs, first.startedMs].map((ms) => isoUtc(ms))
  const call = isCall(first)
    ? `${first.method} ${first.path}`
    : (first.headers.get(lowerCaseWebhookHeaders.event) ?? '')
  findings.unexplained(about, { exchange: first.number, call, path: 'headers.Date', platform, sandbox })
}

export async function replay(
  scratch: Scratch,
  { entries: arrived, isInterrupted, resumedMs, endMs }: Recording,
  findings: Findings,
): Promise<{ exchanges: number; webhooks: number }> {
  const bodies = new Map(arrived.map((one) => [one, bodyOf((isCall(one) ? one.responseBody : one.body) ?? '')]))
  const skewMs = skewMsOf(arrived)
  const hooks = new RecordedEvents(arrived.filter((entry) => !isCall(entry)))
  const offsetMs = firstOffsetMs(arrived, bodies) ?? skewMs
  const entries = inOrderOfChanges(arrived, bodies, hooks, offsetMs)
  const calls = entries.filter(isCall)
  const pairs = new KnownPairs()
  const hasWebhooks = hooks.all().length > 0
  const balances = new Balances(scratch, hasWebhooks)
  const outside = new Outside(scratch, pairs, hooks)
  const clock = new PlatformClock(skewMs, offsetMs, nextStatedMs(entries, bodies))
  const sides = { scratch, pairs, balances, outside, findings }
  const end = new RecordedEnd(endMs, calls, bodies)
  const events = new Events({ ...sides, clock, settleMs: scratch.ws.config.cashoutSettleMs, end }, hasWebhooks)
  const hookUrl = hooks.all()[0]?.attempts[0].url.href ?? null
  if (isInterrupted) {
    balances.stopped = interruptedBalances
    findings.notes.add(interruptedBalances)
  }
  const answers = new Answers({ ...sides, requests: new Requests(scratch, pairs), hookUrl })
  const [first] = entries
  if (first === undefined) return { exchanges: 0, webhooks: 0 }
  reportSkew(clock.skewMs, first, findings)
  await scratch.startAt(clock.advanceTo(first, statedMsIn(bodies.get(first))))
  const partsMs = [...resumedMs]
  for (const entry of entries) {
    const body = bodies.get(entry) ?? null
    for (; entry.startedMs >= (partsMs[0] ?? Number.POSITIVE_INFINITY); partsMs.shift()) outside.beginPart()
    if (isCall(entry)) {
      const moment = clock.advanceTo(entry, statedMsIn(body))
      checkExpiry(entry, body, moment, outside, answers)
      // A reply changes the status without an action.
      const problems = entry.endpoint === 'infractionReply' ? [] : await outside.reproduceStatuses(body, moment)
      for (const { id, why } of problems)
        findings.unexplained(`The status of an object in a response cannot be explained: ${why}.`, {
          ...{ exchange: entry.number, call: answers.nameOf(entry), path: 'data.status', platform: id },
        })
      events.collect(entry.number)
      scratch.setClock(Math.max(moment, scratch.nowMs()), entry.startedMs + clock.skewMs)
      await answers.compare(entry, body)
      if (balances.stopped !== null && entry.endpoint === 'balance' && entry.status < 400 && balances.hasMoved)
        findings.leaveOut(entry.number, balances.stopped)
      events.collect(entry.number)
      clock.setFrom(entry, sentMsIn(body))
    } else {
      const hook = hooks.startingAt(entry)
      if (hook === undefined) continue
      const moment = clock.advanceTo(entry, statedMsIn(body))
      scratch.setClock(Math.max(moment, scratch.nowMs()))
      await events.compare(hook)
    }
  }
  events.finish(arrived.at(-1) ?? first)
  return { exchanges: calls.length, webhooks: hooks.all().length }
}

/** Reports a charge that has expired on one side and can still be paid on the other. */
function checkExpiry(entry: RecordedCall, body: unknown, atMs: number, outside: Outside, answers: Answers): void {
  const { items } = fieldsIn(fieldsIn(body).data)
  for (const item of Array.isArray(items) ? items.map(fieldsIn) : []) {
    if (typeof item.transaction_id !== 'string') continue
    const subject = outside.find(item.transaction_id)
    if (subject === undefined) continue
    const [expiryMs, scene] = [outside.expiryMs(subject), answers.sceneOf(entry, item)]
    if (item.status === 'pending' && expiryMs !== null && expiryMs <= atMs - minuteMs)
      answers.add(plainDifference('expiry', ['never', 'expired']), scene)
    if (item.status === 'expired' && expiryMs === null && statusOf(subject) === 'pending')
      answers.add(plainDifference('expiry', [lifeOf(item), 'never']), scene)
  }
}

/** The time from the creation of an expired charge to its last change. */
function lifeOf({ created_at: created, updated_at: updated }: Fields): string {
  const [fromMs, toMs] = [parseMoment(String(created)), parseMoment(String(updated))]
  return fromMs === null || toMs === null ? 'expired' : durationText(Math.round((toMs - fromMs) / secondMs) * secondMs)
}

/** A webhook that says an earlier time has a wrong time, such as one of another zone. */
const mostLateMs = 20 * minuteMs

/** `offsetMs` is how far the platform's business time is ahead of the recorder's clock at first. */
function inOrderOfChanges(
  entries: readonly Entry[],
  bodies: ReadonlyMap<Entry, Fields | null>,
  hooks: RecordedEvents,
  offsetMs: number,
): Entry[] {
  const placed: { entry: Entry; atMs: number }[] = []
  for (const entry of entries) {
    const body = bodies.get(entry) ?? null
    const saidMs = statedMsIn(body)
    const arrivedMs = entry.startedMs + offsetMs
    const atMs = saidMs ?? arrivedMs
    const sentMs = isCall(entry) ? sentMsIn(body) : null
    if (sentMs !== null) offsetMs = sentMs - entry.startedMs
    let at = placed.length
    const seesEarlier =
      isCall(entry) || arrivedMs - atMs > mostLateMs ? () => true : seesUnchanged(entry, hooks, bodies)
    for (let before = placed[at - 1]; before !== undefined && before.atMs > atMs; before = placed[at - 1]) {
      if (seesEarlier(before.entry)) break
      at--
    }
    placed.splice(at, 0, { entry, atMs })
  }
  return placed.map(({ entry }) => entry)
}

/** Whether an entry shows the object of a webhook before its change. Changes that a call makes stay after that call. */
function seesUnchanged(
  hook: Entry,
  hooks: RecordedEvents,
  bodies: ReadonlyMap<Entry, Fields | null>,
): (entry: Entry) => boolean {
  const { event, data } = hooks.startingAt(hook) ?? { event: null, data: {} }
  if (event === null || event === 'chargeback.responded') return () => true
  const row = causes[event]
  if (row === undefined) return (entry) => isCall(entry) && entry.endpoint === event.slice(0, event.indexOf('.'))
  const id = data.infraction_id ?? data[subjectField(event)]
  const status = data.status ?? event.slice(event.indexOf('.') + 1)
  return (entry) => isCall(entry) && observedIn(bodies.get(entry)).some((one) => one.id === id && one.status !== status)
}
