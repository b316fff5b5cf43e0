/** The environment variables that lead programs to a sandbox: `env` prints them, `exec` sets them. */
import type { Environment } from '../../protocol/control/shapes/outputs.js'
import { trustVariables } from '../tls/authority.js'

interface Secrets {
  client_id: string
  client_secret: string
  signing_key: string
  webhook_secret: string
}

export function environmentOf(
  url: string,
  username: string,
  credential: Secrets,
  adminToken: string | undefined,
): Record<string, string> {
  return {
    PAYMENTS_SANDBOX_URL: url,
    PAYMENTS_SANDBOX_ACCOUNT: username,
    PAYMENTS_SANDBOX_CLIENT_ID: credential.client_id,
    PAYMENTS_SANDBOX_CLIENT_SECRET: credential.client_secret,
    PAYMENTS_SANDBOX_SIGNING_KEY: credential.signing_key,
    PAYMENTS_SANDBOX_WEBHOOK_SECRET: credential.webhook_secret,
    ...trustVariables(url),
    ...(adminToken === undefined ? {} : { PAYMENTS_SANDBOX_ADMIN_TOKEN: adminToken }),
  } satisfies Environment
}
