/** Checks that correct events are accepted, however their body is written, and finds the signing mistake of a receiver that rejects them. */
import { eventNames, webhookHeaders } from '../../../../inside/platform.js'
import { hmacHex } from '../../../../inside/secrets.js'
import { fieldsIn } from '../../../../inside/values.js'
import { demoCredential, type SplitBody } from '../../../../inside/workspace.js'
import { type Finding, fail, notTested, pass } from '../../report/rules.js'
import { appliesNothing, type Check, type CheckContext, describeResponse } from '../check-context.js'
import { type AttemptOptions, base64OfHex, isOk } from '../event-sender.js'
import { receiverRules } from '../rules.js'
import {
  chargeOf,
  merchant,
  merchantCredential,
  payerOf,
  type TestEvent,
  worksOfAllEvents,
  worksOfOtherRails,
} from '../test-events.js'

export async function signed(context: CheckContext): Promise<Finding> {
  const event = await context.testEvents.createPaidCharge()
  const { accepted, last } = await context.sender.deliver(event)
  if (accepted) return pass(`${describeResponse(last)} in ${Math.round(last.result.durationMs)} ms`)
  const { status, outcome } = last.result
  // A receiver may also crash over what it reads wrongly.
  const mistake = status === null && outcome !== 'reset' ? undefined : await findKnownMistake(context)
  const isRedirect = Math.floor((status ?? 0) / 100) === 3
  const more = mistake?.observed ?? (isRedirect ? 'redirects are not followed' : '')
  return fail(`${describeResponse(last)}${more === '' ? '' : `; ${more}`}`, last, mistake?.fix)
}

export const rawBody: Check = async (context) => {
  const { testEvents } = context
  for (const [what, write, isCut] of writings) {
    const event = await testEvents.createPaidCharge({ payer: payerOf('João “Zé” 💸 Ñandú') })
    const body = write(event.body)
    const options = isCut === true ? { parting: cutInTwo(body) } : {}
    await context.deliver({ ...event, body }, `a correctly signed body with ${what}`, options)
  }
  return `${writings.length} formats of the body were accepted`
}

/** Cuts the body inside its first multi-byte character. The pause makes the two pieces arrive separately. */
function cutInTwo(body: string): SplitBody {
  const before = body.slice(
    0,
    [...body].findIndex((letter) => letter > '\u007f'),
  )
  return { atByte: new TextEncoder().encode(before).length + 1, pauseMs: 100, end: 'rest' }
}

/** Writes JSON as Python's `json.dumps` does. No string in an event contains these pairs of characters. */
const withSpaces = (body: string): string => body.replaceAll('":', '": ').replaceAll(',"', ', "')

const reversed = (fields: object) => Object.fromEntries(Object.entries(fields).reverse())
function withReversedKeys(body: string): string {
  const fields = fieldsIn(JSON.parse(body))
  return JSON.stringify(reversed({ ...fields, data: reversed(fieldsIn(fields.data)) }))
}

const writings: [what: string, write: (body: string) => string, isCut?: true][] = [
  ['non-ASCII characters', (body) => body],
  ['line breaks and indentation', (body) => JSON.stringify(JSON.parse(body), null, 2)],
  ['spaces after colons and commas', withSpaces],
  ['a line break at its end', (body) => `${body}\n`],
  ['the keys in another order', withReversedKeys],
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
  const event = await context.testEvents.createPaidCharge()
  const envelope = fieldsIn(JSON.parse(event.body))
  const body = JSON.stringify({
    ...envelope,
    data: { ...event.data, risk_score: 0.12, tags: ['new'], settlement: { batch: 7 } },
    schema: 'v2.1',
    links: null,
  })
  return acceptHarmless(context, { ...event, body }, 'an event with additional fields')
}

export const unknownEvent: Check = async (context) => {
  const data = { batch_id: 'batch_7', status: 'closed' }
  return acceptHarmless(context, context.testEvents.createEvent('settlement.batched', data.batch_id, data))
}

async function acceptHarmless(context: CheckContext, event: TestEvent, what = event.event) {
  const accepted = await context.deliver(event, what)
  const isApplying = (await context.waitForEarlierEvents()) || !context.hasCredited
  return isApplying ? describeResponse(accepted) : appliesNothing(what)
}

export const all: Check = async (context) => {
  const events = await context.testEvents.captureAll(worksOfAllEvents)
  await context.deliverAll(events)
  return `${eventNames.length} accepted`
}

export const rails: Check = async (context) => {
  const { sender, testEvents } = context
  const events = await testEvents.captureAll(worksOfOtherRails)
  for (const event of events) {
    const currency = event.data.currency ?? event.data.currency_from
    await context.deliver(event, `${event.event} in ${String(currency)}, without optional fields`)
  }
  const letter = 'É'
  const [small, large] = await testEvents.captureAll([chargeOf(letter), chargeOf(letter.repeat(255))])
  if (small === undefined || large === undefined) throw new Error('the transaction emitted no event')
  const { accepted } = await sender.deliver(small)
  if (!accepted) return notTested('accept.raw-body', `the receiver rejects ${letter}`)
  const size = new TextEncoder().encode(large.body).length
  const fix = 'Read the whole body, however long it is, before you verify the signature.'
  const sent = await sender.deliver(large)
  if (!sent.accepted)
    return fail(`an event of ${size} bytes, with the longest texts: ${describeResponse(sent.last)}`, sent.last, fix)
  return `${events.length + 1} accepted`
}

