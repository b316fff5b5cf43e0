/** Is what is wrongly signed refused, and refused as documented? */
import { hmacHex } from '../../../base/crypto.js'
import { credentialForEvents, requireAccount } from '../../../core/auth/account.js'
import {
  answerOf,
  type Bench,
  broken,
  type Finding,
  holds,
  notRefused,
  type Trial,
  unseen,
  wrongEffect,
} from '../bench.js'
import { merchant } from '../cast.js'
import { base64OfHex, type Hit, isFailure, type Shot } from '../wire.js'

/** What is wrong with it, and how it is made from the right signature. */
type Wrong = [what: string, shotOf: (right: string, body: string) => Shot]

/** Each on an event of its own that was never sent rightly. */
const refusing =
  (wrongs: (bench: Bench) => Wrong[]): Trial =>
  async (bench) => {
    for (const [what, shotOf] of wrongs(bench)) {
      const finding = await refused(bench, what, shotOf)
      if (finding !== undefined) return finding
    }
    return holds(`refused with ${statuses(bench.refusals)}`)
  }

const statuses = (hits: readonly Hit[]) => [...new Set(hits.map(({ result }) => result.status))].join(', ')

/** A connection may break for reasons of its own: only what happens twice is the receiver's doing. */
export async function refused(bench: Bench, what: string, shotOf: Wrong[1]): Promise<Finding | undefined> {
  const { wire, cast } = bench
  let hit: Hit
  for (let left = 2; ; left--) {
    const event = await cast.paid()
    hit = await wire.fire(event, shotOf(hmacHex(wire.secret, event.body), event.body))
    if (left === 1 || !isFailure(hit)) break
  }
  const finding = notRefused(hit, what)
  if (finding === undefined) bench.refusals.push(hit)
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

export const status: Trial = async ({ refusals }) => {
  if (refusals.length === 0) return unseen('nothing was refused')
  const wrong = refusals.find(({ result }) => result.status !== 401)
  return wrong === undefined ? holds(`${refusals.length} refusals, all with 401`) : broken(answerOf(wrong), wrong)
}

/** A forger may be quicker than the platform. */
export const noTrace: Trial = async (bench) => {
  const { wire, cast } = bench
  const event = await cast.paid()
  await wire.fire(event, { signature: '0'.repeat(64) })
  await wire.fire(event, { body: changed(event.body) })
  const { accepted, last } = await wire.deliver(event)
  if (!accepted) return broken(`the true event after a forged one of the same id: ${answerOf(last)}`, last)
  if (bench.effects === null)
    return unseen(
      'the true event was accepted after a forged one; what became of it shows only where the effects can be asked for',
    )
  const wishes = bench.refusals.slice(0, 10).map((hit) => ({
    event: hit.event,
    credited: 'nothing' as const,
    what: `an event that was refused with ${hit.result.status}`,
  }))
  const wrong = await wrongEffect(bench, [
    { event, credited: 'once', what: 'the true event after a forged one of the same id' },
    ...wishes,
  ])
  return wrong ?? holds('the true event counted, the refused ones did not')
}
