/** What `start` prints: the banner with URLs, credentials and one command to paste, warnings about its settings, and the log. */
import { resolve } from 'node:path'
import type { Change, Workspace } from '../../core/unit/unit.js'
import type { Ready } from '../../protocol/control/outputs.js'
import { defaultUrl } from '../../protocol/settings/process.js'
import { program } from '../../runtime/node/program.js'
import { isLoopback } from '../../runtime/shared/address-guard.js'
import type { LogLevel, Settings } from '../settings/settings.js'
import { trustVariables } from '../tls-authority.js'
import { bold, dim, paint, replaceControls } from './style.js'

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

// The log of `start`, on standard error: a line for each API call and webhook, and every change at level debug. Each field is listed explicitly, so that no secret is logged.

/** A change, from the process itself or from the stream. */
type LoggedChange = Pick<Change, 'id' | 'status'> & { type: string; [more: string]: unknown }

export function logChanges(ws: Workspace, level: LogLevel, write: (line: string) => void): void {
  if (level !== 'info' && level !== 'debug') return
  ws.bus.subscribe((change) => {
    const line = lineOf(change, level, process.stderr)
    if (line !== null) write(`${dimTime(ws.clock.now())}${ws.name === 'default' ? '' : ` ${ws.name}`} ${line}\n`)
  })
}

const dimTime = (atMs: number) => paint('dim', new Date(atMs).toISOString().slice(11, 23), process.stderr)

/** Returns the line of a change; null if the level hides it. Omits the query of a path, which can contain secrets. */
export function lineOf(change: LoggedChange, level: LogLevel, stream: NodeJS.WriteStream): string | null {
  if (change.type === 'request') {
    const code = Number(change.code)
    const isDropped = change.dropped === true
    const color = code < 400 && !isDropped ? 'green' : code < 500 ? 'yellow' : 'red'
    const path = replaceControls(String(change.path).split('?', 1)[0] ?? '').slice(0, 200)
    const error = change.error_code === undefined ? '' : ` ${String(change.error_code)}`
    const dropped = isDropped ? ' response dropped' : ''
    return `${paint(color, String(code), stream)} ${String(change.method).padEnd(4)} ${path}${error}${dropped}`
  }
  if (change.type === 'webhook' && change.outcome !== undefined) {
    const color = change.status === 'delivered' ? 'green' : 'yellow'
    return `${paint(color, 'hook', stream)} ${change.event} ${change.id} ${change.status} ${change.outcome}`
  }
  if (level !== 'debug') return null
  return `${paint('dim', change.type.padEnd(11), stream)} ${replaceControls(change.id)} ${change.status ?? ''}`.trimEnd()
}
