/** The options of receivers, loads and clients. The dashboard, whose forms have texts of their own, does not load them. */
import { minutes, webhookHeaders } from '../../inside/platform.js'
import { loadDurationHelp, loadLimits, loadProfileNames, loadProfiles } from './load/profiles.js'
import type { OptionTable } from './options.js'
import { timeLimits } from './receiver/timing.js'

export const certifyModes = ['sandbox', 'production'] as const

const profileTitles = loadProfileNames.map((name) => `${name}: ${loadProfiles[name].title}`).join('; ')

/** How the application reports what it did with a transaction. */
// biome-ignore format: a table, a row a line
const stateOptions = {
  state_url: { flag: '--state-url <address>', help: 'URL where your application reports the state of a transaction' },
  state_command: { flag: '--state-command <line>', isFlagOnly: true, help: 'command that prints the state of a transaction; its last argument is the transaction id' },
} as const satisfies OptionTable

// biome-ignore format: a table, a row a line
export const receiverOptions = {
  url: { flag: '--url <address>', help: 'address of the receiver' },
  ...stateOptions,
  restart: { flag: '--restart <address>', help: 'URL that restarts the receiver and answers when it is running again' },
  restart_command: { flag: '--restart-command <line>', isFlagOnly: true, help: 'command that restarts the receiver' },
  mode: { flag: '--mode <mode>', kind: 'choice', choices: certifyModes, help: `production: send all events without the header ${webhookHeaders.sandbox}, and one event with it, which the receiver must reject (default: every event has the header)` },
  production_url: { flag: '--production-url <address>', help: 'production address of the receiver; checks https, the certificate and redirects' },
  time_limit: { flag: '--time-limit <duration>', help: `time for the whole test; requirements that are not tested by then are inconclusive (default: ${minutes(timeLimits.leastMs)}, and longer for a receiver that answers slowly)` },
  webhook_secret: { flag: '--webhook-secret <text>', help: 'secret that signs the events (default: the secret of the sandbox)' },
} as const satisfies OptionTable

// biome-ignore format: a table, a row a line
export const loadOptions = {
  rate: { flag: '--load <rate>', help: `send events of real transactions at this rate, such as 20/s (at most ${loadLimits.rate}/s), instead of testing each requirement` },
  for: { flag: '--for <duration>', help: loadDurationHelp },
  profile: { flag: '--profile <name>', kind: 'choice', choices: loadProfileNames, help: `how the rate changes: ${profileTitles} (default: steady)` },
  find_limit: { flag: '--find-limit', kind: 'switch', help: 'then also find the highest rate that the receiver sustains' },
} as const satisfies OptionTable

// biome-ignore format: a table, a row a line
export const clientOptions = {
  observe: { flag: '--observe', kind: 'switch', help: 'only check the calls; inject no faults' },
  watch: { flag: '--watch', kind: 'switch', isFlagOnly: true, help: 'run no command; check the calls of a running app until Ctrl-C' },
  webhook_url: { flag: '--webhook-url <address>', help: 'URL that receives webhooks (default: no webhooks are sent)' },
  ...stateOptions,
} as const satisfies OptionTable
