/** Repeats a recording in a fresh sandbox, entry by entry, and compares both sides. */
import { minuteMs } from '../../base/duration.js'
import { fieldsIn } from '../../base/unknown.js'
import type { Findings } from '../core/findings.js'
import { Learned } from '../core/learned.js'
import { Outside } from '../core/outside.js'
import type { Scratch } from '../core/scratch.js'
import { Answers } from './answers.js'
import { Events } from './events.js'
import { isCall, type RecordedCall, type Recording } from './har/recording.js'
import { plainDifference } from './headers.js'
import { bodyOf, Hooks } from './hooks.js'
import { Pace } from './pace.js'
import { Requests } from './requests.js'

export interface Replayed {
  exchanges: number
  webhooks: number
}

const timeIn = (body: unknown): unknown => {
  const { timestamp, meta } = fieldsIn(body)
  return timestamp ?? fieldsIn(meta).timestamp
}

export async function replay(scratch: Scratch, { entries }: Recording, findings: Findings): Promise<Replayed> {
  const calls = entries.filter(isCall)
  const hooks = new Hooks(entries.filter((entry) => !isCall(entry)))
  const learned = new Learned()
  const outside = new Outside(scratch, learned, hooks.find)
  const pace = new Pace()
  const events = new Events(
    { scratch, learned, outside, findings, pace, settleMs: scratch.ws.config.cashoutSettleMs },
    hooks.all().length > 0,
  )
  const answers = new Answers({ scratch, learned, outside, findings, requests: new Requests(scratch, learned) })
  const [first] = entries
  if (first === undefined) return { exchanges: 0, webhooks: 0 }
  const bodies = new Map(entries.map((entry) => [entry, bodyOf((isCall(entry) ? entry.answer : entry.body) ?? '')]))
  await scratch.begin(pace.next(first, timeIn(bodies.get(first))))
  for (const entry of entries) {
    const body = bodies.get(entry) ?? null
    const atMs = () => pace.next(entry, timeIn(body))
    if (isCall(entry)) {
      const moment = atMs()
      // A reply changes the status without an action.
      if (entry.endpoint !== 'infractionReply')
        await outside.followStatuses(body, moment, (id, why) =>
          findings.unexplained(`The status of an object in a response cannot be explained: ${why}.`, {
            ...{
              exchange: entry.number,
              call: answers.nameOf(entry),
              path: 'data.status',
              platform: id,
              sandbox: null,
            },
          }),
        )
      events.collect(entry.number)
      checkExpiry(entry, body, moment, { outside, findings, answers })
      scratch.setClock(Math.max(moment, scratch.nowMs()), entry.startedMs)
      await answers.compare(entry, body)
      events.collect(entry.number)
      pace.learn(entry, timeIn(body))
    } else {
      const hook = hooks.startingAt(entry)
      if (hook === undefined) continue
      scratch.setClock(Math.max(atMs(), scratch.nowMs()), entry.startedMs)
      await events.compare(hook)
    }
  }
  events.finish(entries.at(-1)?.number ?? 0)
  return { exchanges: calls.length, webhooks: hooks.all().length }
}

interface Parts {
  outside: Outside
  findings: Findings
  answers: Answers
}

/** Reports a charge that can still be paid on the platform but has expired in the sandbox. */
function checkExpiry(entry: RecordedCall, body: unknown, atMs: number, { outside, findings, answers }: Parts): void {
  const { items } = fieldsIn(fieldsIn(body).data)
  for (const item of Array.isArray(items) ? items.map(fieldsIn) : []) {
    if (item.status !== 'pending' || typeof item.transaction_id !== 'string') continue
    const subject = outside.find(item.transaction_id)
    const expiryMs = subject === undefined ? null : outside.expiryMs(subject)
    if (expiryMs === null || expiryMs > atMs - minuteMs) continue
    findings.add(plainDifference('expiry', ['pending', 'expired']), answers.sceneOf(entry, item))
  }
}
