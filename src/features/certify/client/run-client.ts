/** Certifies a client: opens a sandbox for the client alone in this process, and runs the client once or under chaos. */

import { type Chaos, type Config, defaultConfig } from '../../../inside/control.js'
import { credentialFields } from '../../../inside/handlers.js'
import { openSandbox, type RunningSandbox, variablesOf } from '../../../inside/node.js'
import { fieldsIn } from '../../../inside/values.js'
import { credentialsOf, listAccounts } from '../../../inside/workspace.js'
import { typeOfBooks } from '../books/mistake-text.js'
import type { BooksReport } from '../books/routes.js'
import type { Report } from '../report/rules.js'
import { certifyRouteSet, runInScratch } from '../run.js'
import { type ClientCall, followCalls } from './calls.js'
import { watchClient } from './certify-client.js'
import { type ChaosProgress, type ChaosRunOptions, certifyUnderChaos } from './chaos/certify-chaos.js'
import type { ClientRun } from './chaos/findings.js'
import { compareFields, type Reached, withMoreFields } from './compare-fields.js'
import { PayerSimulator } from './payer-simulator.js'
import { type ClientProgram, NotCertifiable } from './program.js'
import type { ChaosReport, FaultOfRun } from './routes.js'
import type { ClientRule } from './rules.js'

interface ClientSandbox {
  /** Port of the sandbox; 0 is any free port. */
  port: number
  /** URL that receives webhooks; null: no webhooks are sent. */
  webhookUrl: string | null
}

interface ClientRunOptions extends ClientSandbox {
  /** Injects no faults and simulates no payers. */
  observe: boolean
  /** Reports what the client did with a transaction. */
  stateUrl: string | null
  /** Runs the client again, to compare it with and without unknown fields; null: it runs only once. */
  repeat: ClientProgram | null
  /** Runs at each call, with the number of calls so far. */
  onCall(calls: number): void
}

/** Withdrawals settle only when the payer simulator settles them, and charges do not expire when the clock jumps. */
const simulatedConfig = { cashoutSettle: 'manual', pixChargeLifeMs: 30 * 86_400_000 } as const

/** Runs the client once. Throws `NotCertifiable` if it cannot be run, or makes no call. */
export async function certifyProgram(program: ClientProgram, options: ClientRunOptions): Promise<Report<ClientRule>> {
  const { observe, stateUrl, onCall } = options
  const config = observe ? {} : simulatedConfig
  const report = await withSandbox(options, { config, addsUnknownFields: !observe }, async (sandbox) => {
    const watched = await watchClient(sandbox.workspace, { observe, stateUrl })
    const stop = sandbox.workspace.bus.subscribe(({ type }) => {
      if (type === 'request') onCall(watched.calls)
    })
    const { failure } = await program(variablesFor(sandbox))
    stop()
    const report = await watched.report({ failed: failure !== null })
    if (watched.calls === 0)
      throw new NotCertifiable('the client made no call; it must call the address in PAYMENTS_SANDBOX_URL')
    return report
  })
  return observe || options.repeat === null ? report : compareFields(report, (more) => reach(options, more))
}

/** Runs the client without faults, and returns how often each endpoint answered. */
async function reach(options: ClientRunOptions, addsUnknownFields: boolean): Promise<Reached> {
  const config = simulatedConfig
  return withSandbox({ ...options, port: 0 }, { config, addsUnknownFields }, async (sandbox) => {
    const simulator = new PayerSimulator(sandbox.workspace, null)
    const calls: ClientCall[] = []
    followCalls(sandbox.workspace, (call) => {
      calls.push(call)
      simulator.onCall(call)
    })
    const end = await options.repeat?.(variablesFor(sandbox))
    await simulator.whenIdle()
    return { failure: end?.failure ?? null, calls }
  })
}

interface ChaosCertification extends ClientSandbox, ChaosRunOptions {
  /** Simulates payers and banks. */
  payers: boolean
  /** Returns the ledger of the client after a run, as CSV or JSON; null: it is not compared. */
  ledger: ((variables: Readonly<Record<string, string>>) => Promise<string>) | null
}

