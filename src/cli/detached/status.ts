/** `payments-sandbox status`: what runs in the background; exit code 3 where nothing does. */

import type { Command } from 'commander'
import type { Words } from '../command.js'
import { alsoJson, type Connection, connect } from '../connection/connection.js'
import { exitCodes } from '../errors.js'
import { recordsAt, runningRecords } from './records.js'

export const words: Words = {
  status: {
    prints: [{ shape: 'detached' }],
    examples: [{ run: 'payments-sandbox status', says: 'where they are' }],
  },
}

export function define(command: Command): void {
  command.option('--url <address>', 'the one at that address (default: all)')
  alsoJson(command).action(async (flags: Connection) => {
    const all = await runningRecords()
    const running = flags.url === undefined ? all : recordsAt(all, connect(flags).url)
    if (running.length === 0) process.exitCode = exitCodes.unreachable
    const data = running.map(({ mark: _mark, admin_token: _token, ...one }) => one)
    const lines = data.map(
      ({ base_url, pid, db, started_at }) => `${base_url}  process ${pid}  ${db}  since ${started_at}\n`,
    )
    const where = flags.url === undefined ? '' : ` at ${flags.url}`
    const none = `nothing runs in the background${where}; payments-sandbox start --detach begins one\n`
    process.stdout.write(flags.json === true ? `${JSON.stringify({ data })}\n` : lines.join('') || none)
  })
}
