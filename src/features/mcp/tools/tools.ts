/** The MCP tools, a row each. Their input schemas come from the endpoint or control route that they call. */
import { type ControlRow, controlRoutes, type ToolOfRoute } from '../../../inside/control.js'
import { cashoutSettleMs, type EndpointName, endpoints, seconds } from '../../../inside/platform.js'

export interface ToolRow {
  /** The description for agents. */
  description: string
  /** Arguments that show how the tool is called. */
  example: Readonly<Record<string, unknown>>
  /** Whether the tool is listed unless others are selected. */
  isDefault?: boolean
  /** An endpoint of the platform API, called with a token and, if required, a signature. */
  api?: EndpointName
  /** A route of the control API. */
  control?: ControlRow
  /** Deletes or changes something that cannot be restored. */
  isDestructive?: true
}

const ownTools: Readonly<Record<string, ToolRow>> = {
  create_charge: {
    description: 'Create a charge (cash-in): PIX, SPEI or crypto. It stays unpaid until trigger cashin.pay.',
    example: { amount: 25, currency: 'BRL', external_id: 'order-1' },
    isDefault: true,
    api: 'cashin',
  },
  withdraw: {
    description: `Create a withdrawal (cash-out), with a signature. It settles after ${seconds(cashoutSettleMs)} by default.`,
    example: { amount: 10, currency: 'BRL', key: 'ana@example.com', external_id: 'payout-1' },
    isDefault: true,
    api: 'cashout',
  },
  create_wallet: {
    description: 'Create a fixed wallet that accepts deposits.',
    example: { currency: 'USDT', chain: 'tron' },
    api: 'wallet',
  },
  transfer: {
    description: 'Send money to another account of the sandbox, with a signature.',
    example: { username: 'customer', amount: 5, currency: 'BRL', external_id: 'transfer-1' },
    api: 'transfer',
  },
  convert: {
    description: 'Convert between two currencies, with a signature.',
    example: { base_currency: 'BRL', destination_currency: 'USDT', amount: 50, external_id: 'conversion-1' },
    api: 'conversion',
  },
  read_balance: { description: 'Read the balances of the account by currency.', example: {}, api: 'balance' },
  trigger: {
    description:
      'Trigger an action: a payment, an expiry, a failure, a refund, a dispute. With create, a suitable object is created first.',
    example: { action: 'cashin.pay', id: 'order-1' },
    isDefault: true,
    control: controlRoutes.trigger,
  },
  read_clock: {
    description: 'Read the time of the sandbox and the next due job.',
    example: {},
    control: controlRoutes.readClock,
  },
  set_clock: {
    description: 'Freeze the clock (manual), resume it (realtime), or set it to a later time.',
    example: { mode: 'manual' },
    control: controlRoutes.setClock,
  },
  advance_clock: {
    description:
      'Advance the clock and run everything due in order, including webhooks. If complete is false, the advance continues, and in_flight lists the webhooks without a response.',
    example: { by: '10m' },
    isDefault: true,
    control: controlRoutes.advanceClock,
  },
  cancel_advance: {
    description: 'Cancel an advance of the clock that continues in the background.',
    example: {},
    control: controlRoutes.cancelAdvance,
    isDestructive: true,
  },
  wait_for_webhook: {
    description: 'Wait until an event is delivered, and read its exact body.',
    example: { event: 'cashin.confirmed', external_id: 'order-1', timeout: '5s' },
    isDefault: true,
    control: controlRoutes.waitForWebhook,
  },
  list_webhooks: {
    description: 'List events and the status of their delivery.',
    example: { status: 'failed' },
    control: controlRoutes.listWebhooks,
  },
  read_webhook: {
    description: 'Read one event with every delivery attempt.',
    example: { id: 'evt_…' },
    control: controlRoutes.readWebhook,
  },
  redeliver_webhook: {
    description: 'Send an event again now.',
    example: { id: 'evt_…' },
    control: controlRoutes.redeliverWebhook,
  },
  list_transactions: {
    description: 'List transactions, newest first.',
    example: { type: 'cashin', status: 'pending' },
    control: controlRoutes.listTransactions,
  },
  read_timeline: {
    description: 'Read one transaction with its history, events, postings, and the actions allowed now.',
    example: { id: 'order-1' },
    isDefault: true,
    control: controlRoutes.readTransaction,
  },
  list_requests: {
    description: 'List API calls, newest first; filter by error_code to find rejected ones.',
    example: { error_code: 'INVALID_SIGNATURE' },
    isDefault: true,
    control: controlRoutes.listRequests,
  },
  explain_request: {
    description: 'Read one API call in full: bodies, and why its signature was rejected, with the probable mistake.',
    example: { id: 'req_…' },
    isDefault: true,
    control: controlRoutes.readRequest,
  },
  list_scenarios: {
    description: 'List the scenarios that can be run or armed.',
    example: {},
    isDefault: true,
    control: controlRoutes.listScenarios,
  },
  read_scenario: {
    description: 'Read one scenario, step by step.',
    example: { name: 'tron-energy-fail' },
    control: controlRoutes.readScenario,
  },
  run_scenario: {
    description: 'Run a scenario; fast_forward advances the clock instead of waiting.',
    example: { name: 'med-dispute-lost', fast_forward: true, wait: true },
    isDefault: true,
    control: controlRoutes.runScenario,
  },
  read_run: {
    description: 'Read the progress of a run, step by step.',
    example: { id: 'run_…' },
    control: controlRoutes.readRun,
  },
  arm_scenario: {
    description: "Arm a scenario: it takes effect on the integrator's next matching call.",
    example: { name: 'lost-answer', times: 1 },
    isDefault: true,
    control: controlRoutes.armScenario,
  },
  disarm_scenario: {
    description: 'Disarm a scenario: calls are no longer affected.',
    example: { name: 'lost-answer' },
    control: controlRoutes.disarmScenario,
  },
  list_accounts: {
    description: 'List accounts with balances, credentials and webhook URLs.',
    example: {},
    isDefault: true,
    control: controlRoutes.listAccounts,
  },
  set_balances: {
    description: 'Set the available balances of an account.',
    example: { username: 'merchant', BRL: '500.00' },
    control: controlRoutes.setBalances,
    isDestructive: true,
  },
  list_snapshots: {
    description: 'List the saved snapshots, newest first.',
    example: {},
    control: controlRoutes.listSnapshots,
  },
  save_snapshot: {
    description: 'Save the whole state under a name.',
    example: { name: 'before' },
    control: controlRoutes.saveSnapshot,
  },
  restore_snapshot: {
    description: 'Restore the whole state from a snapshot; the present state is lost.',
    example: { name: 'before' },
    control: controlRoutes.restoreSnapshot,
    isDestructive: true,
  },
  read_chaos: {
    description: 'Read which random faults occur, and how often.',
    example: {},
    control: controlRoutes.readChaos,
  },
  set_chaos: {
    description: 'Inject random faults from now on; replaces all earlier faults.',
    example: { seed: 'a', error: '1%' },
    control: controlRoutes.setChaos,
  },
  end_chaos: { description: 'Stop injecting faults.', example: {}, control: controlRoutes.endChaos },
  reset: {
    description: 'Return to the state right after start.',
    example: {},
    control: controlRoutes.reset,
    isDestructive: true,
  },
}

