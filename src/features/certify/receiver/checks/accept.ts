/** Checks that correct events are accepted, however their body is written. */

import { fieldsIn } from '../../../../inside/values.js'
import type { SplitBody } from '../../../../inside/workspace.js'
import { type Check, type CheckContext, describeResponse, type Finding, fail, pass } from '../check-context.js'
import type { TestEvent } from '../test-events.js'
import { findKnownMistake, withSpaces } from './known-mistakes.js'

export const signed: Check = async (context) => {
  const event = await context.testEvents.payCharge()
  const { accepted, last } = await context.sender.deliver(event)
  if (accepted) return pass(`${describeResponse(last)} in ${Math.round(last.result.durationMs)} ms`)
  const { status, outcome } = last.result
  // A receiver may also crash over what it reads wrongly.
  const mistake = status === null && outcome !== 'reset' ? undefined : await findKnownMistake(context)
  const isRedirect = status !== null && status >= 300 && status < 400
  const more = mistake?.observed ?? (isRedirect ? 'redirects are not followed' : '')
  const finding = fail(`${describeResponse(last)}${more === '' ? '' : `; ${more}`}`, last)
  return mistake?.fix === undefined ? finding : { ...finding, fix: mistake.fix }
}

export const rawBody: Check = async (context) => {
  const { sender, testEvents } = context
  for (const [what, write, isCut] of writings) {
    const event = await testEvents.payCharge({ payer: { name: 'João “Zé” 💸 Ñandú', document: '52998224725' } })
    const body = write(event.body)
    const options = isCut === true ? { parting: cutInTwo(body) } : {}
    const { accepted, last } = await sender.deliver(testEvents.withBody(event, body), options)
    if (!accepted) return fail(`a correctly signed body with ${what}: ${describeResponse(last)}`, last)
  }
  return pass(`${writings.length} formats of the body were accepted`)
}

/** Cuts the body inside its first multi-byte character. The pause makes the two pieces arrive separately. */
function cutInTwo(body: string): SplitBody {
  const before = body.slice(
    0,
    [...body].findIndex((letter) => letter > '\u007f'),
  )
  return { atByte: new TextEncoder().encode(before).length + 1, pauseMs: 100, end: 'rest' }
}

const reversed = (value: unknown): unknown =>
  value === null || typeof value !== 'object' || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, item]) => [key, reversed(item)]),
      )

const writings: [what: string, write: (body: string) => string, isCut?: true][] = [
  ['line breaks and indentation', (body) => JSON.stringify(JSON.parse(body), null, 2)],
  ['spaces after colons and commas', withSpaces],
  ['a line break at its end', (body) => `${body}\n`],
  ['the keys in another order', (body) => JSON.stringify(reversed(JSON.parse(body)))],
  [
    'letters escaped (\\u00e3, \\/)',
    (body) =>
      body
        .replace(/[^\u0020-\u007e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .replaceAll('/', '\\/'),
  ],
  ['non-ASCII characters, split between two packets', (body) => body, true],
]

export const moreFields: Check = async (context) => {
  const event = await context.testEvents.payCharge()
  const envelope = fieldsIn(JSON.parse(event.body))
  const body = JSON.stringify({
    ...envelope,
    data: { ...event.data, risk_score: 0.12, tags: ['new'], settlement: { batch: 7 } },
    schema: 'v2.1',
    links: null,
  })
  return accepted(context, context.testEvents.withBody(event, body), 'an event with additional fields')
}

export const unknownEvent: Check = (context) =>
  accepted(
    context,
    context.testEvents.createEvent('settlement.batched', 'batch_7', { batch_id: 'batch_7', status: 'closed' }),
    'settlement.batched',
  )

async function accepted(context: CheckContext, event: TestEvent, what: string): Promise<Finding> {
  const delivery = await context.sender.deliver(event)
  return delivery.accepted
    ? pass(describeResponse(delivery.last))
    : fail(`${what}: ${describeResponse(delivery.last)}`, delivery.last)
}
