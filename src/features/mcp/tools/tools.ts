/** The MCP tools, a row each. Their input schemas come from the endpoint or control route that they call. */
import { type ControlRow, controlRoutes } from '../../../inside/control.js'
import { cashoutSettleMs, type EndpointName, endpoints, seconds } from '../../../inside/platform.js'

export interface ToolRow {
  /** The description for agents. */
  description: string
  /** Arguments that show how the tool is called (default: none). */
  example?: Readonly<Record<string, unknown>>
  /** Whether the tool is listed unless others are selected. */
  isDefault?: true
  /** An endpoint of the platform API, called with a token and, if required, a signature; or a route of the control API. */
  calls: EndpointName | ControlRow
  /** Deletes or changes something that cannot be restored. */
  isDestructive?: true
}

/** Listed by default. */
const usualTools: Readonly<Record<string, ToolRow>> = {
  create_charge: {
    description: 'Create a charge (cash-in): PIX, SPEI or crypto. It stays unpaid until trigger cashin.pay.',
    example: { amount: 25, currency: 'BRL', external_id: 'order-1' },
    calls: 'cashin',
  },
  withdraw: {
    description: `Create a withdrawal (cash-out), with a signature. It settles after ${seconds(cashoutSettleMs)} by default.`,
    example: { amount: 10, currency: 'BRL', key: 'ana@example.com', external_id: 'payout-1' },
    calls: 'cashout',
  },
  trigger: {
    description:
      'Trigger an action: a payment, an expiry, a failure, a refund, a dispute. With create, a suitable object is created first.',
    example: { action: 'cashin.pay', id: 'order-1' },
    calls: controlRoutes.trigger,
  },
  advance_clock: {
    description:
      'Advance the clock and run everything due in order, including webhooks. If complete is false, the advance continues, and in_flight lists the webhooks without a response.',
    example: { by: '10m' },
    calls: controlRoutes.advanceClock,
  },
  wait_for_webhook: {
    description: 'Wait until an event is delivered, and read its exact body.',
    example: { event: 'cashin.confirmed', external_id: 'order-1', timeout: '5s' },
    calls: controlRoutes.waitForWebhook,
  },
  read_timeline: {
    description: 'Read one transaction with its history, events, postings, and the actions allowed now.',
    example: { id: 'order-1' },
    calls: controlRoutes.readTransaction,
  },
  list_requests: {
    description: 'List API calls, newest first; filter by error_code to find rejected ones.',
    example: { error_code: 'INVALID_SIGNATURE' },
    calls: controlRoutes.listRequests,
  },
  explain_request: {
    description: 'Read one API call in full: bodies, and why its signature was rejected, with the probable mistake.',
    example: { id: 'req_…' },
    calls: controlRoutes.readRequest,
  },
  list_scenarios: { description: 'List the scenarios that can be run or armed.', calls: controlRoutes.listScenarios },
  run_scenario: {
    description: 'Run a scenario; fast_forward advances the clock instead of waiting.',
    example: { name: 'med-dispute-lost', fast_forward: true, wait: true },
    calls: controlRoutes.runScenario,
  },
  arm_scenario: {
    description: "Arm a scenario: it takes effect on the integrator's next matching call.",
    example: { name: 'lost-answer', times: 1 },
    calls: controlRoutes.armScenario,
  },
  list_accounts: {
    description: 'List accounts with balances, credentials and webhook URLs.',
    calls: controlRoutes.listAccounts,
  },
}

