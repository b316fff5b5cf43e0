/** Scenarios that run step by step beside the model, and faults that a scenario or chaos adds to one call or to the webhooks of one object. */
import type { StepName } from '../../../src/protocol/scenario/steps.js'
import type { ChaosFault } from '../../../src/protocol/settings/chaos.js'
import { type Money, type Name, Refused, type Thing, textOf } from '../../support/model.js'
import type { Chance } from './chance.js'
import { reach } from './reach.js'
import { hold } from './violation.js'
import type { Answer } from './workspace.js'
import type { World } from './world.js'

export type Creation = 'cashin' | 'cashout' | 'transfer' | 'conversion' | 'wallet'

/** What a scenario does: creates an object, then acts on it; a number waits so many milliseconds. */
export interface Plan {
  kind: Creation
  who: Name
  currency: Money
  perMille: number
  deeds: readonly (string | number)[]
  /** How the webhooks of the run are delivered, or null. */
  webhooks: object | null
}

const courses: Record<Creation, readonly (readonly string[])[]> = {
  cashin: [
    [],
    ['cashin.expire'],
    ['cashin.pay'],
    ['cashin.pay', 'cashin.refund'],
    ['cashin.expire', 'cashin.pay'],
    ['cashin.pay', 'dispute.open', 'dispute.respond', 'dispute.respond'],
    ...['win', 'lose', 'cancel', 'confirm'].flatMap((end) => [
      ['cashin.pay', 'dispute.open', `dispute.${end}`],
      ['cashin.pay', 'dispute.open', 'dispute.respond', `dispute.${end}`],
    ]),
  ],
  cashout: [['cashout.confirm'], ['cashout.fail'], ['cashout.confirm', 'cashout.refund']],
  transfer: [[]],
  conversion: [[], ['conversion.refund']],
  wallet: [[], ['wallet.deposit'], ['wallet.deposit', 'wallet.deposit']],
}
const deliveries = [{ duplicate: 2 }, { delay: '5s' }, { reorder: true }, {}]
/** Moments at which no other job is due. */
const waits = [1, 1237, 7001, 61_003]

export function drawPlan(chance: Chance): Plan {
  const kind = chance.pick(['cashin', 'cashin', 'cashin', 'cashout', 'transfer', 'conversion', 'wallet'] as const)
  const course = chance.pick(courses[kind])
  // A withdrawal settles by itself while a scenario waits.
  const deeds = course.flatMap((deed) => (kind !== 'cashout' && chance.hit(0.4) ? [chance.pick(waits), deed] : [deed]))
  const currency = kind === 'wallet' ? chance.pick(['USDT', 'BTC'] as const) : chance.pick(['BRL', 'USDT'] as const)
  return {
    kind,
    who: chance.pick(['merchant', 'customer']),
    currency: deeds.includes('dispute.open') ? 'BRL' : currency,
    perMille: chance.int(1001),
    deeds,
    webhooks: chance.hit(0.3) ? chance.pick(deliveries) : null,
  }
}

export const callFaults = ['respond', 'latency', 'disconnect before', 'disconnect after'] as const
export const mishaps = [
  ...callFaults.map((name) => `scenario: ${name}` as const),
  ...(['error', 'dropped_response', 'reset', 'slow', 'duplicate', 'reorder', 'late'] as const).map(
    (name) => `chaos: ${name}` as const,
  ),
]
export type Mishap = (typeof mishaps)[number]

