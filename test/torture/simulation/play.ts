/** Applies each step to the sandbox and to the model. After a kill or a full disk it repeats the call. */
import { type Money, type Name, Refused, type Split, type Thing, textOf } from '../../support/model.js'
import { signatureOf } from '../../support/signing.js'
import { readBooks } from './audit.js'
import { hasPlan, heal, planFault } from './disk.js'
import type { Step } from './history.js'
import { reach } from './reach.js'
import { callWrongly } from './refusals.js'
import { look, manage } from './routes.js'
import { type Hand, haveMishap, runScenario } from './scenarios.js'
import { hold, Violation } from './violation.js'
import type { Answer } from './workspace.js'
import { isKilled, StoreRefused, secretOf, type World } from './world.js'

const usual: Record<Money, [min: bigint, span: bigint]> = {
  BRL: [100n, 50_000n],
  USDT: [200n, 20_000n],
  BTC: [10_000n, 1_000_000n],
}
const amountOf = (money: Money, perMille: number) =>
  perMille < 0 ? 1n : usual[money][0] + (usual[money][1] * BigInt(perMille)) / 1000n

type Call = Extract<Step, { together: number }>
type Priced = Extract<Step, { operation: string }>

export class Player {
  private count = 0
  private nonces = 0
  private saved: { image: unknown; byHand: ReadonlySet<string> } | null = null
  private usedNonces: { who: Name; headers: Record<string, string>; body: string; atWallMs: number }[] = []

  constructor(private readonly world: World) {}

  async step(step: Step): Promise<void> {
    const { world } = this
    switch (step.do) {
      case 'disk':
        reach.meet('fault', 'full disk')
        return planFault('fail', step.inWrites, step.lasting)
      case 'kill':
        reach.meet('fault', 'kill')
        return planFault('kill', step.inWrites)
      case 'restart':
        heal()
        reach.meet('fault', 'restart')
        world.revive()
        break
      case 'advance':
        await this.advance(step.ms)
        break
      case 'until':
        await this.until(step)
        break
      case 'burst':
        heal()
        for (let left = step.count; left > 0; left--)
          await this.act({ do: 'act', action: 'wallet.deposit', pick: -1, size: left })
        break
      case 'fee':
      case 'limit':
        await this.price(step)
        break
      case 'redeliver':
        await this.redeliver(step.pick)
        break
      case 'snapshot':
        await this.snapshot()
        break
      case 'restore':
        await this.restore()
        break
      case 'replay':
        await this.replay(step)
        break
      case 'stale':
        await this.stale(step)
        break
      case 'act':
        await this.act(step)
        break
      case 'begin':
        return
      case 'audit':
        await readBooks(world, step.at)
        break
      case 'scenario':
      case 'mishap':
      case 'wrong':
      case 'look':
      case 'manage':
      case 'reset':
        await this.control(step)
        break
      default:
        await this.call(step)
    }
    await world.settle()
    await world.compare()
  }

  /** Steps of several calls, which run without faults of the machine. */
  private async control(step: Extract<Step, { do: 'scenario' | 'mishap' | 'wrong' | 'look' | 'manage' | 'reset' }>) {
    const { world } = this
    heal()
    const nextExternal = () => `e${this.count++}`
    const send: Hand['send'] = (...call) => this.send(...call)
    const hand: Hand = { world, amountOf, nextExternal, send }
    if (step.do === 'scenario') await runScenario(hand, step.plan)
    else if (step.do === 'mishap') await haveMishap(hand, step.mishap, step.who, step.perMille)
    else if (step.do === 'wrong') await callWrongly(hand, step.code, step.who)
    else if (step.do === 'look') await look(world, step.route)
    else if (step.do === 'manage') await manage(world, step.work, step.who, this.count++)
    else {
      await world.reset()
      this.saved = null
      this.usedNonces = []
    }
  }

