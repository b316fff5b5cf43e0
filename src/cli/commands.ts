/** Every command: where it stands in the help of the program, what it is for, and its file. */
import { isKeyOf } from '../base/keys.js'
import type { CommandFile } from './command.js'

interface CommandRow {
  group: string
  /** For the list of all commands, which is to fit one screen. */
  short: string
  /** For its own help. */
  summary: string
  /** Its file: only that of the command that is asked for is loaded. */
  load(): Promise<CommandFile>
}

export const commands = {
  start: {
    group: 'Start and end a sandbox',
    short: 'start a sandbox',
    summary: 'start a sandbox',
    load: () => import('./start/start.js'),
  },
  stop: {
    group: 'Start and end a sandbox',
    short: 'end one left running',
    summary: 'end a sandbox that runs in the background',
    load: () => import('./detached/stop.js'),
  },
  status: {
    group: 'Start and end a sandbox',
    short: 'what runs there',
    summary: 'what runs in the background',
    load: () => import('./detached/status.js'),
  },
  exec: {
    group: 'Start and end a sandbox',
    short: 'one for a single command',
    summary: 'run a command with a sandbox of its own',
    load: () => import('./start/exec.js'),
  },
  env: {
    group: 'Start and end a sandbox',
    short: 'address and secrets',
    summary: 'address and secrets, for a shell or a dotenv file',
    load: () => import('./start/env.js'),
  },
  request: {
    group: 'Make something happen',
    short: 'call the API, signed',
    summary: 'call the API with token and signature, and print the answer',
    load: () => import('./act/request.js'),
  },
  trigger: {
    group: 'Make something happen',
    short: 'pay, fail, refund, …',
    summary: 'let something happen: a payment, a failure, a dispute',
    load: () => import('./act/trigger.js'),
  },
  scenario: {
    group: 'Make something happen',
    short: 'run a story, or arm it',
    summary: 'run scenarios, or arm them to catch your own calls',
    load: () => import('./scenario/scenario.js'),
  },
  clock: {
    group: 'Make something happen',
    short: 'walk time on, freeze it',
    summary: 'read the clock, walk it forward, freeze it, let it run',
    load: () => import('./act/clock.js'),
  },
  transactions: {
    group: 'See what happened',
    short: 'list, show one, follow',
    summary: 'the newest, one in full, or as they come',
    load: () => import('./watch/transactions.js'),
  },
  disputes: {
    group: 'See what happened',
    short: 'those that payers open',
    summary: 'those of payers: the newest, one in full, or as they come',
    load: () => import('./watch/disputes.js'),
  },
  webhooks: {
    group: 'See what happened',
    short: 'events and their delivery',
    summary: 'events and their delivery; send one again',
    load: () => import('./watch/webhooks.js'),
  },
  inbox: {
    group: 'See what happened',
    short: 'webhooks that came here',
    summary: 'webhooks that came here, for those without a receiver',
    load: () => import('./watch/inbox.js'),
  },
  listen: {
    group: 'See what happened',
    short: 'receive webhooks here',
    summary: 'receive webhooks here, print them, hand them on',
    load: () => import('./watch/listen.js'),
  },
  requests: {
    group: 'See what happened',
    short: 'calls, and why refused',
    summary: 'the journal of API calls, and why a signature was refused',
    load: () => import('./watch/requests.js'),
  },
  logs: {
    group: 'See what happened',
    short: 'each call, as it happens',
    summary: 'a line for each call and each webhook, as they happen',
    load: () => import('./watch/logs.js'),
  },
  account: {
    group: 'Prepare and keep state',
    short: 'keys, money, limits',
    summary: 'accounts, their credentials and balances',
    load: () => import('./state/account.js'),
  },
  workspace: {
    group: 'Prepare and keep state',
    short: 'sandboxes side by side',
    summary: 'separate sandboxes in one process',
    load: () => import('./state/workspace.js'),
  },
  seed: {
    group: 'Prepare and keep state',
    short: 'a month of demo data',
    summary: 'fill the sandbox as if it had been used for a month',
    load: () => import('./state/seed.js'),
  },
  snapshot: {
    group: 'Prepare and keep state',
    short: 'keep the state, go back',
    summary: 'keep the whole state under a name, and bring it back',
    load: () => import('./state/snapshot.js'),
  },
  reset: {
    group: 'Prepare and keep state',
    short: 'as it was after start',
    summary: 'back to the state right after start',
    load: () => import('./state/reset.js'),
  },
  certify: {
    group: 'Check your side, and feel at home',
    short: 'is your side right?',
    summary: 'is your side right, rule by rule?',
    load: () => import('../certify/cli/certify.js'),
  },
  doctor: {
    group: 'Check your side, and feel at home',
    short: 'is the sandbox well?',
    summary: 'what is wrong, why, and what to do about it',
    load: () => import('./watch/doctor.js'),
  },
  mcp: {
    group: 'Check your side, and feel at home',
    short: 'serve agents (MCP)',
    summary: 'serve the sandbox to agents over the Model Context Protocol',
    load: () => import('./mcp/command.js'),
  },
  completion: {
    group: 'Check your side, and feel at home',
    short: 'for bash, zsh and fish',
    summary: 'let your shell complete commands, flags and values',
    load: () => import('./completion/command.js'),
  },
} as const satisfies Record<string, CommandRow>

export type CommandName = keyof typeof commands
export const isCommand = (name: string): name is CommandName => isKeyOf(commands, name)
