/** Certifies a client: opens a sandbox for the client alone in this process, and runs the client once, with and without unknown fields, or under chaos. */
import { type Chaos, type Config, defaultConfig } from '../../../inside/control.js'
import { credentialFields, type Fetch, routeSet } from '../../../inside/handlers.js'
import { openSandbox, type RunningSandbox, variablesOf } from '../../../inside/node.js'
import { fieldsIn, messageOf } from '../../../inside/values.js'
import { credentialsOf, listAccounts } from '../../../inside/workspace.js'
import { mediaTypeOfBooks } from '../books/decode-books.js'
import type { BooksReport } from '../books/routes.js'
import { openCallbacks, type StateSource } from '../callbacks.js'
import { certifyHandlers } from '../handlers.js'
import { type ClientProgram, NotCertifiable } from '../processes.js'
import {
  type Finding,
  fail,
  inconclusive,
  notTested,
  pass,
  type Report,
  type RuleRow,
  reportOf,
  ruleReport,
} from '../report/rules.js'
import { certifyRoutes } from '../routes.js'
import { type ClientCall, followCalls, isDone, isPayment } from './calls.js'
import { type ChaosProgress, type ChaosRunOptions, type ClientRun, certifyUnderChaos } from './certify-chaos.js'
import { type WatchOptions, watchClient } from './certify-client.js'
import { PayerSimulator } from './payer-simulator.js'
import type { ChaosReport, FaultOfRun } from './routes.js'
import { type ClientRule, clientRules } from './rules.js'

interface ClientSandbox {
  /** Port of the sandbox; 0 is any free port. */
  port: number
  /** URL that receives webhooks; null: no webhooks are sent. */
  webhookUrl: string | null
}

type Variables = Readonly<Record<string, string>>

interface ClientRunOptions extends ClientSandbox, Pick<WatchOptions, 'observe' | 'onCall'> {
  /** Reports what the client, which has these variables, did with a transaction. */
  stateFor(variables: Variables): StateSource
  /** Runs the client again, to compare it with and without unknown fields; null: it runs only once. */
  repeat: ClientProgram | null
}

/** Withdrawals settle only when the payer simulator settles them, and charges do not expire when the clock jumps. */
const simulatedConfig = { cashoutSettle: 'manual', pixChargeLifeMs: 30 * 86_400_000 } as const

/** Runs the client once. Throws `NotCertifiable` if it cannot be run, or makes no call. */
export async function certifyProgram(program: ClientProgram, options: ClientRunOptions): Promise<Report<ClientRule>> {
  const { observe, repeat, stateFor, onCall } = options
  const config = observe ? {} : simulatedConfig
  const report = await withSandbox(options, { ...config, addsUnknownFields: !observe }, async (sandbox, variables) => {
    const callbacks = await openCallbacks(stateFor(variables))
    try {
      const watched = await watchClient(sandbox.workspace, { observe, stateUrl: callbacks.stateUrl ?? null, onCall })
      const { failure } = await program(variables)
      const report = await watched.report({ failed: failure !== null })
      requireCalls(watched.calls.length)
      return report
    } finally {
      callbacks.close()
    }
  })
  if (observe || repeat === null) return report
  const again = { ...options, port: 0, payers: true, ledger: null }
  return compareFields(report, (addsUnknownFields) => playOnce(repeat, again, null, addsUnknownFields))
}

interface PlayOptions extends ClientSandbox {
  /** Simulates payers and banks. */
  payers: boolean
  /** Returns the ledger of the client after a run, as CSV or JSON; null: it is not compared. */
  ledger: ((variables: Variables) => Promise<string>) | null
}

/** Runs the client many times, each time with a new sandbox. Throws `NotCertifiable` if it cannot be run. */
export function certifyProgramUnderChaos(
  program: ClientProgram,
  options: PlayOptions & ChaosRunOptions,
  progress: ChaosProgress = {},
): Promise<ChaosReport> {
  const play = async (chaos: Chaos | null) => {
    const run = await playOnce(program, options, chaos)
    if (chaos === null && run.failure === null) requireCalls(run.calls.length)
    return run
  }
  return certifyUnderChaos(play, options, progress)
}

function requireCalls(count: number): void {
  if (count === 0) throw new NotCertifiable('the client made no call; it must call the address in PAYMENTS_SANDBOX_URL')
}

/** Makes the ids equal in every run, for calls whose fields contain ids of the sandbox. */
const idSeed = 'certify'

async function playOnce(
  program: ClientProgram,
  options: PlayOptions,
  chaos: Chaos | null,
  addsUnknownFields = false,
): Promise<ClientRun> {
  const config = { ...(options.payers ? simulatedConfig : {}), seed: idSeed, chaos }
  return withSandbox(options, { ...config, addsUnknownFields }, async ({ url, workspace }, variables) => {
    const simulator = new PayerSimulator(workspace, null)
    const calls: ClientCall[] = []
    const faults = new Map<string, FaultOfRun>()
    followCalls(workspace, (call) => {
      calls.push(call)
      if (options.payers) simulator.onCall(call)
    })
    workspace.bus.subscribe((change) => {
      if (change.type !== 'chaos') return
      // `publishFaults` publishes each change of this type with these fields.
      const { id, status, target, external_id, count } = change as unknown as PublishedFault
      faults.set(id, { id, fault: status, target, external_id, count })
    })
    const { failure, output } = await program(variables)
    await simulator.whenIdle()
    // A command that failed may not have written its ledger.
    const ledger = failure === null ? options.ledger : null
    const books = ledger === null ? null : await booksOf(url, () => ledger(variables))
    return { failure, output, calls, faults: [...faults.values()], books }
  })
}