  /** Repeats a call until it is answered: after a kill in a new process, after a full disk with room. `isFirst` says whether the first try succeeded. */
  private async insist(work: () => Promise<Answer>): Promise<{ answer: Answer; isFirst: boolean }> {
    for (let round = 0; ; round++) {
      let isRefused = false
      try {
        const answer = await work()
        if (answer.status !== 503) return { answer, isFirst: round === 0 }
        isRefused = true
      } catch (error) {
        if (error instanceof StoreRefused) isRefused = true
        else if (!isKilled(error)) throw error
      }
      heal()
      this.world.disturb()
      if (!isRefused) this.world.revive()
      if (round > 3) throw new Violation('the store rejects calls although the disk has room')
    }
  }

  private async advance(ms: number): Promise<void> {
    const { world } = this
    const toMs = world.model.nowMs + ms
    // An interrupted advance has stopped on the way, so the repeated call names the same target.
    await this.insist(() => world.control('POST', '/clock/advance', { to: new Date(toMs).toISOString() }))
    world.model.advance(ms)
    world.wallMs += this.world.chance.int(3) * 1000
  }

  private async until({ pick, shortMs }: Extract<Step, { do: 'until' }>): Promise<void> {
    const { model } = this.world
    const due = model.things.flatMap(({ dueMs }) => (dueMs === null ? [] : [dueMs])).sort((a, b) => a - b)
    const atMs = due.at(Math.min(pick, due.length - 1))
    if (atMs !== undefined) await this.advance(Math.max(0, atMs - shortMs - model.nowMs))
  }

  private async price(step: Priced): Promise<void> {
    const { who, currency, operation } = step
    const { pricing } = this.world.model
    const change = (changes: object) =>
      this.insist(() => this.world.control('PATCH', `/accounts/${who}`, changes)).then(({ answer }) =>
        hold(answer.status === 200, () => `the price was not changed: ${JSON.stringify(answer.body)}`),
      )
    if (step.do === 'fee') {
      const fixed = (usual[currency][1] * BigInt(step.fixedPerMille)) / 1000n
      const percent = textOf(BigInt(step.ppm), 'percent')
      await change({ fees: [{ currency, operation, fixed: textOf(fixed, currency), percent }] })
      pricing.setFee(who, currency, operation, { fixed, ppm: BigInt(step.ppm) })
      return
    }
    const bound = (perMille: number | null) => (perMille === null ? undefined : amountOf(currency, perMille))
    const daily = step.timesADay === null ? undefined : amountOf(currency, 900) * BigInt(step.timesADay)
    const limits = { min: bound(step.least), max: bound(step.most), daily }
    const text = (minor: bigint | undefined) => (minor === undefined ? undefined : textOf(minor, currency))
    const [min_amount, max_amount, daily_limit] = [text(limits.min), text(limits.max), text(daily)]
    await change({ limits: [{ currency, operation, min_amount, max_amount, daily_limit }] })
    pricing.setLimits(who, currency, operation, limits)
  }

  /** Redelivers an event; it must be sent at once, independent of the retry schedule. */
  private async redeliver(pick: number): Promise<void> {
    const { world } = this
    const one = world.owed.at(-1 - pick)
    if (one === undefined || one.url === '') return
    one.isByHand = true
    one.isDisturbed = true
    const before = world.network.attempts.length
    const { answer, isFirst } = await this.insist(() => world.control('POST', `/webhooks/${one.id}/redeliver`))
    hold(answer.status < 300, () => `the redelivery of ${one.id} was rejected: ${JSON.stringify(answer.body)}`)
    await world.settle()
    const isSent = world.network.attempts.slice(before).some(({ id }) => id === one.id)
    hold(isSent || world.mayWait || !isFirst, () => `${one.id} was redelivered but not sent`)
  }

  private async snapshot(): Promise<void> {
    const { answer } = await this.insist(() => this.world.control('POST', '/snapshots', { name: 'saved' }))
    hold(answer.status < 300, () => `the snapshot failed: ${JSON.stringify(answer.body)}`)
    this.saved = { image: this.world.model.save(), byHand: this.world.byHand }
  }

