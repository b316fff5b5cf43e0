/** Completion values of arguments and flags, from the tables or from the running sandbox. */

import { actionNames } from '../../protocol/actions/actions.js'
import { currencies } from '../../protocol/platform/currencies.js'
import { eventNames } from '../../protocol/platform/events.js'
import { cashoutFailureCodes } from '../../protocol/platform/failures.js'
import { chaosFaultNames, chaosPresetNames } from '../../protocol/settings/chaos-faults.js'
import { connect } from '../connection/connection.js'

type Source = () => readonly string[] | Promise<readonly string[]>

const namesFrom = (route: 'GET /scenarios' | 'GET /snapshots' | 'GET /workspaces') => async (): Promise<string[]> =>
  (await connect({}).call(route)).data.map(({ name }) => name)

const scenarios = namesFrom('GET /scenarios')
const snapshots = namesFrom('GET /snapshots')
const workspaces = namesFrom('GET /workspaces')
const accounts = async () => (await connect({}).call('GET /accounts')).data.map(({ username }) => username)

/** Completion values by command path and name of the argument. */
const argumentSources: Readonly<Record<string, Source>> = {
  'trigger action': () => actionNames,
  'scenario show name': scenarios,
  'scenario run name|file': scenarios,
  'scenario arm name': scenarios,
  'scenario disarm name': scenarios,
  'account balance username': accounts,
  'snapshot restore name': snapshots,
  'snapshot delete name': snapshots,
  'request method': () => ['GET', 'POST'],
  'chaos set fault': () => [...chaosPresetNames, ...chaosFaultNames.map((name) => `${name}=`), 'seed='],
}

/** Completion values of flags, for every command. */
const flagSources: Readonly<Record<string, Source>> = {
  '--account': accounts,
  '--workspace': workspaces,
  '--error-code': () => cashoutFailureCodes,
  '--event': () => eventNames,
  '--currency': () => Object.keys(currencies),
  '--arm': scenarios,
  '--chaos': () => chaosPresetNames,
}

/** Longest wait for a sandbox that hangs; the shell then completes nothing. */
const timeoutMs = 3000

async function withTimeout(source: Source | undefined): Promise<readonly string[]> {
  if (source === undefined) return []
  const tooLate = new Promise<readonly string[]>((resolve) => setTimeout(resolve, timeoutMs, []).unref())
  return Promise.race([Promise.resolve(source()).catch(() => []), tooLate])
}

export const valuesOfArgument = (path: string, name: string) => withTimeout(argumentSources[`${path} ${name}`])
export const valuesOfFlag = (flag: string) => withTimeout(flagSources[flag])
