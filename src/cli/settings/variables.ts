/** The environment variables of the program. An unknown name with our prefix is an error. */
import { nearest } from '../../base/nearest.js'
import { variablePrefix as prefix, variableOf } from '../../protocol/settings/variables.js'
import { didYouMean } from '../errors.js'
import { negatedVariableOf, setting, settingNames } from './settings.js'

/** Variables of other commands, of `env`, of `exec` and of the packages for other languages, and internal variables. */
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
  'COMMAND',
  'DETACHED_MARK',
].map((name) => prefix + name)

const fileOnlyVariables = settingNames.filter((name) => setting(name).fileOnly).map(variableOf)
const settingVariables = settingNames
  .filter((name) => !setting(name).fileOnly)
  .flatMap((name) => (setting(name).kind === 'switch' ? [variableOf(name), negatedVariableOf(name)] : variableOf(name)))

const known: readonly string[] = [...settingVariables, ...others]

/** Kubernetes sets these for each service; for a service called payments-sandbox they have our prefix. */
const kubernetesPattern = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?$/
const serviceAddress = /^(tcp|udp|sctp):\/\//

/** Returns whether Kubernetes set the variable for a service, such as `PAYMENTS_SANDBOX_PORT=tcp://10.0.0.1:4010`. */
export const isFromKubernetes = (name: string, value: string): boolean =>
  kubernetesPattern.test(name) || (name.endsWith('_PORT') && serviceAddress.test(value))

/** Returns an error line for each unknown variable with our prefix and a value. */
export function unknownVariables(environment: Record<string, string | undefined>): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (!name.startsWith(prefix) || value === '' || known.includes(name) || isFromKubernetes(name, value)) return []
    if (fileOnlyVariables.includes(name))
      return `${name} is not supported as a variable; set it in the configuration file`
    const guess = nearest(
      name.slice(prefix.length),
      known.map((one) => one.slice(prefix.length)),
    )
    return `unknown variable ${name}${didYouMean(guess && prefix + guess) || '; remove it'}`
  })
}
