/** What `start` tells a person. */
import type { Ready } from './start.js'

export function banner({ base_url, dashboard_url, admin_token, accounts }: Ready): string {
  const [account] = accounts
  const credential = account?.credentials[0]
  const rows: [string, string][] = [
    ['API', base_url],
    ['Dashboard', dashboard_url],
    ...(admin_token === undefined ? [] : ([['Admin token', admin_token]] as [string, string][])),
    ['Account', account?.username ?? ''],
    ['client_id', credential?.client_id ?? ''],
    ['client_secret', credential?.client_secret ?? ''],
    ['signing_key', credential?.signing_key ?? ''],
    ['webhook_secret', credential?.webhook_secret ?? ''],
  ]
  const lines = rows.map(([name, value]) => `  ${name.padEnd(15)} ${value}`)
  const curl = `curl -s ${base_url}/v2/oauth/token -u ${credential?.client_id}:${credential?.client_secret} -H 'Content-Type: application/json' -d '{"grant_type":"client_credentials"}'`
  return `\npayments-sandbox is ready\n\n${lines.join('\n')}\n\nA first token:\n\n  ${curl}\n\n`
}
