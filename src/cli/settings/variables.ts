/** The environment variables of the program: a name that nothing reads is a mistake, not a wish. */
import { nearest } from '../../base/nearest.js'
import { didYouMean } from '../errors.js'
import { negatedVariableOf, setting, settingNames, variableOf } from './settings.js'

const prefix = 'PAYMENTS_SANDBOX_'

/** Read by other commands, set by `env` and `exec` for programs, or by the program for itself. */
const others = [
  'URL',
  'WORKSPACE',
  'ACCOUNT',
  'CLIENT_ID',
  'CLIENT_SECRET',
  'SIGNING_KEY',
  'WEBHOOK_SECRET',
  'ADMIN_TOKEN',
  'STATE_FOLDER',
  'DETACHED_MARK',
].map((name) => prefix + name)

const inFileOnly = settingNames.filter((name) => setting(name).fileOnly).map(variableOf)
const ofSettings = settingNames
  .filter((name) => !setting(name).fileOnly)
  .flatMap((name) => (setting(name).kind === 'switch' ? [variableOf(name), negatedVariableOf(name)] : variableOf(name)))

const known: readonly string[] = [...ofSettings, ...others]

/** Kubernetes sets these for each service; one that is called payments-sandbox gives them our prefix. */
const ofServices = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?$/
const serviceAddress = /^(tcp|udp|sctp):\/\//

/** Whether it was set for a service and not by a person: `PAYMENTS_SANDBOX_PORT=tcp://10.0.0.1:4010`. */
export const isOfService = (name: string, value: string): boolean =>
  ofServices.test(name) || (name.endsWith('_PORT') && serviceAddress.test(value))

/** A line for each variable that begins with our prefix, has a value, and is read by nothing. */
export function unknownVariables(environment: Record<string, string | undefined>): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (!name.startsWith(prefix) || value === '' || known.includes(name) || isOfService(name, value)) return []
    if (inFileOnly.includes(name)) return `${name} is not a variable: set it in the configuration file`
    const guess = nearest(
      name.slice(prefix.length),
      known.map((one) => one.slice(prefix.length)),
    )
    return `${name} is not a variable of payments-sandbox${didYouMean(guess && prefix + guess) || '; remove it'}`
  })
}
