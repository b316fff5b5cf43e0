/** The tools that agents get: a row each, its input made from the row of the API or of the control API that it calls. */

import { keysOf } from '../../base/keys.js'
import { controlRoutes } from '../../protocol/control/index.js'
import type { ControlRow } from '../../protocol/control/route.js'
import { type EndpointName, endpoints } from '../../protocol/platform/endpoints.js'
import { seconds } from '../../protocol/platform/figures.js'
import { cashoutSettleMs } from '../../protocol/platform/limits.js'

type ControlName = keyof typeof controlRoutes

interface ToolRow {
  /** What an agent should know before it takes it. */
  says: string
  /** A call of the faked API, with a token and, where it needs one, a signature. */
  api?: EndpointName
  /** A route of the control API. */
  control?: ControlName
  /** It takes something away that cannot be had back. */
  destroys?: true
}

export const tools = {
  create_charge: {
    says: 'Create a charge (cash-in): PIX, SPEI or crypto. Unpaid until trigger cashin.pay.',
    api: 'cashin',
  },
  withdraw: {
    says: `Create a withdrawal (cash-out), signed. It settles by itself after ${seconds(cashoutSettleMs)}.`,
    api: 'cashout',
  },
  create_wallet: { says: 'Create a fixed wallet that takes deposits.', api: 'wallet' },
  transfer: { says: 'Send money to another account of the sandbox, signed.', api: 'transfer' },
  convert: { says: 'Convert between two currencies, signed.', api: 'conversion' },
  read_balance: { says: 'What the account has, by currency.', api: 'balance' },
  trigger: {
    says: 'Let something happen: a payment, an expiry, a failure, a refund, a dispute. With create a fitting object is made first.',
    control: 'trigger',
  },
  read_clock: { says: 'What time it is in the sandbox, and what is due.', control: 'readClock' },
  set_clock: { says: 'Freeze the clock (manual), let it run (realtime), or set it forward.', control: 'setClock' },
  advance_clock: {
    says: 'Advance the clock: everything due happens in order, webhooks included. Where complete is false, in_flight names the webhooks that have not been answered, and it continues.',
    control: 'advanceClock',
  },
  cancel_advance: {
    says: 'Cancel an advance of the clock that continues in the background.',
    control: 'cancelAdvance',
    destroys: true,
  },
  wait_for_webhook: {
    says: 'Wait until an event has been delivered, and read its exact body.',
    control: 'waitForWebhook',
  },
  list_webhooks: { says: 'Events and what became of them.', control: 'listWebhooks' },
  read_webhook: { says: 'One event with every attempt to deliver it.', control: 'readWebhook' },
  redeliver_webhook: { says: 'Send an event again, now.', control: 'redeliverWebhook' },
  list_transactions: { says: 'Transactions, newest first.', control: 'listTransactions' },
  read_timeline: {
    says: 'One transaction with its history, events, postings, and the actions that would work now.',
    control: 'readTransaction',
  },
  list_requests: {
    says: 'Calls that were made, newest first; filter by error_code to find refused ones.',
    control: 'listRequests',
  },
  explain_request: {
    says: 'One call in full: bodies, and why its signature was refused, with the known mistake that gives it.',
    control: 'readRequest',
  },
  list_scenarios: { says: 'Scenarios that can be run or armed.', control: 'listScenarios' },
  read_scenario: { says: 'One scenario, step by step.', control: 'readScenario' },
  run_scenario: { says: 'Play a scenario; fast_forward moves the clock instead of waiting.', control: 'runScenario' },
  read_run: { says: 'How a scenario that was run is getting on, step by step.', control: 'readRun' },
  arm_scenario: { says: "Let a scenario catch the integrator's own calls from now on.", control: 'armScenario' },
  disarm_scenario: { says: 'Let calls pass again.', control: 'disarmScenario' },
  list_accounts: { says: 'Accounts with balances, credentials and webhook addresses.', control: 'listAccounts' },
  set_balances: { says: 'Set what an account has available.', control: 'setBalances', destroys: true },
  reset: { says: 'Back to the state right after start.', control: 'reset', destroys: true },
} as const satisfies Record<string, ToolRow>

export type ToolName = keyof typeof tools
export const toolNames = keysOf(tools)

/** The row that a tool calls. */
export function rowOf(name: ToolName): { api: EndpointName } | { control: ControlRow } {
  const tool: ToolRow = tools[name]
  if (tool.api !== undefined) return { api: tool.api }
  if (tool.control !== undefined) return { control: controlRoutes[tool.control] }
  throw new Error(`the tool ${name} calls nothing`)
}

/** What a client may tell its user before it calls a tool. */
export function annotationsOf(name: ToolName): { readOnlyHint: boolean; destructiveHint: boolean } {
  const { destroys }: ToolRow = tools[name]
  const row = rowOf(name)
  const { method } = 'api' in row ? endpoints[row.api] : row.control
  return { readOnlyHint: method === 'GET', destructiveHint: destroys === true }
}

export const requestSchemaOf = (name: EndpointName) => endpoints[name].request
