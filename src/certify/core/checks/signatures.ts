/** Is what is wrongly signed refused, and refused as documented? */
import { hmacHex } from '../../../base/crypto.js'
import { credentialForEvents, requireAccount } from '../../../core/auth/account.js'
import {
  type Check,
  type CheckContext,
  describeResponse,
  type Finding,
  fail,
  findWrongState,
  inconclusive,
  notRejected,
  pass,
} from '../check-context.js'
import { type Attempt, type AttemptOptions, base64OfHex, isFailure } from '../event-sender.js'
import { merchant } from '../test-events.js'

/** What is wrong with it, and how it is made from the right signature. */
type Wrong = [what: string, optionsOf: (right: string, body: string) => AttemptOptions]

/** Each on an event of its own that was never sent rightly. */
const refusing =
  (wrongs: (context: CheckContext) => Wrong[]): Check =>
  async (context) => {
    for (const [what, optionsOf] of wrongs(context)) {
      const finding = await refused(context, what, optionsOf)
      if (finding !== undefined) return finding
    }
    return pass(`refused with ${statuses(context.rejections)}`)
  }

const statuses = (attempts: readonly Attempt[]) => [...new Set(attempts.map(({ result }) => result.status))].join(', ')

/** A connection may break for reasons of its own: only what happens twice is the receiver's doing. */
export async function refused(context: CheckContext, what: string, optionsOf: Wrong[1]): Promise<Finding | undefined> {
  const { sender, testEvents } = context
  let attempt: Attempt
  for (let left = 2; ; left--) {
    const event = await testEvents.payCharge()
    attempt = await sender.send(event, optionsOf(hmacHex(sender.secret, event.body), event.body))
    if (left === 1 || !isFailure(attempt)) break
  }
  const finding = notRejected(attempt, what)
  if (finding === undefined) context.rejections.push(attempt)
  return finding
}

const other = (digit = '0') => (digit === '0' ? '1' : '0')

/** One digit of the amount, in a body of the same length. */
const changed = (body: string) =>
  body.replace(/"amount":"(\d)/, (_all, digit: string) => `"amount":"${digit === '9' ? '8' : '9'}`)

export const checked = refusing(() => [
  ['an event whose amount was changed by one digit', (_right, body) => ({ body: changed(body) })],
  ['an event with another signature of the right form', (right) => ({ signature: [...right].reverse().join('') })],
])

export const required = refusing(() => [
  ['an event without a signature', () => ({ signature: null })],
  ['an event with an empty signature', () => ({ signature: '' })],
])

export const key = refusing(({ ws }) => {
  const credential = credentialForEvents(ws.db, requireAccount(ws.db, merchant).seq, null)
  return [
    ['an event signed with a foreign key', () => ({ secret: 'whsec_of_somebody_else' })],
    ['an event signed with an empty key', () => ({ secret: '' })],
    ['an event signed with the signing_key of the API', () => ({ secret: credential?.signingKey ?? '' })],
  ]
})

export const whole = refusing(() => [
  ['a signature whose last digit is wrong', (right) => ({ signature: right.slice(0, -1) + other(right.at(-1)) })],
  ['a signature whose first digit is wrong', (right) => ({ signature: other(right[0]) + right.slice(1) })],
  [
    'a signature whose second half is wrong',
    (right) => ({ signature: right.slice(0, 32) + [...right.slice(32)].map(other).join('') }),
  ],
  [
    'a signature whose first half is wrong',
    (right) => ({ signature: [...right.slice(0, 32)].map(other).join('') + right.slice(32) }),
  ],
  ['the first 16 digits of the signature', (right) => ({ signature: right.slice(0, 16) })],
  ['a signature with something behind it', (right) => ({ signature: `${right}00` })],
])

export const encoding = refusing(() => [
  ['the right signature as base64', (right) => ({ signature: base64OfHex(right) })],
  ['the right signature behind "sha256="', (right) => ({ signature: `sha256=${right}` })],
  ['the right signature behind "0x"', (right) => ({ signature: `0x${right}` })],
])

export const status: Check = async ({ rejections }) => {
  if (rejections.length === 0) return inconclusive('nothing was refused')
  const wrong = rejections.find(({ result }) => result.status !== 401)
  return wrong === undefined
    ? pass(`${rejections.length} rejections, all with 401`)
    : fail(describeResponse(wrong), wrong)
}

/** A forger may be quicker than the platform. */
export const noTrace: Check = async (context) => {
  const { sender, testEvents } = context
  const event = await testEvents.payCharge()
  await sender.send(event, { signature: '0'.repeat(64) })
  await sender.send(event, { body: changed(event.body) })
  const { accepted, last } = await sender.deliver(event)
  if (!accepted) return fail(`the true event after a forged one of the same id: ${describeResponse(last)}`, last)
  if (context.stateReader === null)
    return inconclusive(
      'the true event was accepted after a forged one; what became of it shows only where the effects can be asked for',
    )
  const expectations = context.rejections.slice(0, 10).map((attempt) => ({
    event: attempt.event,
    credited: 'nothing' as const,
    what: `an event that was refused with ${attempt.result.status}`,
  }))
  const wrong = await findWrongState(context, [
    { event, credited: 'once', what: 'the true event after a forged one of the same id' },
    ...expectations,
  ])
  return wrong ?? pass('the true event counted, the refused ones did not')
}
