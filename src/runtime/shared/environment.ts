/** The environment variables that tell programs the URL and the credentials of a sandbox over http. */
import type { Environment } from '../../protocol/control/outputs.js'

export interface Secrets {
  client_id: string
  client_secret: string
  signing_key: string
  webhook_secret: string
}

export function variablesOf(
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
    ...(adminToken === undefined ? {} : { PAYMENTS_SANDBOX_ADMIN_TOKEN: adminToken }),
  } satisfies Environment
}
