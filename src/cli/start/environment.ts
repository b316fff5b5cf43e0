/** The environment variables that lead programs to a sandbox: `env` prints them, `exec` sets them. */
import { type Secrets, variablesOf } from '../../runtime/shared/environment.js'
import { trustVariables } from '../tls/authority.js'

export const environmentOf = (
  url: string,
  username: string,
  credential: Secrets,
  adminToken: string | undefined,
): Record<string, string> => ({ ...variablesOf(url, username, credential, adminToken), ...trustVariables(url) })
