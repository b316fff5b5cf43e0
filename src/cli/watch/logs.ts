/** `payments-sandbox logs`: follows the API calls and webhooks of the running sandbox, one line each. */

import type { Command } from 'commander'
import { UnreachableError } from '../../client/errors.js'
import type { CommandUsages } from '../command.js'
import { addConnectionFlags, type Connection, connect } from '../connection/connection.js'
import { untilInterrupted } from './lists.js'
import { lineOf } from './log-lines.js'

interface Flags extends Connection {
  all?: true
}

export const usages: CommandUsages = {
  logs: {
    jsonOutputs: [{ description: 'one line for each change, in the format of `GET /_sandbox/stream`' }],
    examples: [
      {
        run: 'payments-sandbox logs',
        says: 'print each new call of your app and each webhook',
        runsUntilInterrupted: true,
      },
    ],
  },
}

export function define(command: Command): void {
  addConnectionFlags(command)
    .option('--all', 'also print changes of objects, of the clock and of scenario runs')
    .action(async (flags: Flags) => {
      const sandbox = connect(flags)
      const stop = new AbortController()
      await untilInterrupted(stop, (signal) =>
        sandbox.stream((change) => {
          const line = lineOf(change, flags.all === true ? 'debug' : 'info', process.stdout)
          if (line === null) return
          process.stdout.write(`${flags.json === true ? JSON.stringify(change) : line}\n`)
        }, signal),
      )
      if (!stop.signal.aborted) throw new UnreachableError(`the sandbox at ${sandbox.url} has stopped`)
    })
}
