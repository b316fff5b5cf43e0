/** What an integrator sees in a history, as a record for the auditor, which shares no code with the sandbox: answers, webhooks and statements. */
import type { SendRequest } from '../../../src/core/unit/ports.js'
import type { Name } from '../../support/model.js'
import type { Chance } from './chance.js'
import { heal } from './disk.js'
import type { Step } from './history.js'
import type { Answer } from './workspace.js'
import { secretOf, type World } from './world.js'

const kinds: Readonly<Record<string, string>> = {
  '/v2/transactions/cashin': 'cashin',
  '/v2/transactions/cashout': 'cashout',
  '/v2/internal_transfers/payment': 'transfer',
  '/v2/conversions/new': 'conversion',
  '/v2/conversions/rate': 'quote',
  '/v2/account/balance': 'balance',
  '/v2/account/fees': 'fees',
  '/v2/account/limits': 'limits',
  '/v2/account/transactions/list': 'list',
  '/_sandbox/trigger': 'action',
  '/_sandbox/clock/advance': 'advance',
}
const statement = /^\/_sandbox\/accounts\/(\w+)\/statement$/
const names: readonly Name[] = ['merchant', 'customer']

class AuditRecord {
  /** Lines of JSON; null while no record is written. */
  private lines: string[] | null = null
  private whole: string[] = []
  private readonly owners = new Map<string, Name>()

  /** Returns the lines of the newest complete record, once. */
  take = (): string[] => this.whole.splice(0)

  end(): void {
    this.whole = this.lines ?? []
    this.lines = null
  }

  begin(now: string): void {
    this.whole = []
    const secrets = Object.fromEntries(names.map((name) => [name, secretOf('whsec', name)]))
    this.lines = [JSON.stringify({ kind: 'begin', now, secrets, may_repeat: true })]
  }

  /** `text` is the whole answer. */
  call(path: string, body: string | undefined, headers: Record<string, string>, status: number, text: string): void {
    const { Authorization = '' } = headers
    if (path === '/v2/oauth/token' && status === 200) {
      const [, name] = /^client_sandbox_(\w+):/.exec(atob(Authorization.slice(6))) ?? []
      this.owners.set(`Bearer ${JSON.parse(text).access_token}`, name as Name)
    }
    if (this.lines === null || status === 503) return
    const [, named] = statement.exec(path) ?? []
    const kind = named === undefined ? kinds[path] : 'statement'
    const who = named ?? this.owners.get(Authorization)
    if (kind === undefined) return
    // The texts stay as they are, on one line: the auditor reads numbers exactly.
    const fields = `"kind":"${kind}","who":"${who}","status":${status}`
    this.lines.push(`{${fields},"body":${body ?? null},"answer":${text.replaceAll('\n', ' ')}}`)
  }

  webhook({ url, headers, body }: SendRequest, isAccepted: boolean): void {
    if (this.lines === null) return
    const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const who = new URL(url).pathname.slice(1)
    this.lines.push(JSON.stringify({ kind: 'webhook', who, headers: lowered, raw: body, accepted: isAccepted }))
  }
}

export const audit = new AuditRecord()

/** Begins a record, or completes it: the auditor gets balances, lists and statements. */
export async function readBooks(world: World, at: 'begin' | 'end'): Promise<void> {
  heal()
  const ask = async (who: Name, method: string, path: string, body?: object): Promise<Answer> =>
    world.process.call(method, path, body && JSON.stringify(body), await world.bearer(who))
  if (at === 'begin') audit.begin((await world.control('GET', '/clock')).body.now)
  for (const who of names) {
    await ask(who, 'GET', '/v2/account/balance')
    if (at === 'begin') {
      await ask(who, 'GET', '/v2/account/fees')
      await ask(who, 'GET', '/v2/account/limits')
      continue
    }
    for (let page = 1, pages = 1; page <= pages; page++) {
      const { body } = await ask(who, 'POST', '/v2/account/transactions/list', { page, page_size: 100 })
      pages = body.data.pagination.total_pages
    }
    await world.control('GET', `/accounts/${who}/statement`)
  }
  if (at === 'end') audit.end()
  else
    for (const [base_currency, destination_currency] of [
      ['BRL', 'USDT'],
      ['USDT', 'BRL'],
    ])
      await ask('merchant', 'POST', '/v2/conversions/rate', { amount: 100, base_currency, destination_currency })
}

const actions = [
  ...Array.from({ length: 6 }, () => 'cashin.pay'),
  ...Array.from({ length: 3 }, () => 'dispute.open'),
  ...['cashin.expire', 'cashin.refund', 'cashout.confirm', 'cashout.fail', 'cashout.refund', 'conversion.refund'],
  ...['dispute.win', 'dispute.lose', 'dispute.cancel', 'dispute.confirm', 'dispute.respond'],
]
const leaps = [1000, 2000, 600_000, 1_800_000, 3_600_000, 86_400_000, 691_200_000]
const dayMs = 86_400_000

/** A history of what the auditor knows. Kills interrupt calls only, because an action cannot be repeated. */
export function auditedHistory(steps: number, call: () => Step, draw: Chance): Step[] {
  const history: Step[] = [{ do: 'audit', at: 'begin' }]
  for (let at = 0; at < steps; at++) {
    const dice = draw.next()
    if (dice < 0.45) {
      if (draw.hit(0.15)) history.push({ do: 'kill', inWrites: draw.int(draw.hit(0.5) ? 6 : 25) })
      history.push(call())
    } else if (dice < 0.85)
      history.push({ do: 'act', action: draw.pick(actions), pick: -1 - draw.int(5), size: draw.pick([2, 4]) })
    else history.push({ do: 'advance', ms: draw.pick(leaps) })
  }
  const rest: Step[] = [9 * dayMs, dayMs / 24].map((ms) => ({ do: 'advance', ms }))
  return [...history, ...rest, { do: 'audit', at: 'end' }]
}
