/** The MCP tools, a row each. Their input schemas come from the endpoint or control route that they call. */
import { keysOf } from '../../base/keys.js'
import { controlRoutes } from '../../protocol/control/index.js'
import type { ControlRow } from '../../protocol/control/route.js'
import { type EndpointName, endpoints } from '../../protocol/platform/endpoints.js'
import { seconds } from '../../protocol/platform/figures.js'
import { cashoutSettleMs } from '../../protocol/platform/limits.js'

type ControlName = keyof typeof controlRoutes

interface ToolRow {
  /** The description for agents. */
  says: string
  /** An endpoint of the platform API, called with a token and, if required, a signature. */
  api?: EndpointName
  /** A route of the control API. */
  control?: ControlName
  /** Deletes or changes something that cannot be restored. */
  isDestructive?: true
}

export const tools = {
  create_charge: {
    says: 'Create a charge (cash-in): PIX, SPEI or crypto. It stays unpaid until trigger cashin.pay.',
    api: 'cashin',
  },
  withdraw: {
    says: `Create a withdrawal (cash-out), with a signature. It settles after ${seconds(cashoutSettleMs)} by default.`,
    api: 'cashout',
  },
  create_wallet: { says: 'Create a fixed wallet that accepts deposits.', api: 'wallet' },
  transfer: { says: 'Send money to another account of the sandbox, with a signature.', api: 'transfer' },
  convert: { says: 'Convert between two currencies, with a signature.', api: 'conversion' },
  read_balance: { says: 'Read the balances of the account by currency.', api: 'balance' },
  trigger: {
    says: 'Trigger an action: a payment, an expiry, a failure, a refund, a dispute. With create, a suitable object is created first.',
    control: 'trigger',
  },
  read_clock: { says: 'Read the time of the sandbox and the next due job.', control: 'readClock' },
  set_clock: {
    says: 'Freeze the clock (manual), resume it (realtime), or set it to a later time.',
    control: 'setClock',
  },
  advance_clock: {
    says: 'Advance the clock and run everything due in order, including webhooks. If complete is false, the advance continues, and in_flight lists the webhooks without a response.',
    control: 'advanceClock',
  },
  cancel_advance: {
    says: 'Cancel an advance of the clock that continues in the background.',
    control: 'cancelAdvance',
    isDestructive: true,
  },
  wait_for_webhook: {
    says: 'Wait until an event is delivered, and read its exact body.',
    control: 'waitForWebhook',
  },
  list_webhooks: { says: 'List events and the status of their delivery.', control: 'listWebhooks' },
  read_webhook: { says: 'Read one event with every delivery attempt.', control: 'readWebhook' },
  redeliver_webhook: { says: 'Send an event again now.', control: 'redeliverWebhook' },
  list_transactions: { says: 'List transactions, newest first.', control: 'listTransactions' },
  read_timeline: {
    says: 'Read one transaction with its history, events, postings, and the actions allowed now.',
    control: 'readTransaction',
  },
  list_requests: {
    says: 'List API calls, newest first; filter by error_code to find rejected ones.',
    control: 'listRequests',
  },
  explain_request: {
    says: 'Read one API call in full: bodies, and why its signature was rejected, with the probable mistake.',
    control: 'readRequest',
  },
  list_scenarios: { says: 'List the scenarios that can be run or armed.', control: 'listScenarios' },
  read_scenario: { says: 'Read one scenario, step by step.', control: 'readScenario' },
  run_scenario: { says: 'Run a scenario; fast_forward advances the clock instead of waiting.', control: 'runScenario' },
  read_run: { says: 'Read the progress of a run, step by step.', control: 'readRun' },
  arm_scenario: {
    says: "Arm a scenario: it takes effect on the integrator's next matching call.",
    control: 'armScenario',
  },
  disarm_scenario: { says: 'Disarm a scenario: calls are no longer affected.', control: 'disarmScenario' },
  list_accounts: { says: 'List accounts with balances, credentials and webhook URLs.', control: 'listAccounts' },
  set_balances: { says: 'Set the available balances of an account.', control: 'setBalances', isDestructive: true },
  certify_receiver: {
    says: 'Test a webhook receiver at its address; a failed requirement comes with evidence and a correction.',
    control: 'certifyReceiver',
  },
  certify_client: {
    says: 'Judge the calls that the integration has made, from the request log.',
    control: 'certifyClient',
  },
  certify_books: {
    says: "Compare the integrator's ledger with the statement of an account.",
    control: 'certifyBooks',
  },
  compare: {
    says: 'Compare a recording of the platform (HAR) with a fresh sandbox, field by field.',
    control: 'compare',
  },
  list_snapshots: { says: 'List the saved snapshots, newest first.', control: 'listSnapshots' },
  save_snapshot: { says: 'Save the whole state under a name.', control: 'saveSnapshot' },
  restore_snapshot: {
    says: 'Restore the whole state from a snapshot; the present state is lost.',
    control: 'restoreSnapshot',
    isDestructive: true,
  },
  read_chaos: { says: 'Read which random faults occur, and how often.', control: 'readChaos' },
  set_chaos: { says: 'Inject random faults from now on; replaces all earlier faults.', control: 'setChaos' },
  end_chaos: { says: 'Stop injecting faults.', control: 'endChaos' },
  reset: { says: 'Return to the state right after start.', control: 'reset', isDestructive: true },
} as const satisfies Record<string, ToolRow>

export type ToolName = keyof typeof tools
export const toolNames = keysOf(tools)

/** Returns the endpoint or route that a tool calls. */
export function rowOf(name: ToolName): { api: EndpointName } | { control: ControlRow } {
  const tool: ToolRow = tools[name]
  if (tool.api !== undefined) return { api: tool.api }
  if (tool.control !== undefined) return { control: controlRoutes[tool.control] }
  throw new Error(`the tool ${name} has no route`)
}

/** Returns hints that a client can show before it calls a tool. */
export function annotationsOf(name: ToolName): { readOnlyHint: boolean; destructiveHint: boolean } {
  const { isDestructive: destroys }: ToolRow = tools[name]
  const row = rowOf(name)
  const { method } = 'api' in row ? endpoints[row.api] : row.control
  return { readOnlyHint: method === 'GET', destructiveHint: destroys === true }
}

export const requestSchemaOf = (name: EndpointName) => endpoints[name].request