  private async restore(): Promise<void> {
    const { saved, world } = this
    if (saved === null) return
    const { answer } = await this.insist(() => world.control('POST', '/snapshots/saved/restore'))
    hold(answer.status < 300, () => `the restore failed: ${JSON.stringify(answer.body)}`)
    world.model.load(saved.image)
    world.forgetDeliveries(saved.byHand)
    // The restored state does not contain the nonces of later calls.
    this.usedNonces = []
  }

  private async call(step: Call): Promise<void> {
    const { model } = this.world
    const { who, currency } = step
    const amount = amountOf(currency, step.size)
    const external = `e${this.count++}`
    const common = `"amount":${textOf(amount, currency)},"external_id":"${external}"`
    const chain = { BRL: '', USDT: ',"chain":"tron"', BTC: ',"chain":"bitcoin"' }[currency]
    if (step.do === 'wallet') {
      // Each call creates another wallet, so it must not be repeated: it runs once and without faults.
      heal()
      const answer = await this.send(who, '/v2/transactions/wallet', `{"currency":"${currency}"${chain}}`, false)
      model.createWallet(String(answer.body.data.wallet_id), who, currency)
      return
    }
    const to = who === 'merchant' ? 'customer' : 'merchant'
    if (step.do === 'charge') {
      const split = splitOf(step, to)
      const body = `{${common},"currency":"${currency}"${chain}${split === undefined ? '' : `,"split":[${splitText(split, currency)}]`}}`
      return this.idempotent(step, '/v2/transactions/cashin', body, 200, (id) =>
        model.charge(id, who, currency, amount, split),
      )
    }
    if (step.do === 'transfer') {
      return this.idempotent(
        step,
        '/v2/internal_transfers/payment',
        `{${common},"currency":"${currency}","username":"${to}"}`,
        200,
        (id) => model.transfer(id, who, to, currency, amount),
      )
    }
    if (step.do === 'withdraw') {
      const key = {
        BRL: 'maria@example.com',
        USDT: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
        BTC: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      }[currency]
      const network = currency === 'USDT' ? ',"network":"tron"' : ''
      const body = `{${common},"currency":"${currency}","key":"${step.lost ? 'nowhere' : key}"${network}}`
      return this.idempotent(step, '/v2/transactions/cashout', body, model.rules.withdrawalStatus, (id) =>
        model.withdraw(id, who, currency, amount, step.lost),
      )
    }
    const target = (step as Extract<Step, { do: 'convert' }>).to
    return this.idempotent(
      step,
      '/v2/conversions/new',
      `{${common},"base_currency":"${currency}","destination_currency":"${target}"}`,
      200,
      (id) => model.convert(id, who, currency, target, amount),
    )
  }

  /** Sends a call several times at once and again afterwards. It must take effect once, and each response must name the same transaction. */
  private async idempotent(
    step: Call,
    path: string,
    body: string,
    status: number,
    work: (id: string) => void,
  ): Promise<void> {
    const isSigned = path !== '/v2/transactions/cashin'
    const { answer: first } = await this.insist(async () => {
      const answers = await Promise.all(
        Array.from({ length: step.together }, () => this.send(step.who, path, body, isSigned)),
      )
      const ids = new Set(answers.filter((one) => one.status === status).map(idOf))
      hold(ids.size <= 1, () => `one external_id created ${ids.size} transactions`)
      return answers.find((one) => one.status === 503) ?? (answers[0] as Answer)
    })
    this.same(first, status, () => work(idOf(first)))
    this.requireFigures(first, path)
    if (step.clashes && first.code === undefined) await this.clash(step, path, body, isSigned)
    for (let repeat = 0; repeat < step.repeats; repeat++) {
      const { answer: again } = await this.insist(() => this.send(step.who, path, body, isSigned))
      hold(
        again.code === first.code && idOf(again) === idOf(first),
        () => `a repeated call was answered with ${again.code ?? idOf(again)} instead of ${first.code ?? idOf(first)}`,
      )
    }
  }

