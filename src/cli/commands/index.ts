/** The table of commands: group in the help, summary, and the file that implements it. */
import type { Feature } from '../../feature.js'
import type { CommandRow, CommandTable } from '../command.js'

const commands = {
  start: {
    group: 'Start and stop a sandbox',
    short: 'start a sandbox',
    summary: 'start a sandbox',
    load: () => import('./start.js'),
  },
  stop: {
    group: 'Start and stop a sandbox',
    short: 'stop a background sandbox',
    summary: 'stop a sandbox that runs in the background',
    load: async () => (await import('./stop.js')).stop,
  },
  status: {
    group: 'Start and stop a sandbox',
    short: 'list background sandboxes',
    summary: 'list the sandboxes that run in the background',
    load: async () => (await import('./stop.js')).status,
  },
  exec: {
    group: 'Start and stop a sandbox',
    short: 'sandbox for one command',
    summary: 'run a command with its own sandbox',
    load: async () => (await import('./env.js')).exec,
  },
  env: {
    group: 'Start and stop a sandbox',
    short: 'print URL and secrets',
    summary: 'print the base URL and secrets for a shell or a dotenv file',
    load: async () => (await import('./env.js')).env,
  },
  request: {
    group: 'Simulate activity',
    short: 'call the platform API',
    summary: 'call the platform API with token and signature and print the response',
    load: () => import('./request.js'),
  },
  trigger: {
    group: 'Simulate activity',
    short: 'pay, fail, refund, …',
    summary: 'trigger an action: a payment, a failure, a dispute',
    load: () => import('./trigger.js'),
  },
  scenario: {
    group: 'Simulate activity',
    short: 'run or arm a scenario',
    summary: 'run scenarios, or arm them for your own calls',
    load: () => import('./scenario.js'),
  },
  clock: {
    group: 'Simulate activity',
    short: 'advance, freeze, resume',
    summary: 'read, advance, freeze or resume the clock',
    load: () => import('./clock.js'),
  },
  chaos: {
    group: 'Simulate activity',
    short: 'inject random faults',
    summary: 'inject random faults: errors, dropped responses, duplicate webhooks',
    load: () => import('./chaos.js'),
  },
  transactions: {
    group: 'Inspect what happened',
    short: 'list, show one, follow',
    summary: 'list recent transactions, show one, or follow new ones',
    load: async () => (await import('./transactions.js')).transactions,
  },
  disputes: {
    group: 'Inspect what happened',
    short: 'list, show, follow',
    summary: 'list recent disputes, show one, or follow new ones',
    load: async () => (await import('./transactions.js')).disputes,
  },
  webhooks: {
    group: 'Inspect what happened',
    short: 'list, show, redeliver',
    summary: 'list events and their delivery, show or redeliver one',
    load: async () => (await import('./webhooks.js')).webhooks,
  },
  inbox: {
    group: 'Inspect what happened',
    short: 'list received webhooks',
    summary: 'list the webhooks that an inbox received',
    load: async () => (await import('./webhooks.js')).inbox,
  },
  listen: {
    group: 'Inspect what happened',
    short: 'print, forward webhooks',
    summary: 'receive webhooks, print them, and forward them',
    load: () => import('./listen.js'),
  },
  requests: {
    group: 'Inspect what happened',
    short: 'request log',
    summary: 'show the request log, and why a signature was rejected',
    load: () => import('./requests.js'),
  },
  logs: {
    group: 'Inspect what happened',
    short: 'follow calls, webhooks',
    summary: 'follow API calls and webhooks, one line each',
    load: () => import('./logs.js'),
  },
  settings: {
    group: 'Inspect what happened',
    short: 'values and sources',
    summary: 'list the settings of the running sandbox, their defaults and sources',
    load: async () => (await import('./state.js')).settings,
  },
  account: {
    group: 'Manage state',
    short: 'create, list, set',
    summary: 'list and create accounts; set balances, limits and fees',
    load: () => import('./account.js'),
  },
  workspace: {
    group: 'Manage state',
    short: 'list, create, delete',
    summary: 'list, create and delete workspaces: separate sandboxes in one process',
    load: async () => (await import('./state.js')).workspace,
  },
  seed: {
    group: 'Manage state',
    short: 'create sample data',
    summary: 'create sample data for a month',
    load: async () => (await import('./state.js')).seed,
  },
  snapshot: {
    group: 'Manage state',
    short: 'save, restore state',
    summary: 'save and restore the complete state',
    load: async () => (await import('./state.js')).snapshot,
  },
  reset: {
    group: 'Manage state',
    short: 'reset the state',
    summary: 'return to the state right after start',
    load: async () => (await import('./state.js')).reset,
  },
  doctor: {
    group: 'Test and integrate',
    short: 'diagnose problems',
    summary: 'diagnose problems: what is wrong, why, and how to fix it',
    load: () => import('./doctor.js'),
  },
  collection: {
    group: 'Test and integrate',
    short: 'for Postman and Bruno',
    summary: 'write all calls of the platform API as a collection for Postman or Bruno',
    load: () => import('./collection.js'),
  },
  completion: {
    group: 'Test and integrate',
    short: 'for bash, zsh and fish',
    summary: 'print a completion script for your shell',
    load: () => import('./completion.js'),
  },
} as const satisfies Record<string, CommandRow>

/** The commands of the features come first in their group. */
export const commandsWith = (features: readonly Feature[]): CommandTable =>
  Object.assign({}, ...features.map((one) => one.commands), commands)
