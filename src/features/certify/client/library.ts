/** `certifyClient`: tests a client of the API from a test suite, in one call. */

import { type ClientCertificate, type PlatformOptions, UsageError } from '../../../inside/client.js'
import { requireKnown, type Sandbox } from '../../../inside/library.js'
import type { BookEntryRow } from '../books/library.js'
import { type StateOptions, stateOf, type TransactionState } from '../callbacks.js'
import { libraryNames } from '../options.js'
import { clientOptions } from '../program-options.js'
import { chaosOptions } from './chaos-options.js'

/** A command with its arguments, or a function that runs the client. Both get the variables that `payments-sandbox env` prints. */
export type ClientCommand = readonly string[] | ((variables: Readonly<Record<string, string>>) => unknown)

/** The states are those of withdrawals. */
export interface CertifyClientOptions extends StateOptions<Partial<TransactionState>> {
  /** Injects no faults. */
  observe?: boolean | undefined
  /** A running sandbox: judges the calls that it gets meanwhile, and injects no faults (default: a new one for this call). */
  sandbox?: Sandbox | undefined
  /** URL that receives webhooks (default: none are sent). */
  webhookUrl?: string | undefined
  /** Runs the client many times with random faults: a preset, or faults by name. */
  chaos?: PlatformOptions['chaos']
  /** How often, with `chaos` (default: 50; with `only`: 1). */
  runs?: number | undefined
  /** Seed of the first run, with `chaos`; each further run has the next number (default: 1). */
  seed?: number | undefined
  /** Ids of the only faults that may happen, with `chaos`. */
  only?: readonly string[] | undefined
  /** Simulates payers and banks, with `chaos`. */
  payers?: boolean | undefined
  /** Returns the ledger of the client after a run, with `chaos`: entries, or the text of a CSV file. */
  getBooks?: (() => readonly BookEntryRow[] | string | Promise<readonly BookEntryRow[] | string>) | undefined
  /** The longest that a run of a command may take, with `chaos`: a duration (default: `5m`). */
  timeout?: string | number | undefined
}

// The options of a run without chaos, of one with chaos, and of both.
const commonOptions = ['webhookUrl', 'chaos']
const withoutCommon = (names: readonly string[]) => names.filter((name) => !commonOptions.includes(name))
const plainOptions = [...withoutCommon(libraryNames(clientOptions)), 'sandbox', 'getState']
const onlyUnderChaos = [...withoutCommon(libraryNames(chaosOptions)), 'getBooks']

/** Resolves to the report, whatever the client does. Rejects with `UsageError` if it cannot be run, or calls nothing. */
export async function certifyClient(
  command: ClientCommand,
  options: CertifyClientOptions = {},
): Promise<ClientCertificate> {
  requireKnown('certifyClient', options, [...commonOptions, ...plainOptions, ...onlyUnderChaos])
  const optionValues: Readonly<Record<string, unknown>> = { ...options }
  const misplaced = (options.chaos === undefined ? onlyUnderChaos : plainOptions).find(
    (name) => optionValues[name] !== undefined,
  )
  if (misplaced !== undefined)
    throw new UsageError(
      `certifyClient: ${misplaced} ${options.chaos === undefined ? 'needs' : 'cannot be combined with'} chaos`,
    )
  const state = stateOf('certifyClient', options)
  if (typeof command !== 'function' && (command.length === 0 || !command.every((word) => typeof word === 'string')))
    throw new UsageError('certifyClient takes a command as a list of words, or a function')
  if (options.sandbox !== undefined) return observeIn(options.sandbox, command)
  const { NotCertifiable } = await import('../processes.js')
  try {
    return await (options.chaos === undefined ? certifyOnce(command, state, options) : certifyInChaos(command, options))
  } catch (error) {
    throw error instanceof NotCertifiable ? new UsageError(`certifyClient: ${error.message}`) : error
  }
}

async function certifyOnce(
  command: ClientCommand,
  state: ReturnType<typeof stateOf>,
  options: CertifyClientOptions,
): Promise<ClientCertificate> {
  const { certifyProgram } = await import('./run-client.js')
  const { observe = false, webhookUrl = null } = options
  const program = await programOf(command, null)
  const stateFor = () => state
  return certifyProgram(program, { port: 0, webhookUrl, observe, stateFor, repeat: program })
}

async function certifyInChaos(command: ClientCommand, options: CertifyClientOptions): Promise<ClientCertificate> {
  const { webhookUrl = null, payers = false, getBooks } = options
  const ledger = async () => {
    const rows = await getBooks?.()
    return typeof rows === 'string' ? rows : JSON.stringify(rows)
  }
  const [{ certifyProgramUnderChaos }, { chaosPlanOf }, { configOfOptions }] = await Promise.all([
    import('./run-client.js'),
    import('./certify-chaos.js'),
    import('../../../testing/config.js'),
  ])
  const { runs, seed, timeoutMs, only } = chaosPlanOf(options, (option) => `the option ${option}`)
  const { chaos } = configOfOptions({ chaos: options.chaos })
  return certifyProgramUnderChaos(await programOf(command, timeoutMs), {
    ...{ port: 0, webhookUrl, payers, runs, seed, chaos: { ...chaos, ...only } },
    ledger: getBooks === undefined ? null : ledger,
  })
}

async function programOf(command: ClientCommand, timeoutMs: number | null) {
  const { commandProgram, functionProgram } = await import('../processes.js')
  return typeof command === 'function'
    ? functionProgram(command)
    : commandProgram(command, { outputTo: 'report', timeoutMs, ownGroup: true })
}

/** Runs the client against a sandbox that others may use too: only its new calls are judged. */
async function observeIn(sandbox: Sandbox, command: ClientCommand): Promise<ClientCertificate> {
  const { variablesOf } = await import('../../../protocol/control/outputs.js')
  const program = await programOf(command, null)
  const { data } = await sandbox.control.call('GET /requests', { query: { limit: 1 } })
  const last = data[0]
  const [account] = Object.values(sandbox.accounts)
  const [credential] = account?.credentials ?? []
  if (account === undefined || credential === undefined)
    throw new UsageError('certifyClient: the sandbox has no account')
  await program(variablesOf(sandbox.url, account.username, credential, undefined))
  return sandbox.control.call('POST /certify/client', { body: last === undefined ? {} : { after: last.request_id } })
}
