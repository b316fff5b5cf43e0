/** Recognizes a sandbox on a port that is in use, and names the commands for it. */

import { codeOf } from '../../base/unknown.js'
import { connectControl } from '../../client/control.js'
import { SandboxError } from '../../client/errors.js'
import { httpSend } from '../connection/http-send.js'
import { recordsAt, runningRecords } from '../detached/records.js'

const healthTimeoutMs = 1000
const anyHost: readonly string[] = ['0.0.0.0', '::', '']

interface Place {
  host: string
  port: number
}

/** Returns the message if the error is a port that a sandbox uses; null in all other cases. */
export async function sandboxOnPort(error: unknown, { host, port }: Place): Promise<string | null> {
  if (codeOf(error) !== 'EADDRINUSE') return null
  const name = anyHost.includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  const url = `http://${name}:${port}`
  const found = await sandboxAt(url)
  if (found === null) return null
  const isDetached = recordsAt(await runningRecords(), url).length > 0
  const ending = isDetached
    ? `payments-sandbox stop --url ${url}`
    : found.pid === undefined
      ? 'Ctrl-C in its terminal'
      : `kill ${found.pid}`
  return `port ${port} on ${host} is in use by a running sandbox${found.text}: use it (payments-sandbox env --url ${url}), end it (${ending}), or start another with --port 0, which chooses any free port`
}

interface Found {
  text: string
  pid?: number | undefined
}

async function sandboxAt(url: string): Promise<Found | null> {
  try {
    const sandbox = connectControl(url, { send: httpSend })
    const health = await sandbox.call('GET /health', { signal: AbortSignal.timeout(healthTimeoutMs) })
    // Without its admin token, a sandbox answers with the status alone, as other programs do, but rejects other calls.
    if (health.version === undefined) await sandbox.call('GET /clock', { signal: AbortSignal.timeout(healthTimeoutMs) })
    if (health.version === undefined) return null
    const pid = health.process?.pid
    return { text: ` (version ${health.version}${pid === undefined ? '' : `, process ${pid}`})`, pid }
  } catch (error) {
    return error instanceof SandboxError && error.code === 'UNAUTHORIZED' ? { text: '' } : null
  }
}
