/** Warnings about the settings of `start`, on standard error. */
import { isLoopback } from '../../runtime/shared/loopback.js'
import type { Settings } from '../settings/settings.js'

/** The sandbox stores only the hash of a rotated token, so the banner cannot show it. */
export const rotatedNotice =
  'payments-sandbox: the admin token was rotated: use the one that POST /_sandbox/admin-token returned, or start with another --admin-token to replace it\n'

export function startWarnings({ host, demo_secrets }: Settings): void {
  if (isLoopback(host) || demo_secrets !== 'known') return
  process.stderr.write(
    `payments-sandbox: warning: the demonstration accounts have published secrets (demo_secrets: known), and ${host} is not a loopback address: anyone who can reach it can spend their balances\n`,
  )
}