  /** Compares the amounts and the status of a response with the model. */
  private requireFigures(answer: Answer, path: string): void {
    const thing = this.world.model.things.find(({ id }) => id === idOf(answer))
    if (answer.code !== undefined || thing === undefined) return
    const { amount, fee, status, bought, currency } = thing
    const isConversion = path === '/v2/conversions/new'
    const expected = {
      [isConversion ? 'amount_from' : 'amount']: Number(textOf(amount, currency)),
      fee: Number(textOf(fee, currency)),
      ...(bought === undefined ? {} : { amount_to: Number(textOf(bought.amount, bought.currency)) }),
      status,
    }
    for (const [name, value] of Object.entries(expected))
      hold(
        (typeof value === 'number' ? Number(answer.body.data[name]) : answer.body.data[name]) === value,
        () => `${path} answered with ${name} ${answer.body.data[name]} instead of ${value}`,
      )
  }

  /** Sends another amount with a used external_id. */
  private async clash(step: Call, path: string, body: string, isSigned: boolean): Promise<void> {
    const other = body.replace(
      /"amount":[0-9.]+/,
      `"amount":${textOf(amountOf(step.currency, step.size) + 1n, step.currency)}`,
    )
    const { answer } = await this.insist(() => this.send(step.who, path, other, isSigned))
    hold(
      answer.code === 'DUPLICATE_EXTERNAL_ID',
      () => `a different call with the same external_id was answered with ${answer.code ?? answer.status}`,
    )
  }

  private async send(who: Name, path: string, body: string, isSigned: boolean): Promise<Answer> {
    const { world } = this
    const bearer = await world.bearer(who)
    if (!isSigned) return world.process.call('POST', path, body, bearer)
    const timestamp = String(Math.floor(world.wallMs / 1000))
    const headers = signatureOf(secretOf('sk', who), body, { timestamp, nonce: nonceOf(this.nonces++) })
    const answer = await world.process.call('POST', path, body, { ...bearer, ...headers })
    if (answer.status !== 503 && path === '/v2/transactions/cashout')
      this.usedNonces.push({ who, headers, body, atWallMs: world.wallMs })
    return answer
  }

  /** Repeats a used nonce. It is rejected as a replay for 300 s of real time, independent of the sandbox's clock, and then for its timestamp. */
  private async replay({ who, agoMs }: Extract<Step, { do: 'replay' }>): Promise<void> {
    const { world } = this
    heal()
    const used = this.usedNonces.findLast((one) => one.who === who)
    if (used === undefined) return
    world.wallMs = Math.max(world.wallMs, used.atWallMs + agoMs)
    const bearer = await world.bearer(who)
    const answer = await world.process.call('POST', '/v2/transactions/cashout', used.body, {
      ...bearer,
      ...used.headers,
    })
    const passedMs = world.wallMs - used.atWallMs
    const expected =
      Math.floor(world.wallMs / 1000) - Number(used.headers['X-Timestamp']) > 300
        ? 'INVALID_TIMESTAMP'
        : 'REPLAY_DETECTED'
    hold(
      answer.code === expected,
      () => `a nonce used ${passedMs} ms ago was answered with ${answer.code ?? answer.status} instead of ${expected}`,
    )
  }

  /** Uses a token that may have expired: it lives for one hour of sandbox time. */
  private async stale({ who, waits }: Extract<Step, { do: 'stale' }>): Promise<void> {
    const { world } = this
    heal()
    const token = world.latestToken(who)
    if (token === undefined) return
    const leftMs = token.atMs + 3_600_000 - world.process.workspace.clock.now()
    if (waits && leftMs > 0) await this.advance(leftMs)
    const ageMs = world.process.workspace.clock.now() - token.atMs
    const answer = await world.process.call('GET', '/v2/account/balance', undefined, {
      Authorization: `Bearer ${token.text}`,
    })
    const expected = ageMs >= 3_600_000 ? 'TOKEN_EXPIRED' : undefined
    hold(
      answer.code === expected,
      () => `a token of ${ageMs} ms was answered with ${answer.code} instead of ${expected}`,
    )
  }

