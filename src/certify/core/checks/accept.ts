/** Checks that correct events are accepted, however their body is written. */

import { hmacHex } from '../../../base/crypto.js'
import { fieldsIn } from '../../../base/unknown.js'
import { credentialForEvents, requireAccount } from '../../../core/auth/account.js'
import { demoCredential } from '../../../core/auth/demo-secrets.js'
import type { SplitBody } from '../../../core/unit/send-port.js'
import { webhookHeaders } from '../../../protocol/platform/headers.js'
import { type Check, type CheckContext, describeResponse, type Finding, fail, pass } from '../check-context.js'
import { type AttemptOptions, base64OfHex, isOk } from '../event-sender.js'
import { merchant, type TestEvent } from '../test-events.js'

export const signed: Check = async (context) => {
  const event = await context.testEvents.payCharge()
  const { accepted, last } = await context.sender.deliver(event)
  if (accepted) return pass(`${describeResponse(last)} in ${Math.round(last.result.durationMs)} ms`)
  const hint = last.result.status === null || last.result.status >= 500 ? null : await findKnownMistake(context)
  const isRedirect = last.result.status !== null && last.result.status >= 300 && last.result.status < 400
  const more = hint ?? (isRedirect ? 'redirects are not followed; use the address to which it redirects' : null)
  return fail(`${describeResponse(last)}${more === null ? '' : `; ${more}`}`, last)
}

/** Looks for known mistakes: returns which incorrect variant of an event the receiver accepts instead. */
async function findKnownMistake(context: CheckContext): Promise<string | null> {
  const { sender, testEvents, workspace: ws } = context
  const credential = credentialForEvents(ws.db, requireAccount(ws.db, merchant).seq, null)
  const variants: [string, (event: TestEvent, right: string) => AttemptOptions][] = [
    [
      'it accepts the event with a timestamp in milliseconds; §6.1 requires seconds',
      () => ({ timestamp: String(sender.nowSeconds() * 1000) }),
    ],
    [
      `it accepts the event without ${webhookHeaders.sandbox}; certify it in production mode`,
      () => ({ sandbox: false }),
    ],
    ['it accepts the signature as base64; §6.1 requires hex', (_event, right) => ({ signature: base64OfHex(right) })],
    [
      'it accepts the signature with the prefix "sha256="; §6.1 requires hex without a prefix',
      (_event, right) => ({ signature: `sha256=${right}` }),
    ],
    ['it accepts the signature in upper case', (_event, right) => ({ signature: right.toUpperCase() })],
    [
      'it accepts a signature over timestamp and body; §6.1 signs only the body',
      (event) => ({ signature: hmacHex(sender.secret, `${sender.nowSeconds()}.${event.body}`) }),
    ],
    [
      'it accepts a signature over the body with spaces after colons and commas: it parses the body and serializes it again',
      (event) => ({ signature: hmacHex(sender.secret, withSpaces(event.body)) }),
    ],
    [
      'it uses signing_key as the key; webhooks are signed with webhook_secret',
      () => ({ secret: credential?.signingKey ?? '' }),
    ],
    [
      'it uses client_secret as the key; webhooks are signed with webhook_secret',
      () => ({ secret: credential?.clientSecret ?? '' }),
    ],
    [
      'it accepts a signature with the demonstration secret; configure it with the current webhook_secret',
      () => ({ secret: demoCredential(merchant).webhookSecret }),
    ],
    ['it accepts the event without a signature', () => ({ signature: null })],
  ]
  for (const [explanation, optionsOf] of variants) {
    const event = await testEvents.payCharge()
    if (isOk(await sender.send(event, optionsOf(event, hmacHex(sender.secret, event.body))))) return explanation
  }
  return null
}

/** Writes JSON as Python's `json.dumps` does. No string in an event contains these pairs of characters. */
const withSpaces = (body: string): string => body.replaceAll('":', '": ').replaceAll(',"', ', "')

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
