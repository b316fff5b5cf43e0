/** Every command: what it is for, and where its definition is loaded from. */
import type { Command } from 'commander'

interface CommandRow {
  group:
    | 'Start and end a sandbox'
    | 'Make something happen'
    | 'See what happened'
    | 'Prepare and keep state'
    | 'Check your side, and feel at home'
  summary: string
  load: () => Promise<(command: Command) => void>
}

export const commands = {
  start: {
    group: 'Start and end a sandbox',
    summary: 'start a sandbox',
    load: async () => (await import('./start.js')).defineStart,
  },
  stop: {
    group: 'Start and end a sandbox',
    summary: 'end a sandbox that runs in the background',
    load: async () => (await import('./detached/stop.js')).defineStop,
  },
  status: {
    group: 'Start and end a sandbox',
    summary: 'what runs in the background',
    load: async () => (await import('./detached/stop.js')).defineStatus,
  },
  exec: {
    group: 'Start and end a sandbox',
    summary: 'run a command with a sandbox of its own',
    load: async () => (await import('./exec.js')).defineExec,
  },
  env: {
    group: 'Start and end a sandbox',
    summary: 'address and secrets, for a shell or a dotenv file',
    load: async () => (await import('./env.js')).defineEnv,
  },
  request: {
    group: 'Make something happen',
    summary: 'call the API with token and signature, and print the answer',
    load: async () => (await import('./request.js')).defineRequest,
  },
  trigger: {
    group: 'Make something happen',
    summary: 'let something happen: a payment, a failure, a dispute',
    load: async () => (await import('./trigger.js')).defineTrigger,
  },
  scenario: {
    group: 'Make something happen',
    summary: 'run scenarios, or arm them to catch your own calls',
    load: async () => (await import('./scenario.js')).defineScenario,
  },
  clock: {
    group: 'Make something happen',
    summary: 'read the clock, walk it forward, freeze it, let it run',
    load: async () => (await import('./clock.js')).defineClock,
  },
  transactions: {
    group: 'See what happened',
    summary: 'the newest, one in full, or as they come',
    load: async () => (await import('./transactions.js')).defineTransactions,
  },
  disputes: {
    group: 'See what happened',
    summary: 'those of payers: the newest, one in full, or as they come',
    load: async () => (await import('./disputes.js')).defineDisputes,
  },
  webhooks: {
    group: 'See what happened',
    summary: 'events and their delivery; send one again',
    load: async () => (await import('./webhooks.js')).defineWebhooks,
  },
  inbox: {
    group: 'See what happened',
    summary: 'webhooks that came here, for those without a receiver',
    load: async () => (await import('./inbox.js')).defineInbox,
  },
  listen: {
    group: 'See what happened',
    summary: 'receive webhooks here, print them, hand them on',
    load: async () => (await import('./listen.js')).defineListen,
  },
  requests: {
    group: 'See what happened',
    summary: 'the journal of API calls, and why a signature was refused',
    load: async () => (await import('./requests.js')).defineRequests,
  },
  logs: {
    group: 'See what happened',
    summary: 'a line for each call and each webhook, as they happen',
    load: async () => (await import('./logs.js')).defineLogs,
  },
  account: {
    group: 'Prepare and keep state',
    summary: 'accounts, their credentials and balances',
    load: async () => (await import('./account.js')).defineAccount,
  },
  workspace: {
    group: 'Prepare and keep state',
    summary: 'separate sandboxes in one process',
    load: async () => (await import('./workspace.js')).defineWorkspace,
  },
  seed: {
    group: 'Prepare and keep state',
    summary: 'fill the sandbox as if it had been used for a month',
    load: async () => (await import('./seed.js')).defineSeed,
  },
  snapshot: {
    group: 'Prepare and keep state',
    summary: 'keep the whole state under a name, and bring it back',
    load: async () => (await import('./snapshot.js')).defineSnapshot,
  },
  reset: {
    group: 'Prepare and keep state',
    summary: 'back to the state right after start',
    load: async () => (await import('./reset.js')).defineReset,
  },
  certify: {
    group: 'Check your side, and feel at home',
    summary: 'is your side right, rule by rule?',
    load: async () => (await import('./certify/certify.js')).defineCertify,
  },
  doctor: {
    group: 'Check your side, and feel at home',
    summary: 'what is wrong, why, and what to do about it',
    load: async () => (await import('./doctor.js')).defineDoctor,
  },
  mcp: {
    group: 'Check your side, and feel at home',
    summary: 'serve the sandbox to agents over the Model Context Protocol',
    load: async () => (await import('./mcp/command.js')).defineMcp,
  },
  completion: {
    group: 'Check your side, and feel at home',
    summary: 'let your shell complete commands, flags and values',
    load: async () => (await import('./completion/command.js')).defineCompletion,
  },
} as const satisfies Record<string, CommandRow>

export type CommandName = keyof typeof commands
export const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name)