interface PublishedFault extends Omit<FaultOfRun, 'fault'> {
  status: FaultOfRun['fault']
}

async function booksOf(url: string, ledger: () => Promise<string>): Promise<ClientRun['books']> {
  try {
    const text = await ledger()
    const headers = { 'Content-Type': mediaTypeOfBooks(text) }
    const answer = await fetch(`${url}/_sandbox/certify/books`, { method: 'POST', headers, body: text })
    const body: unknown = await answer.json()
    // The schema of the route has this type.
    if (answer.ok) return body as BooksReport
    return { unreadable: String(fieldsIn(fieldsIn(body).error).message) }
  } catch (error) {
    return { unreadable: messageOf(error).trim() }
  }
}

/** A sandbox in this process, for one certification; `config` are settings beside the default ones. */
export const openOwnSandbox = (
  config: Partial<Config>,
  options: { port?: number; through?: (fetch: Fetch) => Fetch } = {},
): Promise<RunningSandbox> =>
  openSandbox({
    ...{ host: '127.0.0.1', port: 0, db: ':memory:', adminToken: null, allowHosts: [], overrideGlobals: false },
    routes: [routeSet(certifyRoutes, async () => certifyHandlers())],
    config: { ...defaultConfig, ...config },
    ...options,
  })

async function withSandbox<T>(
  { port, webhookUrl }: ClientSandbox,
  { addsUnknownFields, ...config }: Partial<Config> & { addsUnknownFields: boolean },
  work: (sandbox: RunningSandbox, variables: Variables) => Promise<T>,
): Promise<T> {
  const options = { port, ...(addsUnknownFields ? { through: withMoreFields } : {}) }
  const sandbox = await openOwnSandbox({ webhookUrl, ...config }, options).catch((error: unknown) => {
    throw new NotCertifiable(`the sandbox cannot start: ${messageOf(error)}`)
  })
  try {
    return await work(sandbox, variablesFor(sandbox))
  } finally {
    await sandbox.close(0)
  }
}

function variablesFor({ url, workspace }: RunningSandbox): Variables {
  const [account] = listAccounts(workspace.db)
  const [row] = account === undefined ? [] : credentialsOf(workspace.db, account.seq)
  if (account === undefined || row === undefined) throw new Error('the sandbox has no account')
  return variablesOf(url, account.username, credentialFields(workspace, row), undefined)
}

const id = 'answers.more-fields'

/** Runs the client twice unless it failed the rule: a client that accepts no response at all would pass it too. */
async function compareFields(
  report: Report<ClientRule>,
  play: (addsUnknownFields: boolean) => Promise<ClientRun>,
): Promise<Report<ClientRule>> {
  if (report.rules.find((rule) => rule.id === id)?.result === 'failed') return report
  const finding = judgeRuns(await play(false), await play(true))
  const blocked = finding.result === 'failed' ? notTested(id, `${id} failed`) : null
  const rules = report.rules.map((rule) => {
    if (rule.id === id) return ruleReport<ClientRule>(clientRules, id, finding)
    const { after = [] }: RuleRow = clientRules[rule.id]
    const isAffected = after.includes(id) || rule.result === 'inconclusive'
    return blocked !== null && isAffected ? ruleReport<ClientRule>(clientRules, rule.id, blocked) : rule
  })
  return { ...report, ...reportOf(rules) }
}

function judgeRuns(plain: ClientRun, more: ClientRun): Finding {
  if (plain.failure !== null)
    return inconclusive(`without faults and without additional fields ${plain.failure}; it must succeed to be compared`)
  if (more.failure !== null) return fail(`with additional fields ${more.failure}; without them it succeeds`)
  const [before, after] = [countsOf(plain), countsOf(more)]
  const missing = [...before].find(([name, count]) => (after.get(name) ?? 0) < (isCounted(name, plain) ? count : 1))
  if (missing === undefined) return pass('the same calls with additional fields as without')
  const [name, count] = missing
  const withThem = after.get(name) ?? 0
  return fail(`${name} was answered ${count} times without additional fields, and ${withThem} times with them`)
}

const nameOf = ({ entry }: ClientCall) => `${entry.method} ${entry.path.split('?')[0]}`

function countsOf({ calls }: ClientRun): Map<string, number> {
  const counts = new Map<string, number>()
  for (const call of calls.filter(isDone)) counts.set(nameOf(call), (counts.get(nameOf(call)) ?? 0) + 1)
  return counts
}

/** How often a client polls is chance; how often it pays is not. */
const isCounted = (name: string, { calls }: ClientRun) => calls.some((call) => isPayment(call) && nameOf(call) === name)

const extraFields = '"x_since":"2.1","x_hints":[{"kind":"none"}],'

/** Wraps `fetch`. Changes only successful responses of the platform API. */
export const withMoreFields =
  (fetch: Fetch): Fetch =>
  async (request, env) => {
    const response = await fetch(request, env)
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    if (!response.ok || !isJson || !new URL(request.url).pathname.startsWith('/v2/')) return response
    const text = (await response.text()).replace(/^\{/, `{${extraFields}`).replace('"data":{', `"data":{${extraFields}`)
    const headers = new Headers(response.headers)
    headers.delete('content-length')
    return new Response(text, { status: response.status, headers })
  }
