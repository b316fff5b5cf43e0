/** What somebody who starts a sandbox should know about their settings, on standard error. */
import { isLoopback } from '../../platform/shared/loopback.js'
import type { Settings } from '../settings/settings.js'

export function warnOf({ host, demo_secrets }: Settings): void {
  if (isLoopback(host) || demo_secrets !== 'known') return
  process.stderr.write(
    `payments-sandbox: warning: the demonstration accounts have published secrets (demo_secrets: known), and ${host} is not a loopback address: everybody who can reach it can spend their balances\n`,
  )
}