const otherTools: Readonly<Record<string, ToolRow>> = {
  create_wallet: {
    description: 'Create a fixed wallet that accepts deposits.',
    example: { currency: 'USDT', chain: 'tron' },
    calls: 'wallet',
  },
  transfer: {
    description: 'Send money to another account of the sandbox, with a signature.',
    example: { username: 'customer', amount: 5, currency: 'BRL', external_id: 'transfer-1' },
    calls: 'transfer',
  },
  convert: {
    description: 'Convert between two currencies, with a signature.',
    example: { base_currency: 'BRL', destination_currency: 'USDT', amount: 50, external_id: 'conversion-1' },
    calls: 'conversion',
  },
  read_balance: { description: 'Read the balances of the account by currency.', calls: 'balance' },
  read_clock: { description: 'Read the time of the sandbox and the next due job.', calls: controlRoutes.readClock },
  set_clock: {
    description: 'Freeze the clock (manual), resume it (realtime), or set it to a later time.',
    example: { mode: 'manual' },
    calls: controlRoutes.setClock,
  },
  cancel_advance: {
    description: 'Cancel an advance of the clock that continues in the background.',
    calls: controlRoutes.cancelAdvance,
    isDestructive: true,
  },
  list_webhooks: {
    description: 'List events and the status of their delivery.',
    example: { status: 'failed' },
    calls: controlRoutes.listWebhooks,
  },
  read_webhook: {
    description: 'Read one event with every delivery attempt.',
    example: { id: 'evt_…' },
    calls: controlRoutes.readWebhook,
  },
  redeliver_webhook: {
    description: 'Send an event again now.',
    example: { id: 'evt_…' },
    calls: controlRoutes.redeliverWebhook,
  },
  list_transactions: {
    description: 'List transactions, newest first.',
    example: { type: 'cashin', status: 'pending' },
    calls: controlRoutes.listTransactions,
  },
  read_scenario: {
    description: 'Read one scenario, step by step.',
    example: { name: 'tron-energy-fail' },
    calls: controlRoutes.readScenario,
  },
  read_run: {
    description: 'Read the progress of a run, step by step.',
    example: { id: 'run_…' },
    calls: controlRoutes.readRun,
  },
  disarm_scenario: {
    description: 'Disarm a scenario: calls are no longer affected.',
    example: { name: 'lost-answer' },
    calls: controlRoutes.disarmScenario,
  },
  set_balances: {
    description: 'Set the available balances of an account.',
    example: { username: 'merchant', BRL: '500.00' },
    calls: controlRoutes.setBalances,
    isDestructive: true,
  },
  list_snapshots: { description: 'List the saved snapshots, newest first.', calls: controlRoutes.listSnapshots },
  save_snapshot: {
    description: 'Save the whole state under a name.',
    example: { name: 'before' },
    calls: controlRoutes.saveSnapshot,
  },
  restore_snapshot: {
    description: 'Restore the whole state from a snapshot; the present state is lost.',
    example: { name: 'before' },
    calls: controlRoutes.restoreSnapshot,
    isDestructive: true,
  },
  read_chaos: { description: 'Read which random faults occur, and how often.', calls: controlRoutes.readChaos },
  set_chaos: {
    description: 'Inject random faults from now on; replaces all earlier faults.',
    example: { seed: 'a', error: '1%' },
    calls: controlRoutes.setChaos,
  },
  end_chaos: { description: 'Stop injecting faults.', calls: controlRoutes.endChaos },
  reset: {
    description: 'Return to the state right after start.',
    calls: controlRoutes.reset,
    isDestructive: true,
  },
}

/** The tools for the sandbox's own routes, and those that `routes`, the rows of features, declare. */
export const toolTable = (routes: readonly ControlRow[]): ReadonlyMap<string, ToolRow> =>
  new Map<string, ToolRow>([
    ...Object.entries(usualTools).map(([name, row]) => [name, { ...row, isDefault: true }] as const),
    ...Object.entries(otherTools),
    ...routes.flatMap((row) => (row.tool === undefined ? [] : [[row.tool.name, { ...row.tool, calls: row }] as const])),
  ])

/** Returns hints that a client can show before it calls a tool. */
export const annotationsOf = ({ calls, isDestructive }: ToolRow) => ({
  readOnlyHint: (typeof calls === 'string' ? endpoints[calls] : calls).method === 'GET',
  destructiveHint: isDestructive === true,
})
