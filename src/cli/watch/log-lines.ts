/** The running log of `start`, on standard error: a line per API call and webhook for people, each change for those who debug. Fields are named one by one: never a secret. */
import type { Change } from '../../core/unit/bus.js'
import type { Workspace } from '../../core/unit/workspace.js'
import type { LogLevel } from '../settings/settings.js'
import { harmless, paint } from '../terminal/style.js'

/** A change, from within or from the stream. */
type Told = Pick<Change, 'id' | 'status'> & { type: string; [more: string]: unknown }

/** Subscribes to the changes of a workspace as the level asks. */
export function logChanges(ws: Workspace, level: LogLevel, write: (line: string) => void): void {
  if (level !== 'info' && level !== 'debug') return
  ws.bus.subscribe((change) => {
    const line = lineOf(change, level, process.stderr)
    if (line !== null) write(`${dimTime(ws.clock.now())}${ws.name === 'default' ? '' : ` ${ws.name}`} ${line}\n`)
  })
}

const dimTime = (atMs: number) => paint('dim', new Date(atMs).toISOString().slice(11, 23), process.stderr)

/** null: not told at this level. The query of a path may carry anything, so it stays out. */
export function lineOf(change: Told, level: LogLevel, stream: NodeJS.WriteStream): string | null {
  if (change.type === 'request') {
    const code = Number(change.code)
    const colour = code < 400 ? 'green' : code < 500 ? 'yellow' : 'red'
    const path = harmless(String(change.path).split('?', 1)[0] ?? '').slice(0, 200)
    const error = change.error_code === undefined ? '' : ` ${String(change.error_code)}`
    return `${paint(colour, String(code), stream)} ${String(change.method).padEnd(4)} ${path}${error}`
  }
  if (change.type === 'webhook' && change.outcome !== undefined) {
    const colour = change.status === 'delivered' ? 'green' : 'yellow'
    return `${paint(colour, 'hook', stream)} ${change.event} ${change.id} ${change.status} ${change.outcome}`
  }
  if (level !== 'debug') return null
  return `${paint('dim', change.type.padEnd(11), stream)} ${harmless(change.id)} ${change.status ?? ''}`.trimEnd()
}
