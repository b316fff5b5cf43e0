/** Which values an argument or a flag takes: from the tables, or from the running sandbox where only that knows. */

import { actionNames } from '../../protocol/actions/actions.js'
import { currencies } from '../../protocol/platform/currencies.js'
import { eventNames } from '../../protocol/platform/events.js'
import { cashoutFailureCodes } from '../../protocol/platform/failures.js'
import { connect } from '../connection/connection.js'

type Source = () => readonly string[] | Promise<readonly string[]>

const named = (route: 'GET /scenarios' | 'GET /snapshots' | 'GET /workspaces') => async (): Promise<string[]> =>
  (await connect({}).call(route)).data.map(({ name }) => name)

const scenarios = named('GET /scenarios')
const snapshots = named('GET /snapshots')
const workspaces = named('GET /workspaces')
const accounts = async () => (await connect({}).call('GET /accounts')).data.map(({ username }) => username)

/** By the path of the command and the name of the argument. */
const ofArguments: Readonly<Record<string, Source>> = {
  'trigger action': () => actionNames,
  'scenario show name': scenarios,
  'scenario run name|file': scenarios,
  'scenario arm name': scenarios,
  'scenario disarm name': scenarios,
  'account balance username': accounts,
  'snapshot restore name': snapshots,
  'snapshot delete name': snapshots,
  'request method': () => ['GET', 'POST'],
}

/** By the flag, wherever it stands. */
const ofFlags: Readonly<Record<string, Source>> = {
  '--account': accounts,
  '--workspace': workspaces,
  '--error-code': () => cashoutFailureCodes,
  '--event': () => eventNames,
  '--currency': () => Object.keys(currencies),
  '--arm': scenarios,
}

/** For a sandbox that hangs: a shell that waits for ever is worse than one that offers nothing. */
const patienceMs = 3000

async function atOnce(source: Source | undefined): Promise<readonly string[]> {
  if (source === undefined) return []
  const tooLate = new Promise<readonly string[]>((resolve) => setTimeout(resolve, patienceMs, []).unref())
  return Promise.race([Promise.resolve(source()).catch(() => []), tooLate])
}

export const valuesOfArgument = (path: string, name: string) => atOnce(ofArguments[`${path} ${name}`])
export const valuesOfFlag = (flag: string) => atOnce(ofFlags[flag])
