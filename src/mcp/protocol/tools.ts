/** The MCP tools, a row each. Their input schemas come from the endpoint or control route that they call. */
import { controlRoutes } from '../../protocol/control/index.js'
import type { ControlRow } from '../../protocol/control/route.js'
import { type EndpointName, endpoints } from '../../protocol/platform/endpoints.js'
import { seconds } from '../../protocol/platform/figures.js'
import { cashoutSettleMs } from '../../protocol/platform/limits.js'

export interface ToolRow {
  /** The description for agents. */
  says: string
  /** An endpoint of the platform API, called with a token and, if required, a signature. */
  api?: EndpointName
  /** A route of the control API. */
  control?: ControlRow
  /** Deletes or changes something that cannot be restored. */
  isDestructive?: true
}

const ownTools: Readonly<Record<string, ToolRow>> = {
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
    control: controlRoutes.trigger,
  },
  read_clock: { says: 'Read the time of the sandbox and the next due job.', control: controlRoutes.readClock },
  set_clock: {
    says: 'Freeze the clock (manual), resume it (realtime), or set it to a later time.',
    control: controlRoutes.setClock,
  },
  advance_clock: {
    says: 'Advance the clock and run everything due in order, including webhooks. If complete is false, the advance continues, and in_flight lists the webhooks without a response.',
    control: controlRoutes.advanceClock,
  },
  cancel_advance: {
    says: 'Cancel an advance of the clock that continues in the background.',
    control: controlRoutes.cancelAdvance,
    isDestructive: true,
  },
  wait_for_webhook: {
    says: 'Wait until an event is delivered, and read its exact body.',
    control: controlRoutes.waitForWebhook,
  },
  list_webhooks: { says: 'List events and the status of their delivery.', control: controlRoutes.listWebhooks },
  read_webhook: { says: 'Read one event with every delivery attempt.', control: controlRoutes.readWebhook },
  redeliver_webhook: { says: 'Send an event again now.', control: controlRoutes.redeliverWebhook },
  list_transactions: { says: 'List transactions, newest first.', control: controlRoutes.listTransactions },
  read_timeline: {
    says: 'Read one transaction with its history, events, postings, and the actions allowed now.',
    control: controlRoutes.readTransaction,
  },
  list_requests: {
    says: 'List API calls, newest first; filter by error_code to find rejected ones.',
    control: controlRoutes.listRequests,
  },
  explain_request: {
    says: 'Read one API call in full: bodies, and why its signature was rejected, with the probable mistake.',
    control: controlRoutes.readRequest,
  },
  list_scenarios: { says: 'List the scenarios that can be run or armed.', control: controlRoutes.listScenarios },
  read_scenario: { says: 'Read one scenario, step by step.', control: controlRoutes.readScenario },
  run_scenario: {
    says: 'Run a scenario; fast_forward advances the clock instead of waiting.',
    control: controlRoutes.runScenario,
  },
  read_run: { says: 'Read the progress of a run, step by step.', control: controlRoutes.readRun },
  arm_scenario: {
    says: "Arm a scenario: it takes effect on the integrator's next matching call.",
    control: controlRoutes.armScenario,
  },
  disarm_scenario: { says: 'Disarm a scenario: calls are no longer affected.', control: controlRoutes.disarmScenario },
  list_accounts: {
    says: 'List accounts with balances, credentials and webhook URLs.',
    control: controlRoutes.listAccounts,
  },
  set_balances: {
    says: 'Set the available balances of an account.',
    control: controlRoutes.setBalances,
    isDestructive: true,
  },
  list_snapshots: { says: 'List the saved snapshots, newest first.', control: controlRoutes.listSnapshots },
  save_snapshot: { says: 'Save the whole state under a name.', control: controlRoutes.saveSnapshot },
  restore_snapshot: {
    says: 'Restore the whole state from a snapshot; the present state is lost.',
    control: controlRoutes.restoreSnapshot,
    isDestructive: true,
  },
  read_chaos: { says: 'Read which random faults occur, and how often.', control: controlRoutes.readChaos },
  set_chaos: {
    says: 'Inject random faults from now on; replaces all earlier faults.',
    control: controlRoutes.setChaos,
  },
  end_chaos: { says: 'Stop injecting faults.', control: controlRoutes.endChaos },
  reset: { says: 'Return to the state right after start.', control: controlRoutes.reset, isDestructive: true },
}

/** The tools for the sandbox's own routes, and those that `routes`, the rows of features, declare. */
export function toolTable(routes: readonly ControlRow[]): ReadonlyMap<string, ToolRow> {
  const declared = routes.flatMap((row) =>
    row.tool === undefined ? [] : [[row.tool.name, toolOf(row, row.tool)] as const],
  )
  return new Map([...Object.entries(ownTools), ...declared])
}

const toolOf = (control: ControlRow, { says }: { says: string }): ToolRow => ({ says, control })

/** Returns the endpoint or route that a tool calls. */
export function rowOf({ says, api, control }: ToolRow): { api: EndpointName } | { control: ControlRow } {
  if (api !== undefined) return { api }
  if (control !== undefined) return { control }
  throw new Error(`the tool has no route: ${says}`)
}

/** Returns hints that a client can show before it calls a tool. */
export function annotationsOf(tool: ToolRow): { readOnlyHint: boolean; destructiveHint: boolean } {
  const row = rowOf(tool)
  const { method } = 'api' in row ? endpoints[row.api] : row.control
  return { readOnlyHint: method === 'GET', destructiveHint: tool.isDestructive === true }
}

export const requestSchemaOf = (name: EndpointName) => endpoints[name].request
