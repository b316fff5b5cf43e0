/** What `start` prints: the banner with URLs, credentials and one command to paste, and warnings about its settings. */
import { resolve } from 'node:path'
import type { Ready } from '../../protocol/control/outputs.js'
import { defaultUrl } from '../../protocol/settings/process.js'
import { program } from '../../runtime/node/program.js'
import { isLoopback } from '../../runtime/shared/address-guard.js'
import type { Settings } from '../settings/settings.js'
import { trustVariables } from '../tls-authority.js'
import { bold, dim, paint } from './style.js'

export function banner(
  { base_url, dashboard_url, admin_token, accounts }: Ready,
  { db }: Settings,
  version: string,
): string {
  const [account] = accounts
  const credential = account?.credentials[0]
  const rows: [name: string, value: string | undefined][] = [
    ['API', base_url],
    ['Dashboard', dashboard_url],
    ['State', db === ':memory:' ? 'in memory, until the sandbox stops' : resolve(db)],
    ['Admin token', admin_token],
    ['Account', account?.username],
    ['client_id', credential?.client_id],
    ['client_secret', credential?.client_secret],
    ['signing_key', credential?.signing_key],
    ['webhook_secret', credential?.webhook_secret],
  ]
  const at = base_url === defaultUrl ? '' : ` --url ${base_url}`
  const lines = rows
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        `  ${dim(name.padEnd(15))} ${/^https?:/.test(value ?? '') ? paint('cyan', value ?? '') : value}`,
    )
  return [
    '',
    `  ${bold('payments-sandbox')} ${dim(version)} ${paint('green', 'is ready')}`,
    '',
    ...lines,
    '',
    `  ${dim('Paste this command to create a charge of 25.00 BRL. Then pay it with')} ${program.typed} trigger cashin.pay${at}`,
    '',
    firstCharge(base_url, credential?.client_id ?? '', credential?.client_secret ?? ''),
    '',
    '',
  ].join('\n')
}

/** One command: the inner curl fetches a token, the outer one creates the charge. sed extracts the token, because a machine with the executable may have no Node. */
function firstCharge(base: string, id: string, secret: string): string {
  const trust = trustVariables(base).CURL_CA_BUNDLE
  const curl = trust === undefined ? 'curl -s' : `curl -s --cacert ${trust}`
  const json = `-H 'Content-Type: application/json'`
  const token = `${curl} ${base}/v2/oauth/token -u ${id}:${secret} ${json} -d '{"grant_type":"client_credentials"}'`
  const parse = `sed 's/.*"access_token":"//;s/".*//'`
  return `${curl} ${base}/v2/transactions/cashin -H "Authorization: Bearer $(${token} | ${parse})" ${json} -d '{"amount":25,"currency":"BRL"}'`
}

/** The sandbox stores only the hash of a rotated token, so the banner cannot show it. */
export const rotatedNotice =
  'payments-sandbox: the admin token was rotated: use the one that POST /_sandbox/admin-token returned, or start with another --admin-token to replace it\n'

export function startWarnings({ host, demo_secrets }: Settings): void {
  if (isLoopback(host) || demo_secrets !== 'known') return
  process.stderr.write(
    `payments-sandbox: warning: the demonstration accounts have published secrets (demo_secrets: known), and ${host} is not a loopback address: anyone who can reach it can spend their balances\n`,
  )
}