  private async act({ action, pick, size }: Extract<Step, { do: 'act' }>): Promise<void> {
    const { world } = this
    const { model } = world
    if (action === 'wallet.deposit') {
      heal()
      const wallet = model.wallets.at(Math.max(pick, -model.wallets.length))
      if (wallet === undefined) return
      const amount = amountOf(wallet.currency, size)
      const answer = await world.control('POST', '/trigger', {
        action,
        id: wallet.id,
        amount: textOf(amount, wallet.currency),
      })
      model.deposit(answer.body.object.transaction_id, wallet, amount)
      return
    }
    const kind = action === 'dispute.open' ? 'cashin' : action.slice(0, action.indexOf('.'))
    const all = model.things.filter((one) => one.kind === kind)
    // Prefers objects that allow the action; a random choice would rarely close a dispute.
    const fitting = size % 4 === 0 ? [] : all.filter((one) => model.allows(action, one))
    const things = fitting.length === 0 ? all : fitting
    const thing = things.at(Math.max(pick, -things.length))
    if (thing === undefined) return
    const takesOther = action === 'cashin.pay' && size % 8 === 3
    const takesPart = ['cashin.refund', 'cashout.refund', 'dispute.open'].includes(action) && size % 2 === 1
    const part = takesOther ? thing.amount + 1n : takesPart ? (thing.amount + 1n) / 2n : undefined
    await this.trigger(action, thing, part)
  }

  /** Triggers an action. It is not idempotent, so after an interruption the object's state shows whether the action happened. */
  private async trigger(action: string, thing: Thing, part: bigint | undefined): Promise<void> {
    const { world } = this
    const { model } = world
    const params = part === undefined ? {} : { amount: textOf(part, thing.currency) }
    // The model is saved only if a fault can interrupt the action, because saving takes time.
    const before = hasPlan() ? model.save() : undefined
    const isOpening = action === 'dispute.open'
    const { answer, isFirst } = await this.insist(() =>
      world.control('POST', '/trigger', { action, id: thing.id, ...params }),
    )
    const done = () => model.act(action, thing, part, answer.body.object?.infraction_id)
    if (isFirst || answer.code !== 'INVALID_TRANSITION') return this.same(answer, 200, done)
    // The second try was rejected: either the action is not allowed, or the first try has done it.
    try {
      model.act(action, thing, part, isOpening ? await this.openedOn(thing) : '')
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (before !== undefined) model.load(before)
    }
  }

  private async openedOn(thing: Thing): Promise<string> {
    const { body } = await this.world.control('GET', `/disputes?transaction_id=${thing.id}&limit=1`)
    return body.data[0]?.infraction_id ?? ''
  }

  /** Requires that the sandbox succeeds or rejects exactly as the model does. */
  private same(answer: Answer, status: number, work: () => void): void {
    let expected: string | undefined
    try {
      work()
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      expected = error.message
    }
    hold(
      answer.code === expected,
      () =>
        `the sandbox answered with ${answer.code ?? answer.status}, the model with ${expected ?? 'success'}: ${JSON.stringify(answer.body).slice(0, 300)}`,
    )
    if (expected === undefined)
      hold(answer.status === status, () => `answered with ${answer.status} instead of ${status}`)
  }
}

function splitOf({ share, currency }: Extract<Step, { do: 'charge' }>, to: Name): Split | undefined {
  if (share === null) return undefined
  if (share.of === 'net') return { to, ppm: BigInt(share.perMille) * 1000n }
  return { to, amount: amountOf(currency, share.perMille) }
}
const splitText = (split: Split, currency: Money) =>
  `{"username":"${split.to}",${'amount' in split ? `"amount":${textOf(split.amount, currency)}` : `"percentage":${textOf(split.ppm, 'percent')}`}}`

const idOf = ({ body }: Answer): string => body.data?.transaction_id ?? body.data?.conversion_id ?? ''
const nonceOf = (count: number) => `00000000-0000-4000-8000-${count.toString(16).padStart(12, '0')}`
