/** The table of commands: group in the help, summary, and the file that implements it. */
import { isKeyOf } from '../base/keys.js'
import type { CommandFile } from './command.js'

interface CommandRow {
  group: string
  /** Summary in the list of all commands, which fits one screen. */
  short: string
  /** Summary in the help of the command. */
  summary: string
  /** Loads the file of the command. Only the command that runs is loaded. */
  load(): Promise<CommandFile>
}

export const commands = {
  start: {
    group: 'Start and stop a sandbox',
    short: 'start a sandbox',
    summary: 'start a sandbox',
    load: () => import('./start/start.js'),
  },
  stop: {
    group: 'Start and stop a sandbox',
    short: 'stop a background sandbox',
    summary: 'stop a sandbox that runs in the background',
    load: () => import('./detached/stop.js'),
  },
  status: {
    group: 'Start and stop a sandbox',
    short: 'list background sandboxes',
    summary: 'list the sandboxes that run in the background',
    load: () => import('./detached/status.js'),
  },
  exec: {
    group: 'Start and stop a sandbox',
    short: 'start one for a command',
    summary: 'run a command with its own sandbox',
    load: () => import('./start/exec.js'),
  },
  env: {
    group: 'Start and stop a sandbox',
    short: 'print URL and secrets',
    summary: 'print the base URL and secrets for a shell or a dotenv file',
    load: () => import('./start/env.js'),
  },
  request: {
    group: 'Simulate activity',
    short: 'call the platform API',
    summary: 'call the platform API with token and signature and print the response',
    load: () => import('./act/request.js'),
  },
  trigger: {
    group: 'Simulate activity',
    short: 'pay, fail, refund, …',
    summary: 'trigger an action: a payment, a failure, a dispute',
    load: () => import('./act/trigger.js'),
  },
  scenario: {
    group: 'Simulate activity',
    short: 'run or arm a scenario',
    summary: 'run scenarios, or arm them for your own calls',
    load: () => import('./scenario/scenario.js'),
  },
  clock: {
    group: 'Simulate activity',
    short: 'advance, freeze, resume',
    summary: 'read, advance, freeze or resume the clock',
    load: () => import('./act/clock.js'),
  },
  chaos: {
    group: 'Simulate activity',
    short: 'inject random faults',
    summary: 'inject random faults: errors, dropped responses, duplicate webhooks',
    load: () => import('./act/chaos.js'),
  },
  transactions: {
    group: 'Inspect what happened',
    short: 'list, show one, follow',
    summary: 'list recent transactions, show one, or follow new ones',
    load: () => import('./watch/transactions.js'),
  },
  disputes: {
    group: 'Inspect what happened',
    short: 'list, show, follow',
    summary: 'list recent disputes, show one, or follow new ones',
    load: () => import('./watch/disputes.js'),
  },
  webhooks: {
    group: 'Inspect what happened',
    short: 'list, show, redeliver',
    summary: 'list events and their delivery, show or redeliver one',
    load: () => import('./watch/webhooks.js'),
  },
  inbox: {
    group: 'Inspect what happened',
    short: 'list received webhooks',
    summary: 'list the webhooks that an inbox received',
    load: () => import('./watch/inbox.js'),
  },
  listen: {
    group: 'Inspect what happened',
    short: 'print, forward webhooks',
    summary: 'receive webhooks, print them, and forward them',
    load: () => import('./watch/listen.js'),
  },
  requests: {
    group: 'Inspect what happened',
    short: 'request log',
    summary: 'show the request log, and why a signature was rejected',
    load: () => import('./watch/requests.js'),
  },
  logs: {
    group: 'Inspect what happened',
    short: 'follow calls, webhooks',
    summary: 'follow API calls and webhooks, one line each',
    load: () => import('./watch/logs.js'),
  },
  account: {
    group: 'Manage state',
    short: 'create, list, set',
    summary: 'list and create accounts; set balances, limits and fees',
    load: () => import('./state/account.js'),
  },
  workspace: {
    group: 'Manage state',
    short: 'list, create, delete',
    summary: 'list, create and delete workspaces: separate sandboxes in one process',
    load: () => import('./state/workspace.js'),
  },
  seed: {
    group: 'Manage state',
    short: 'create sample data',
    summary: 'create sample data for a month',
    load: () => import('./state/seed.js'),
  },
  snapshot: {
    group: 'Manage state',
    short: 'save, restore state',
    summary: 'save and restore the complete state',
    load: () => import('./state/snapshot.js'),
  },
  reset: {
    group: 'Manage state',
    short: 'reset the state',
    summary: 'return to the state right after start',
    load: () => import('./state/reset.js'),
  },
  certify: {
    group: 'Test and integrate',
    short: 'test your integration',
    summary: 'test your integration: a receiver, a client or your books',
    load: () => import('../certify/cli/certify.js'),
  },
  record: {
    group: 'Test and integrate',
    short: 'record platform calls',
    summary: 'record calls and webhooks of a platform as a HAR file, without secrets',
    load: () => import('../record/cli/record.js'),
  },
  compare: {
    group: 'Test and integrate',
    short: 'compare with platform',
    summary: 'compare recordings of the platform with the sandbox',
    load: () => import('../compare/cli/compare.js'),
  },
  doctor: {
    group: 'Test and integrate',
    short: 'diagnose problems',
    summary: 'diagnose problems: what is wrong, why, and how to fix it',
    load: () => import('./watch/doctor.js'),
  },
  mcp: {
    group: 'Test and integrate',
    short: 'serve agents (MCP)',
    summary: 'serve the sandbox to agents over the Model Context Protocol',
    load: () => import('../mcp/cli/command.js'),
  },
  collection: {
    group: 'Test and integrate',
    short: 'for Postman and Bruno',
    summary: 'write all calls of the platform API as a collection for Postman or Bruno',
    load: () => import('./collection/command.js'),
  },
  completion: {
    group: 'Test and integrate',
    short: 'for bash, zsh and fish',
    summary: 'print a completion script for your shell',
    load: () => import('./completion/command.js'),
  },
} as const satisfies Record<string, CommandRow>

export type CommandName = keyof typeof commands
export const isCommand = (name: string): name is CommandName => isKeyOf(commands, name)
