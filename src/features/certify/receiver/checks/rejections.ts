/** Checks that wrongly signed, stale and sandbox events are rejected, with the documented status, and correct ones are not. */
import { webhookHeaders } from '../../../../inside/platform.js'
import { hmacHex } from '../../../../inside/secrets.js'
import { type Finding, fail, inconclusive, pass } from '../../report/rules.js'
import { type Check, type CheckContext, describeResponse, isRejected, notRejected } from '../check-context.js'
import { type Attempt, type AttemptOptions, base64OfHex, isFailure, isOk } from '../event-sender.js'
import { merchantCredential } from '../test-events.js'
import { windowSeconds } from '../timing.js'
import { usualMs } from './answers.js'

/** What is wrong with the attempt, and how to build it from the correct signature. */
type Tampering = [what: string, optionsOf: (right: string, body: string) => AttemptOptions]

/**
 * Builds a check that sends each wrong variant as a new event, which was never sent correctly, and requires a rejection. An
 * attempt that is not rejected counts if it is the last try, or if the receiver answered it quickly: a broken connection may
 * have other causes, and the age of a timestamp changes on the way.
 */
const checkRefused =
  (tamperings: (context: CheckContext) => readonly Tampering[], tries = 2): Check =>
  async (context) => {
    const { sender, testEvents, rejections, workspace: ws } = context
    for (const [what, optionsOf] of tamperings(context))
      for (let triesLeft = tries; ; triesLeft--) {
        const startedMs = ws.clock.wall()
        const event = await testEvents.createPaidCharge()
        const attempt = await sender.send(event, optionsOf(hmacHex(sender.secret, event.body), event.body))
        if (isRejected(attempt)) {
          rejections.push(attempt)
          break
        }
        const isClear = !isFailure(attempt) && ws.clock.wall() - startedMs < slackMs
        if (isClear || triesLeft === 1) return notRejected(attempt, what)
      }
    return `rejected with ${[...new Set(rejections.map(({ result }) => result.status))].join(', ')}`
  }

const otherDigit = (digit = '0') => (digit === '0' ? '1' : '0')