interface KnownMistake {
  observed: string
  /** Without it, the fix depends on the response. */
  fix?: string
  options: (signed: Signed) => AttemptOptions
}

interface Signed {
  body: string
  /** The id of the event. */
  id: string
  /** The correct signature. */
  right: string
  secret: string
  nowSeconds: number
  credential: { signingKey: string; clientSecret: string } | undefined
}

const wrongKey = (name: string) => `Use webhook_secret as the key, not ${name}; payments-sandbox env prints both.`

/** Texts that receivers sign instead of the body, often after the example of the API's own signature. */
const signedTexts: readonly [order: string, textOf: (signed: Signed) => string][] = [
  ['timestamp and body (timestamp.body)', ({ nowSeconds, body }) => `${nowSeconds}.${body}`],
  ['timestamp and body without a dot', ({ nowSeconds, body }) => `${nowSeconds}${body}`],
  ['body and timestamp (body.timestamp)', ({ nowSeconds, body }) => `${body}.${nowSeconds}`],
  ['timestamp, event id and body (timestamp.id.body)', ({ nowSeconds, id, body }) => `${nowSeconds}.${id}.${body}`],
  ['event id, timestamp and body (id.timestamp.body)', ({ nowSeconds, id, body }) => `${id}.${nowSeconds}.${body}`],
  ['event id and body (id.body)', ({ id, body }) => `${id}.${body}`],
]

const knownMistakes: readonly KnownMistake[] = [
  {
    observed: 'it accepts the event with a timestamp in milliseconds; §6.1 requires seconds',
    fix: `Compare ${webhookHeaders.timestamp} with the current time in seconds, not in milliseconds.`,
    options: ({ nowSeconds }) => ({ timestamp: String(nowSeconds * 1000) }),
  },
  {
    observed: 'it accepts the event with a timestamp in ISO 8601; §6.1 requires Unix seconds',
    fix: `Read ${webhookHeaders.timestamp} as a number of seconds since 1970, not as a date.`,
    options: ({ nowSeconds }) => ({ timestamp: new Date(nowSeconds * 1000).toISOString() }),
  },
  {
    observed: `it accepts the event without ${webhookHeaders.sandbox}`,
    fix: `The receiver runs in production mode: certify it in this mode, or let it accept ${webhookHeaders.sandbox}: 1 in tests.`,
    options: () => ({ sandbox: false }),
  },
  {
    observed: 'it accepts the signature as base64; §6.1 requires hex',
    fix: 'Compare the header with the HMAC as lower-case hex, not as base64.',
    options: ({ right }) => ({ signature: base64OfHex(right) }),
  },
  {
    observed: 'it accepts the signature with the prefix "sha256="; §6.1 requires hex without a prefix',
    fix: 'Compare the whole header with the hex digits; there is no prefix to remove.',
    options: ({ right }) => ({ signature: `sha256=${right}` }),
  },
  {
    observed: 'it accepts the signature in upper case',
    fix: 'Compare the header with the HMAC as lower-case hex.',
    options: ({ right }) => ({ signature: right.toUpperCase() }),
  },
  ...signedTexts.map(
    ([order, textOf]): KnownMistake => ({
      observed: `it accepts a signature over ${order}; §6.1 signs only the body`,
      fix: `Compute the HMAC over the raw body alone, not over ${order}.`,
      options: (signed) => ({ signature: hmacHex(signed.secret, textOf(signed)) }),
    }),
  ),
  {
    observed:
      'it accepts a signature over the body with spaces after colons and commas: it parses the body and serializes it again',
    fix: receiverRules['accept.raw-body'].fix,
    options: ({ secret, body }) => ({ signature: hmacHex(secret, withSpaces(body)) }),
  },
  {
    observed: 'it uses signing_key as the key; webhooks are signed with webhook_secret',
    fix: wrongKey('signing_key'),
    options: ({ credential }) => ({ secret: credential?.signingKey ?? '' }),
  },
  {
    observed: 'it uses client_secret as the key; webhooks are signed with webhook_secret',
    fix: wrongKey('client_secret'),
    options: ({ credential }) => ({ secret: credential?.clientSecret ?? '' }),
  },
  {
    observed: 'it accepts a signature with the demonstration secret',
    fix: 'Configure the receiver with the current webhook_secret, which payments-sandbox env prints.',
    options: () => ({ secret: demoCredential(merchant).webhookSecret }),
  },
  { observed: 'it accepts the event without a signature', options: () => ({ signature: null }) },
]

/** Returns the mistake whose event the receiver accepts. */
async function findKnownMistake(context: CheckContext): Promise<KnownMistake | undefined> {
  const { sender, testEvents, workspace: ws } = context
  const { secret } = sender
  const credential = merchantCredential(ws)
  for (const mistake of knownMistakes) {
    const event = await testEvents.createPaidCharge()
    const right = hmacHex(secret, event.body)
    const signed = { body: event.body, id: event.id, right, secret, nowSeconds: sender.nowSeconds(), credential }
    if (isOk(await sender.send(event, mistake.options(signed)))) return mistake
  }
  return undefined
}
