/** `payments-sandbox status`: lists the sandboxes in the background; exits with 3 if there are none. */

import type { Command } from 'commander'
import type { CommandUsages } from '../command.js'
import { addJsonFlag, type ConnectionFlags, connect } from '../connection.js'
import { processAt, recordsAt, runningRecords } from '../detached.js'
import { exitCodes } from '../errors.js'

export const usages: CommandUsages = {
  status: {
    jsonOutputs: [{ shape: 'runningSandboxes' }],
    examples: { 'payments-sandbox status': 'list the sandboxes that run in the background' },
  },
}

export function define(command: Command): void {
  command.option('--url <address>', 'sandbox at this URL (default: all)')
  addJsonFlag(command).action(async (flags: ConnectionFlags) => {
    const all = await runningRecords()
    const running = flags.url === undefined ? all : recordsAt(all, connect(flags).url)
    if (running.length === 0) process.exitCode = exitCodes.unreachable
    const data = running.map(({ mark: _mark, admin_token: _token, ...one }) => one)
    const lines = data.map(
      ({ base_url, pid, db, started_at }) => `${base_url}  process ${pid}  ${db}  since ${started_at}\n`,
    )
    const text = flags.json === true ? `${JSON.stringify({ data })}\n` : lines.join('')
    process.stdout.write(text === '' ? await noneText(flags) : text)
  })
}

/** A sandbox that was started otherwise may answer at the address. */
async function noneText(flags: ConnectionFlags): Promise<string> {
  const { url } = connect(flags)
  const where = flags.url === undefined ? '' : ` at ${flags.url}`
  const answers = await processAt({ base_url: url }).then(
    () => true,
    () => false,
  )
  const next = answers
    ? `the sandbox that answers at ${url} was started without --detach`
    : 'start one with payments-sandbox start --detach'
  return `no sandbox runs in the background${where}; ${next}\n`
}
