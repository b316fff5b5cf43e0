/** One workspace under kills: what is known of it, what was asked of it since, and whether what it holds now agrees with that. */
import { openClient } from '../client.js'
import { type Body, control } from '../http.js'
import { balanceOf, eventsOwed, eventsSent, type Seen } from './books.js'
import { type Call, nowMs, perform } from './calls.js'
import { expectedAfter, expectedAt, faultsOf, type Jump, type Known, type Saved } from './expected.js'

export interface World {
  name: string
  known: Map<string, Known>
  calls: Map<string, Call>
  saved: Map<string, Saved>
  jump: Jump | null
  /** It is being dropped. */
  isGoing: boolean
  /** Its clock was put forward: tokens expire, withdrawals settle by themselves. */
  isAhead: boolean
  /** Business time that was answered, which never goes back but for a jump. */
  clockMs: number
  /** All that it listed when it was last looked at. */
  eventIds: string[]
}

export const newWorld = (name: string): World => ({
  ...{
    name,
    known: new Map(),
    calls: new Map(),
    saved: new Map(),
    jump: null,
    isGoing: false,
    isAhead: false,
    clockMs: 0,
    eventIds: [],
  },
})

type Ask = (method: string, path: string, body?: unknown) => Promise<Body>

/** Calls of the control API that must succeed. */
const askOf =
  (base: string): Ask =>
  async (method, path, body) => {
    const answer = await control(base)(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

export const baseOf = ({ name }: World, url: string) => (name === 'default' ? url : `${url}/w/${name}`)

type Integrator = Awaited<ReturnType<typeof openClient>>

const startCents = 1_000_000

async function everything(ask: Ask, path: string): Promise<Body[]> {
  const rows: Body[] = []
  let after = ''
  do {
    const page = await ask('GET', `${path}?limit=500${after}`)
    rows.push(...page.data)
    after = page.next === null ? '' : `&after=${page.next}`
  } while (after !== '')
  return rows
}

/** Read until nothing settled by itself in between. */
async function look(ask: Ask): Promise<Seen> {
  for (;;) {
    const transactions = await everything(ask, '/transactions')
    const disputes = await everything(ask, '/disputes')
    const events = await everything(ask, '/webhooks')
    const again = await everything(ask, '/transactions')
    const statuses = (rows: Body[]) => rows.map(({ transaction_id, status }) => transaction_id + status).join()
    if (statuses(transactions) === statuses(again)) return { transactions, disputes, events }
  }
}

function knownOf({ transactions, disputes }: Seen): Map<string, Known> {
  const disputeOf = new Map(disputes.map(({ transaction_id, status }) => [transaction_id, status]))
  return new Map(
    transactions
      .filter(({ account }) => account === 'merchant')
      .map(({ external_id, transaction_id: id, status }) => [external_id, { id, status, dispute: disputeOf.get(id) }]),
  )
}

/** Answered calls that are made again at every look; of those that were not answered, all. */
const repeated = 8

/** What was asked for and not undone is asked for again: it is the same one. */
async function repeat(base: string, bearer: Record<string, string>, calls: Map<string, Call>): Promise<string[]> {
  const all = [...calls.values()]
  const open = all.filter(({ answeredAtMs }) => answeredAtMs === null)
  const faults: string[] = []
  for (const call of [...open, ...all.filter((one) => !open.includes(one)).slice(-repeated)]) {
    const id = await perform(base, bearer, call)
    if (call.id !== null && call.id !== id) faults.push(`${call.externalId} was ${call.id}, and is made again as ${id}`)
    call.id = id
    call.answeredAtMs = nowMs()
  }
  return faults
}

/** A jump that was not answered has happened as a whole, or not at all. */
function stateFaults(world: World, seen: ReadonlyMap<string, Known>): string[] {
  const { jump } = world
  const stayed = () => faultsOf(expectedAt(world, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY), seen)
  if (jump === null) return stayed()
  const jumped = faultsOf(expectedAfter(world, jump), seen)
  if (jump.answeredAtMs !== null || jumped.length === 0) return jumped
  const unmoved = stayed()
  return unmoved.length === 0
    ? []
    : ['neither as before nor as after:', ...unmoved.slice(0, 5), '…', ...jumped.slice(0, 5)]
}

const twiceIn = (names: readonly string[]) => names.filter((name, index) => names[index + 1] === name)

async function bookFaults(ask: Ask, api: Integrator, seen: Seen): Promise<string[]> {
  const faults: string[] = []
  const expect = (what: string, is: unknown, should: unknown) => {
    if (JSON.stringify(is) !== JSON.stringify(should))
      faults.push(`${what} is ${JSON.stringify(is)}, not ${JSON.stringify(should)}`)
  }
  const [reported, owed] = [eventsSent(seen), eventsOwed(seen)]
  expect('what is reported twice', twiceIn(reported), [])
  expect(
    'what is not sent',
    owed.filter((one) => !reported.includes(one)),
    [],
  )
  expect(
    'what is reported and did not happen',
    reported.filter((one) => !owed.includes(one)),
    [],
  )
  const external = seen.transactions.map(({ external_id }) => external_id).filter((id) => id !== null)
  expect('what is there twice', twiceIn(external.toSorted()), [])
  expect('the ledger', (await ask('GET', '/ledger')).balanced, true)
  const { BRL } = (await ask('GET', '/accounts/merchant')).balances
  const { available, blocked } = balanceOf(seen, startCents)
  expect('available', BRL.available, (available / 100).toFixed(2))
  expect('blocked', BRL.blocked, (blocked / 100).toFixed(2))
  const { body } = await api.post('/v2/account/transactions/list', { page: 1, page_size: 1 })
  const own = seen.transactions.filter(({ account }) => account === 'merchant').length
  expect('the number of transactions that an integrator reconciles', body.data.pagination.total, own)
  return faults
}

async function clockFaults(ask: Ask, { jump, clockMs }: World): Promise<string[]> {
  const now = Date.parse((await ask('GET', '/clock')).now)
  const least = jump === null ? clockMs : jump.answeredAtMs === null ? 0 : (jump.saved?.leastMs ?? 0)
  return now < least ? [`business time went back to ${new Date(now).toISOString()}, behind ${least}`] : []
}

/** Looks at everything, and takes what it sees for granted from there on. Returns what is wrong. */
export async function inspect(world: World, url: string): Promise<string[]> {
  const base = baseOf(world, url)
  const ask = askOf(base)
  const api = await openClient(base)
  const faults = await clockFaults(ask, world)
  if (world.jump === null) faults.push(...(await repeat(base, api.bearer, world.calls)))
  const seen = await look(ask)
  const known = knownOf(seen)
  faults.push(...stateFaults(world, known), ...(await bookFaults(ask, api, seen)))
  const names: string[] = (await ask('GET', '/snapshots')).data.map(({ name }: Body) => name)
  for (const [name, { answeredAtMs }] of world.saved) {
    if (names.includes(name)) continue
    if (answeredAtMs !== null) faults.push(`the snapshot ${name} is lost`)
    world.saved.delete(name)
  }
  world.known = known
  world.calls = new Map()
  world.jump = null
  world.isAhead = false
  world.clockMs = Date.parse((await ask('GET', '/clock')).now)
  world.eventIds = seen.events.map(({ id }) => id)
  return faults.map((fault) => `${world.name}: ${fault}`)
}

/** Lets half an hour pass, and looks whether everything has arrived; what was born in the last of it has its retries still before it. */
export async function settle(world: World, url: string, accepted: ReadonlySet<string>): Promise<string[]> {
  const ask = askOf(baseOf(world, url))
  let open: Body[] = []
  for (const by of ['30m', '2m', '2m']) {
    await ask('POST', '/clock/advance', { by })
    const events = await everything(ask, '/webhooks')
    open = events.filter(({ id, status }) => status !== 'delivered' || !accepted.has(id))
    if (open.length === 0) break
  }
  return open.map(({ id, event, status }) => `${world.name}: ${event} ${id} is ${status}, and came ${accepted.has(id)}`)
}
