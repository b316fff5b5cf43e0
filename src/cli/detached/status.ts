/** `payments-sandbox status`: what runs in the background; exit code 3 where nothing does. */

import type { Command } from 'commander'
import type { Words } from '../command.js'
import { alsoJson, type Connection } from '../connection/connection.js'
import { exitCodes } from '../errors.js'
import { runningRecords } from './records.js'

export const words: Words = {
  status: {
    prints: [{ shape: 'detached' }],
    examples: [{ run: 'payments-sandbox status', says: 'where they are' }],
  },
}

export function define(command: Command): void {
  alsoJson(command).action(async (flags: Connection) => {
    const running = await runningRecords()
    if (running.length === 0) process.exitCode = exitCodes.unreachable
    const data = running.map(({ mark: _mark, admin_token: _token, ...one }) => one)
    const lines = data.map(
      ({ base_url, pid, db, started_at }) => `${base_url}  process ${pid}  ${db}  since ${started_at}\n`,
    )
    const none = 'nothing runs in the background; payments-sandbox start --detach begins one\n'
    process.stdout.write(flags.json === true ? `${JSON.stringify({ data })}\n` : lines.join('') || none)
  })
}