/** Changes one digit of the amount, but not the length of the body. */
const withChangedAmount = (body: string) =>
  body.replace(/"amount":"(\d)/, (_all, digit: string) => `"amount":"${digit === '9' ? '8' : '9'}`)

export const checked = checkRefused(() => [
  ['an event whose amount was changed by one digit', (_right, body) => ({ body: withChangedAmount(body) })],
  ['an event with a wrong but well-formed signature', (right) => ({ signature: [...right].reverse().join('') })],
])

export const required = checkRefused(() => [
  ['an event without a signature', () => ({ signature: null })],
  ['an event with an empty signature', () => ({ signature: '' })],
])

export const key = checkRefused(({ workspace: ws }) => {
  const credential = merchantCredential(ws)
  return [
    ['an event signed with an unknown key', () => ({ secret: 'whsec_of_somebody_else' })],
    ['an event signed with an empty key', () => ({ secret: '' })],
    ['an event signed with the signing_key of the API', () => ({ secret: credential?.signingKey ?? '' })],
  ]
})

export const whole = checkRefused(() => [
  ['a signature whose last digit is wrong', (right) => ({ signature: right.slice(0, -1) + otherDigit(right.at(-1)) })],
  ['a signature whose first digit is wrong', (right) => ({ signature: otherDigit(right[0]) + right.slice(1) })],
  [
    'a signature whose second half is wrong',
    (right) => ({ signature: right.slice(0, 32) + [...right.slice(32)].map(otherDigit).join('') }),
  ],
  [
    'a signature whose first half is wrong',
    (right) => ({ signature: [...right.slice(0, 32)].map(otherDigit).join('') + right.slice(32) }),
  ],
  ['the first 16 digits of the signature', (right) => ({ signature: right.slice(0, 16) })],
  ['the right signature followed by extra characters', (right) => ({ signature: `${right}00` })],
])

export const encoding = checkRefused(() => [
  ['the right signature as base64', (right) => ({ signature: base64OfHex(right) })],
  ['the right signature with the prefix "sha256="', (right) => ({ signature: `sha256=${right}` })],
  ['the right signature with the prefix "0x"', (right) => ({ signature: `0x${right}` })],
])

export function status({ rejections }: CheckContext): Finding {
  if (rejections.length === 0) return inconclusive('no event was rejected')
  const wrong = rejections.find(({ result }) => result.status !== 401)
  return wrong === undefined
    ? pass(`${rejections.length} rejections, all with 401`)
    : fail(describeResponse(wrong), wrong)
}

/** Checks that a forged event, which may arrive before the real one with the same id, has no effect. */
export const noTrace: Check = async (context) => {
  const { sender, testEvents, rejections } = context
  const event = await testEvents.createPaidCharge()
  await sender.send(event, { signature: '0'.repeat(64) })
  await sender.send(event, { body: withChangedAmount(event.body) })
  const what = 'the real event after a forged copy'
  await context.deliver(event, what)
  const rejected = rejections.slice(0, 10).map((attempt) => ({
    event: attempt.event,
    credited: 'nothing' as const,
    what: `an event that was rejected with ${attempt.result.status}`,
  }))
  const expected = [{ event, credited: 'once' as const, what }, ...rejected]
  await context.expectStates(expected, 'the real event was accepted after a forged copy')
  return (await headerFinding(context)) ?? 'only the real event was applied'
}

/** The signature covers the body only, so everybody on the way can change a header. */
async function headerFinding(context: CheckContext): Promise<Finding | undefined> {
  const { confirmed_at, ...fields } = (await context.testEvents.createPaidCharge()).data
  const id = String(fields.transaction_id)
  const expired = context.testEvents.createEvent('cashin.expired', id, {
    ...fields,
    status: 'expired',
    expired_at: confirmed_at,
  })
  await context.sender.deliver(expired, { eventName: 'cashin.confirmed' })
  const what = `an expired charge whose ${webhookHeaders.event} header, which is not signed, says cashin.confirmed`
  const wrong = await context.findWrongState([{ event: expired, credited: 'nothing', what }])
  return wrong?.result === 'failed'
    ? { ...wrong, fix: `Read the name of the event from the signed body, not from ${webhookHeaders.event}.` }
    : undefined
}

/**
 * Age of the timestamp in seconds; negative is in the future. The header has whole seconds, so the values leave room
 * for receivers that compare fractions of a second or get the call a moment later.
 */
const ages = {
  tooOld: windowSeconds + 1,
  tooFarAhead: -windowSeconds - 2,
  oldEnough: windowSeconds - 2,
  aheadEnough: 1 - windowSeconds,
} as const

/** A receiver may compare the timestamp only shortly before it answers: until then every age grows by this. */
const delaySeconds = ({ sender }: CheckContext) =>
  Math.max(0, Math.ceil((usualMs(sender.log.accepted) - slackMs) / 1000))

/** If a call takes longer than this, an unexpected result proves nothing: the age has changed on the way. */
const slackMs = 500
const maxTries = 3

export const old = checkRefused(
  () => [[`an event from ${windowSeconds + 1} seconds ago`, () => ({ ageSeconds: ages.tooOld })]],
  maxTries,
)

export const ahead = checkRefused(
  (context) => [
    [`an event ${windowSeconds + 1} seconds ahead`, () => ({ ageSeconds: ages.tooFarAhead - delaySeconds(context) })],
  ],
  maxTries,
)

export const number = checkRefused(({ sender }) => [
  ['an event without a timestamp', () => ({ timestamp: null })],
  ['an event with an empty timestamp', () => ({ timestamp: '' })],
  ['an event with text as its timestamp', () => ({ timestamp: 'just now' })],
  ['an event with a timestamp that ends in letters', () => ({ timestamp: `${sender.nowSeconds()}abc` })],
])

export const tolerance: Check = async (context) => {
  const { sender, testEvents } = context
  for (const [what, ageSeconds] of [
    [`an event from ${windowSeconds - 1} seconds ago`, ages.oldEnough - delaySeconds(context)],
    [`an event ${windowSeconds - 1} seconds ahead`, ages.aheadEnough],
  ] as const)
    for (let triesLeft = maxTries; ; triesLeft--) {
      const attempt = await sender.send(await testEvents.createPaidCharge(), { ageSeconds })
      if (isOk(attempt)) break
      if (triesLeft === 1) return fail(`${what}: ${describeResponse(attempt)}`, attempt)
    }
  return 'accepted'
}

export const rejectsSandboxEvents: Check = async ({ sender, testEvents }) => {
  const attempt = await sender.send(await testEvents.createPaidCharge(), { sandbox: true })
  return isRejected(attempt)
    ? describeResponse(attempt)
    : notRejected(attempt, `an event with ${webhookHeaders.sandbox}: 1`)
}

export const https: Check = async ({ workspace: ws, testEvents, options }) => {
  const url = options.production_url ?? ''
  if (!url.startsWith('https://')) return fail(`${url} is not an https:// address`)
  const event = await testEvents.createPaidCharge()
  const request = { url, headers: { [webhookHeaders.type]: 'application/json' }, body: event.body }
  const attempt: Attempt = { event, request, result: await ws.send(request) }
  const { status } = attempt.result
  if (status === null) return fail(describeResponse(attempt), attempt)
  if (status >= 300 && status < 400) return fail(`${describeResponse(attempt)}: redirects are not followed`, attempt)
  return `the certificate is valid; an unsigned call got ${describeResponse(attempt)}`
}