const chainOf: Record<Money, object> = { BRL: {}, USDT: { chain: 'tron' }, BTC: { chain: 'bitcoin' } }
const payees: Record<Money, object> = {
  BRL: { key: 'maria@example.com' },
  USDT: { key: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', network: 'tron' },
  BTC: { key: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa' },
}

/** What the scenarios need of the player. */
export interface Hand {
  world: World
  amountOf(money: Money, perMille: number): bigint
  nextExternal(): string
  send(who: Name, path: string, body: string, isSigned: boolean): Promise<Answer>
}

const ok = (answer: Answer, what: string): Answer => {
  hold(answer.status < 300, () => `${what} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer
}

/** Runs a plan as a scenario, then replays it in the model. A step that the model refuses must end the run. */
export async function runScenario(hand: Hand, plan: Plan): Promise<void> {
  const { world } = hand
  const { kind, who, currency, deeds, webhooks } = plan
  const amount = hand.amountOf(currency, plan.perMille)
  const peer: Name = who === 'merchant' ? 'customer' : 'merchant'
  const priced = { amount: textOf(amount, currency), external_id: hand.nextExternal() }
  const bodies: Record<Creation, object> = {
    cashin: { ...priced, currency, ...chainOf[currency] },
    cashout: { ...priced, currency, ...payees[currency] },
    transfer: { ...priced, currency, username: peer },
    conversion: { ...priced, base_currency: currency, destination_currency: currency === 'BRL' ? 'USDT' : 'BRL' },
    wallet: { currency, ...chainOf[currency] },
  }
  const deposited = textOf(amount, currency)
  const acts = deeds.map((deed) =>
    typeof deed === 'number'
      ? { wait: `${deed}ms` }
      : {
          [deed]: {
            ...(deed === 'wallet.deposit' ? { amount: deposited, as: `deposit${deeds.indexOf(deed)}` } : {}),
            ...(deed === 'dispute.open' ? { as: 'dispute' } : {}),
          },
        },
  )
  const settled = kind === 'cashin' && deeds.length === 0 ? [{ expect: { status: 'pending' } }] : []
  const steps = [
    ...(webhooks === null ? [] : [{ webhooks }]),
    { create: { [kind]: bodies[kind], as: 'object', account: who } },
    ...settled,
    ...acts,
  ]
  ok(await world.control('POST', '/scenarios', { name: 'planned', steps }), 'the scenario')
  const request = { fast_forward: true, account: who }
  const { body: run } = ok(await world.control('POST', '/scenarios/planned/run', request), 'the run')
  const ids = await idsOf(world, run, kind)
  // Their webhooks follow no retry schedule from now on.
  if (webhooks !== null) {
    world.disturbNext()
    world.excuse([ids.object, ids.dispute, ...ids.deposits])
  }
  const refused = follow(hand, plan, amount, peer, ids)
  hold(
    run.status === (refused === null ? 'passed' : 'failed'),
    () =>
      `the scenario ${JSON.stringify(steps)} has ${run.status}, in the model ${refused ?? 'success'}: ${JSON.stringify(run.steps)}`,
  )
  for (const one of run.steps as { step: StepName; status: string }[])
    if (one.status !== 'skipped') reach.meet('scenario step', one.step)
  if (webhooks !== null) reach.meet('fault', 'scenario: webhooks')
}

interface Ids {
  object: string
  dispute: string
  deposits: string[]
}

async function idsOf(world: World, run: Answer['body'], kind: Creation): Promise<Ids> {
  const object = String(run.vars.object ?? '')
  if (kind !== 'wallet' || object === '') return { object, dispute: String(run.vars.dispute ?? ''), deposits: [] }
  const { body } = await world.control('GET', `/transactions?wallet_id=${object}&limit=100`)
  return {
    object,
    dispute: '',
    deposits: body.data.map((row: { transaction_id: string }) => row.transaction_id).reverse(),
  }
}

/** Does the same in the model, and returns the code of the step that it refuses. */
function follow({ world }: Hand, plan: Plan, amount: bigint, peer: Name, ids: Ids): string | null {
  const { model } = world
  const { kind, who, currency, deeds } = plan
  try {
    if (kind === 'cashin') model.charge(ids.object, who, currency, amount)
    else if (kind === 'cashout') model.withdraw(ids.object, who, currency, amount, false)
    else if (kind === 'transfer') model.transfer(ids.object, who, peer, currency, amount)
    else if (kind === 'conversion')
      model.convert(ids.object, who, currency, currency === 'BRL' ? 'USDT' : 'BRL', amount)
    else model.createWallet(ids.object, who, currency)
    const find = (id: string) => model.things.find((one) => one.id === id) as Thing
    for (const deed of deeds) {
      if (typeof deed === 'number') model.advance(deed)
      else if (deed === 'wallet.deposit')
        model.deposit(ids.deposits.shift() ?? '', { id: ids.object, who, currency }, amount)
      else {
        const isOfDispute = deed.startsWith('dispute.') && deed !== 'dispute.open'
        model.act(deed, find(isOfDispute ? ids.dispute : ids.object), undefined, ids.dispute)
      }
    }
    return null
  } catch (error) {
    if (error instanceof Refused) return error.message
    throw error
  }
}

const isExecuted = (mishap: Mishap) => !/error|reset|respond|before/.test(mishap)
const isOfWebhooks = (mishap: Mishap) => /duplicate|reorder|late$/.test(mishap)

/** Makes a charge under one fault, checks what the fault says, and repeats the call as a caller would. */
export async function haveMishap(hand: Hand, mishap: Mishap, who: Name, perMille: number): Promise<void> {
  const { world } = hand
  const external_id = hand.nextExternal()
  const amount = hand.amountOf('BRL', perMille)
  const body = `{"amount":${textOf(amount, 'BRL')},"currency":"BRL","external_id":"${external_id}"}`
  const send = () => hand.send(who, '/v2/transactions/cashin', body, false)
  // A token call under chaos would have faults of its own.
  await world.bearer(who)
  reach.meet('fault', mishap)
  if (isOfWebhooks(mishap)) return paidUnder(hand, mishap, who, amount, send)
  await begin(world, mishap, external_id)
  const answer = await send()
  await end(world, mishap)
  const { body: found } = await world.control('GET', `/transactions?external_id=${external_id}`)
  // Limits are checked before the fault.
  const wasRefused = answer.code !== undefined && answer.status < 500
  hold(
    found.data.length === Number(isExecuted(mishap) && !wasRefused),
    () => `after ${mishap} there are ${found.data.length} charges`,
  )
  const isDropped = /disconnect|dropped|reset/.test(mishap)
  hold(wasRefused || answer.isDropped === isDropped, () => `${mishap} did not affect the connection`)
  if (/respond|error/.test(mishap) && !wasRefused)
    hold(answer.status >= 500, () => `${mishap} was answered with ${answer.status}`)
  const again = await send()
  let refused: string | undefined
  try {
    world.model.charge(String(again.body.data?.transaction_id), who, 'BRL', amount)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    refused = error.message
  }
  hold(
    again.code === refused,
    () => `after ${mishap} the call was answered with ${again.code}, in the model ${refused}`,
  )
}

/** Pays and refunds a charge, so that there are two webhooks of one object. */
async function paidUnder(hand: Hand, mishap: Mishap, who: Name, amount: bigint, send: () => Promise<Answer>) {
  const { world } = hand
  const { model } = world
  const answer = await send()
  const id = String(answer.body.data?.transaction_id)
  try {
    model.charge(id, who, 'BRL', amount)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    hold(answer.code === error.message, () => `a charge was answered with ${answer.code}`)
    return
  }
  world.disturbNext()
  await begin(world, mishap, '')
  const thing = model.things.find((one) => one.id === id) as Thing
  for (const action of ['cashin.pay', 'cashin.refund']) {
    ok(await world.control('POST', '/trigger', { action, id }), action)
    model.act(action, thing, undefined)
  }
  await end(world, mishap)
}

async function begin(world: World, mishap: Mishap, external_id: string): Promise<void> {
  const [origin = '', name = ''] = mishap.split(': ')
  if (origin === 'chaos') {
    // The name of a fault stands behind the colon.
    const fault = name as ChaosFault
    const share = { slow: { share: '100%', by: '1s' }, late: { share: '100%', by: '2m' } }
    const chaos = { [fault]: fault === 'slow' || fault === 'late' ? share[fault] : '100%' }
    ok(await world.control('PUT', '/chaos', chaos), 'chaos')
    return
  }
  const steps = {
    respond: { respond: { code: 'PROVIDER_ERROR' } },
    latency: { latency: '3s' },
    'disconnect before': { disconnect: 'before' },
    'disconnect after': { disconnect: 'after' },
  }[name as (typeof callFaults)[number]]
  reach.meet('scenario step', name.split(' ')[0] ?? '')
  const on = { operation: 'cashin', where: { external_id } }
  ok(await world.control('POST', '/scenarios', { name: 'mishap', on, steps: [steps] }), 'the scenario')
  ok(await world.control('POST', '/scenarios/mishap/arm', { times: 1 }), 'arming')
}

async function end(world: World, mishap: Mishap): Promise<void> {
  if (mishap.startsWith('chaos')) ok(await world.control('DELETE', '/chaos'), 'the end of chaos')
  else ok(await world.control('DELETE', '/scenarios/mishap/arm'), 'disarming')
}