/** Runs the client many times, each time with a new sandbox. Throws `NotCertifiable` if it cannot be run. */
export function certifyProgramUnderChaos(
  program: ClientProgram,
  options: ChaosCertification,
  progress: ChaosProgress,
): Promise<ChaosReport> {
  return certifyUnderChaos((chaos) => playOnce(program, options, chaos), options, progress)
}

/** Makes the ids equal in every run, for calls whose fields contain ids of the sandbox. */
const idSeed = 'certify'

async function playOnce(program: ClientProgram, options: ChaosCertification, chaos: Chaos | null): Promise<ClientRun> {
  const config = { ...(options.payers ? simulatedConfig : {}), seed: idSeed, chaos }
  return withSandbox(options, { config, addsUnknownFields: false }, async (sandbox) => {
    const { workspace } = sandbox
    const simulator = new PayerSimulator(workspace, null)
    const calls: ClientRun['calls'][number][] = []
    const faults = new Map<string, FaultOfRun>()
    followCalls(workspace, (call) => {
      calls.push(call)
      if (options.payers) simulator.onCall(call)
    })
    workspace.bus.subscribe((change) => {
      // `publishFaults` publishes each change of type `chaos` with these fields.
      if (change.type === 'chaos') faults.set(change.id, faultOf(change as unknown as PublishedFault))
    })
    const variables = variablesFor(sandbox)
    const { failure, output } = await program(variables)
    await simulator.whenIdle()
    // A command that failed may not have written its ledger.
    const books =
      options.ledger === null || failure !== null ? null : await booksOf(sandbox, () => options.ledger?.(variables))
    if (chaos === null && calls.length === 0 && failure === null)
      throw new NotCertifiable('the client made no call; it must call the address in PAYMENTS_SANDBOX_URL')
    return { failure, output, calls, faults: [...faults.values()], books }
  })
}

interface PublishedFault extends Omit<FaultOfRun, 'fault'> {
  status: FaultOfRun['fault']
}

const faultOf = ({ id, status, target, external_id, count }: PublishedFault): FaultOfRun => ({
  ...{ id, fault: status, target, external_id, count },
})

async function booksOf(
  { url }: RunningSandbox,
  ledger: () => Promise<string> | undefined,
): Promise<ClientRun['books']> {
  try {
    const text = (await ledger()) ?? ''
    const headers = { 'Content-Type': typeOfBooks(text) }
    const answer = await fetch(`${url}/_sandbox/certify/books`, { method: 'POST', headers, body: text })
    const body: unknown = await answer.json()
    // The schema of the route has this type.
    if (answer.ok) return body as BooksReport
    return { unreadable: String(fieldsIn(fieldsIn(body).error).message) }
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message.trim() : String(error) }
  }
}

async function withSandbox<T>(
  { port, webhookUrl }: ClientSandbox,
  { config, addsUnknownFields }: { config: Partial<Config>; addsUnknownFields: boolean },
  work: (sandbox: RunningSandbox) => Promise<T>,
): Promise<T> {
  const sandbox = await openSandbox({
    host: '127.0.0.1',
    port,
    db: ':memory:',
    adminToken: null,
    allowHosts: [],
    ...(addsUnknownFields ? { through: withMoreFields } : {}),
    config: { ...defaultConfig, webhookUrl, ...config },
    routes: [certifyRouteSet(runInScratch)],
    overrideGlobals: false,
  }).catch((error: unknown) => {
    throw new NotCertifiable(`the sandbox cannot start: ${error instanceof Error ? error.message : String(error)}`)
  })
  try {
    return await work(sandbox)
  } finally {
    await sandbox.close(0)
  }
}

function variablesFor({ url, workspace }: RunningSandbox): Record<string, string> {
  const [account] = listAccounts(workspace.db)
  const [row] = account === undefined ? [] : credentialsOf(workspace.db, account.seq)
  if (account === undefined || row === undefined) throw new Error('the sandbox has no account')
  return variablesOf(url, account.username, credentialFields(workspace, row), undefined)
}
