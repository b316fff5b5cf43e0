/** Every command: what it is for, and where its definition is loaded from. */
import type { Command } from 'commander'

interface CommandRow {
  group: 'Sandbox' | 'What happens' | 'What happened' | 'State'
  summary: string
  load: () => Promise<(command: Command) => void>
}

export const commands = {
  start: { group: 'Sandbox', summary: 'start a sandbox', load: async () => (await import('./start.js')).defineStart },
  stop: {
    group: 'Sandbox',
    summary: 'end a sandbox that runs in the background',
    load: async () => (await import('./detached/stop.js')).defineStop,
  },
  status: {
    group: 'Sandbox',
    summary: 'what runs in the background',
    load: async () => (await import('./detached/stop.js')).defineStatus,
  },
  exec: {
    group: 'Sandbox',
    summary: 'run a command with a sandbox of its own',
    load: async () => (await import('./exec.js')).defineExec,
  },
  env: {
    group: 'Sandbox',
    summary: 'address and secrets of the running sandbox, for a shell or a dotenv file',
    load: async () => (await import('./env.js')).defineEnv,
  },
  doctor: {
    group: 'Sandbox',
    summary: 'what is wrong, why, and what to do about it',
    load: async () => (await import('./doctor.js')).defineDoctor,
  },
  trigger: {
    group: 'What happens',
    summary: 'let something happen: a payment, a failure, a dispute',
    load: async () => (await import('./trigger.js')).defineTrigger,
  },
  scenario: {
    group: 'What happens',
    summary: 'run scenarios, or arm them to catch your own calls',
    load: async () => (await import('./scenario.js')).defineScenario,
  },
  certify: {
    group: 'What happens',
    summary: 'is your side right, rule by rule?',
    load: async () => (await import('./certify/certify.js')).defineCertify,
  },
  clock: {
    group: 'What happens',
    summary: 'read the clock, walk it forward, freeze it, let it run',
    load: async () => (await import('./clock.js')).defineClock,
  },
  request: {
    group: 'What happens',
    summary: 'call the API with token and signature, and print the answer',
    load: async () => (await import('./request.js')).defineRequest,
  },
  transactions: {
    group: 'What happened',
    summary: 'transactions: the newest, one in full, or as they come',
    load: async () => (await import('./transactions.js')).defineTransactions,
  },
  webhooks: {
    group: 'What happened',
    summary: 'events and their delivery; send one again',
    load: async () => (await import('./webhooks.js')).defineWebhooks,
  },
  requests: {
    group: 'What happened',
    summary: 'the journal of API calls, and why a signature was refused',
    load: async () => (await import('./requests.js')).defineRequests,
  },
  disputes: {
    group: 'What happened',
    summary: 'disputes: the newest, one in full, or as they come',
    load: async () => (await import('./disputes.js')).defineDisputes,
  },
  logs: {
    group: 'What happened',
    summary: 'a line for each call and each webhook, as they happen',
    load: async () => (await import('./logs.js')).defineLogs,
  },
  listen: {
    group: 'What happened',
    summary: 'receive webhooks here, print them, hand them on',
    load: async () => (await import('./listen.js')).defineListen,
  },
  account: {
    group: 'State',
    summary: 'accounts, their credentials and balances',
    load: async () => (await import('./account.js')).defineAccount,
  },
  workspace: {
    group: 'State',
    summary: 'separate sandboxes in one process',
    load: async () => (await import('./workspace.js')).defineWorkspace,
  },
  seed: {
    group: 'State',
    summary: 'fill the sandbox as if it had been used for a month',
    load: async () => (await import('./seed.js')).defineSeed,
  },
  snapshot: {
    group: 'State',
    summary: 'keep the whole state under a name, and bring it back',
    load: async () => (await import('./snapshot.js')).defineSnapshot,
  },
  reset: {
    group: 'State',
    summary: 'back to the state right after start',
    load: async () => (await import('./reset.js')).defineReset,
  },
  mcp: {
    group: 'Sandbox',
    summary: 'serve the sandbox to agents over the Model Context Protocol',
    load: async () => (await import('./mcp/command.js')).defineMcp,
  },
  completion: {
    group: 'Sandbox',
    summary: 'let your shell complete commands, flags and values',
    load: async () => (await import('./completion/command.js')).defineCompletion,
  },
} as const satisfies Record<string, CommandRow>

export type CommandName = keyof typeof commands
export const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name)
