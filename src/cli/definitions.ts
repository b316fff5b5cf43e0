/** Where the definition of each command is loaded from: only the one that is asked for. */
import type { Command } from 'commander'
import type { CommandName } from './commands.js'

export const definitions: Readonly<Record<CommandName, () => Promise<(command: Command) => void>>> = {
  start: async () => (await import('./start.js')).defineStart,
  stop: async () => (await import('./detached/stop.js')).defineStop,
  status: async () => (await import('./detached/stop.js')).defineStatus,
  exec: async () => (await import('./exec.js')).defineExec,
  env: async () => (await import('./env.js')).defineEnv,
  request: async () => (await import('./request.js')).defineRequest,
  trigger: async () => (await import('./trigger.js')).defineTrigger,
  scenario: async () => (await import('./scenario.js')).defineScenario,
  clock: async () => (await import('./clock.js')).defineClock,
  transactions: async () => (await import('./transactions.js')).defineTransactions,
  disputes: async () => (await import('./disputes.js')).defineDisputes,
  webhooks: async () => (await import('./webhooks.js')).defineWebhooks,
  inbox: async () => (await import('./inbox.js')).defineInbox,
  listen: async () => (await import('./listen.js')).defineListen,
  requests: async () => (await import('./requests.js')).defineRequests,
  logs: async () => (await import('./logs.js')).defineLogs,
  account: async () => (await import('./account.js')).defineAccount,
  workspace: async () => (await import('./workspace.js')).defineWorkspace,
  seed: async () => (await import('./seed.js')).defineSeed,
  snapshot: async () => (await import('./snapshot.js')).defineSnapshot,
  reset: async () => (await import('./reset.js')).defineReset,
  certify: async () => (await import('./certify/certify.js')).defineCertify,
  doctor: async () => (await import('./doctor.js')).defineDoctor,
  mcp: async () => (await import('./mcp/command.js')).defineMcp,
  completion: async () => (await import('./completion/command.js')).defineCompletion,
}
