/** `payments-sandbox logs`: follows the API calls and webhooks of the running sandbox, one line each. */

import type { Command } from 'commander'
import { UnreachableError } from '../../client/errors.js'
import type { Words } from '../command.js'
import { type Connection, connect, talks } from '../connection/connection.js'
import { untilInterrupted } from './lists.js'
import { lineOf } from './log-lines.js'

interface Flags extends Connection {
  all?: true
}

export const words: Words = {
  logs: {
    prints: [{ says: 'a change of `GET /_sandbox/stream`', lines: true }],
    examples: [{ run: 'payments-sandbox logs', says: 'follow the calls of your app and its webhooks', stays: true }],
  },
}

export function define(command: Command): void {
  talks(command)
    .option('--all', 'print every change: objects, clock, runs')
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