/** The tools for the sandbox's own routes, and those that `routes`, the rows of features, declare. */
export function toolTable(routes: readonly ControlRow[]): ReadonlyMap<string, ToolRow> {
  const declared = routes.flatMap((row) =>
    row.tool === undefined ? [] : [[row.tool.name, toolOf(row, row.tool)] as const],
  )
  return new Map([...Object.entries(ownTools), ...declared])
}

const toolOf = (control: ControlRow, { description, example, isDefault }: ToolOfRoute): ToolRow => ({
  description,
  example,
  isDefault: isDefault === true,
  control,
})

/** Returns the endpoint or route that a tool calls. */
export function rowOf({ description, api, control }: ToolRow): { api: EndpointName } | { control: ControlRow } {
  if (api !== undefined) return { api }
  if (control !== undefined) return { control }
  throw new Error(`the tool has no route: ${description}`)
}

/** Returns hints that a client can show before it calls a tool. */
export function annotationsOf(tool: ToolRow): { readOnlyHint: boolean; destructiveHint: boolean } {
  const row = rowOf(tool)
  const { method } = 'api' in row ? endpoints[row.api] : row.control
  return { readOnlyHint: method === 'GET', destructiveHint: tool.isDestructive === true }
}

export const requestSchemaOf = (name: EndpointName) => endpoints[name].request()
