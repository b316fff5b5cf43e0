/** A workspace that survives kills: its known state, the calls since then, and checks of its current state. */
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
  /** Whether a deletion has begun. */
  isDeleting: boolean
  /** Whether its clock was advanced: tokens expire, and withdrawals settle by themselves. */
  isAhead: boolean
  /** The highest business time of a response. It goes back only in a reset or a restore. */
  clockMs: number
  /** The ids of all events in the last check. */
  eventIds: string[]
}

export const newWorld = (name: string): World => ({
  ...{
    name,
    known: new Map(),
    calls: new Map(),
    saved: new Map(),
    jump: null,
    isDeleting: false,
    isAhead: false,
    clockMs: 0,
    eventIds: [],
  },
})

type Ask = (method: string, path: string, body?: unknown) => Promise<Body>

/** Calls the control API and fails unless the call succeeds. */
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

async function allRows(ask: Ask, path: string): Promise<Body[]> {
  const rows: Body[] = []
  let after = ''
  do {
    const page = await ask('GET', `${path}?limit=500${after}`)
    rows.push(...page.data)
    after = page.next === null ? '' : `&after=${page.next}`
  } while (after !== '')
  return rows
}

/** Reads everything, again if a status changed by itself meanwhile. */
async function readAll(ask: Ask): Promise<Seen> {
  for (;;) {
    const transactions = await allRows(ask, '/transactions')
    const disputes = await allRows(ask, '/disputes')
    const events = await allRows(ask, '/webhooks')
    const again = await allRows(ask, '/transactions')
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

/** The number of answered calls that each check repeats. It repeats all unanswered calls. */
const repeatCount = 8

/** Repeats calls: each must return the id of its first response. */
async function repeat(base: string, bearer: Record<string, string>, calls: Map<string, Call>): Promise<string[]> {
  const all = [...calls.values()]
  const open = all.filter(({ answeredAtMs }) => answeredAtMs === null)
  const faults: string[] = []
  for (const call of [...open, ...all.filter((one) => !open.includes(one)).slice(-repeatCount)]) {
    const id = await perform(base, bearer, call)
    if (call.id !== null && call.id !== id)
      faults.push(`${call.externalId} was ${call.id}, but the repeated call created ${id}`)
    call.id = id
    call.answeredAtMs = nowMs()
  }
  return faults
}

/** Compares the objects with the expected ones. A reset or restore without a response must have happened completely or not at all. */
function stateFaults(world: World, seen: ReadonlyMap<string, Known>): string[] {
  const { jump } = world
  const stayed = () => faultsOf(expectedAt(world, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY), seen)
  if (jump === null) return stayed()
  const jumped = faultsOf(expectedAfter(world, jump), seen)
  if (jump.answeredAtMs !== null || jumped.length === 0) return jumped
  const unmoved = stayed()
  return unmoved.length === 0
    ? []
    : [
        'the state is neither that before nor that after the reset or restore:',
        ...unmoved.slice(0, 5),
        '…',
        ...jumped.slice(0, 5),
      ]
}

const twiceIn = (names: readonly string[]) => names.filter((name, index) => names[index + 1] === name)

async function bookFaults(ask: Ask, api: Integrator, seen: Seen): Promise<string[]> {
  const faults: string[] = []
  const expect = (what: string, actual: unknown, expected: unknown) => {
    if (JSON.stringify(actual) !== JSON.stringify(expected))
      faults.push(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`)
  }
  const [reported, owed] = [eventsSent(seen), eventsOwed(seen)]
  expect('events sent twice', twiceIn(reported), [])
  expect(
    'missing events',
    owed.filter((one) => !reported.includes(one)),
    [],
  )
  expect(
    'events without a cause',
    reported.filter((one) => !owed.includes(one)),
    [],
  )
  const external = seen.transactions.map(({ external_id }) => external_id).filter((id) => id !== null)
  expect('transactions that exist twice', twiceIn(external.toSorted()), [])
  expect('whether the ledger is balanced', (await ask('GET', '/ledger')).balanced, true)
  const { BRL } = (await ask('GET', '/accounts/merchant')).balances
  const { available, blocked } = balanceOf(seen, startCents)
  expect('the available balance', BRL.available, (available / 100).toFixed(2))
  expect('the blocked balance', BRL.blocked, (blocked / 100).toFixed(2))
  const { body } = await api.post('/v2/account/transactions/list', { page: 1, page_size: 1 })
  const own = seen.transactions.filter(({ account }) => account === 'merchant').length
  expect('the total of the list of transactions', body.data.pagination.total, own)
  return faults
}

async function clockFaults(ask: Ask, { jump, clockMs }: World): Promise<string[]> {
  const now = Date.parse((await ask('GET', '/clock')).now)
  const least = jump === null ? clockMs : jump.answeredAtMs === null ? 0 : (jump.saved?.leastMs ?? 0)
  return now < least ? [`business time went back to ${new Date(now).toISOString()}, before ${least}`] : []
}

/** Checks everything and returns the faults. The current state becomes the known state. */
export async function inspect(world: World, url: string): Promise<string[]> {
  const base = baseOf(world, url)
  const ask = askOf(base)
  const api = await openClient(base)
  const faults = await clockFaults(ask, world)
  if (world.jump === null) faults.push(...(await repeat(base, api.bearer, world.calls)))
  const seen = await readAll(ask)
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

/** Advances half an hour and returns the events that have not arrived. Two more advances give the newest events time for their retries. */
export async function settle(world: World, url: string, accepted: ReadonlySet<string>): Promise<string[]> {
  const ask = askOf(baseOf(world, url))
  let open: Body[] = []
  for (const by of ['30m', '2m', '2m']) {
    await ask('POST', '/clock/advance', { by })
    const events = await allRows(ask, '/webhooks')
    open = events.filter(({ id, status }) => status !== 'delivered' || !accepted.has(id))
    if (open.length === 0) break
  }
  return open.map(
    ({ id, event, status }) => `${world.name}: ${event} ${id} is ${status}, received: ${accepted.has(id)}`,
  )
}
