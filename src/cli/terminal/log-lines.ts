/** The log of `start`, on standard error: a line for each API call and webhook, and every change at level debug. Each field is listed explicitly, so that no secret is logged. */
import type { Change, Workspace } from '../../core/unit/unit.js'
import type { LogLevel } from '../settings/settings.js'
import { paint, replaceControls } from './style.js'

/** A change, from the process itself or from the stream. */
type LoggedChange = Pick<Change, 'id' | 'status'> & { type: string; [more: string]: unknown }

/** Logs the changes of a workspace at the given level. */
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
