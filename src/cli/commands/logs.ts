/** `payments-sandbox logs`: follows the API calls and webhooks of the running sandbox, one line each. */

import type { Command } from 'commander'
import { parseUntrustedJson } from '../../base/json.js'
import { fieldsIn } from '../../base/unknown.js'
import type { Change } from '../../client/control.js'
import { UnreachableError } from '../../client/errors.js'
import { addConnectionFlags, type CommandUsages, type ConnectionFlags, connect, type Sandbox } from '../command.js'
import { untilInterrupted } from '../lists.js'
import { lineOf } from '../terminal/start-output.js'
import { dim, replaceControls, shortTime } from '../terminal/style.js'

interface Flags extends ConnectionFlags {
  all?: true
}

export const usages: CommandUsages = {
  logs: {
    jsonOutputs: [{ description: 'one line for each change, in the format of `GET /_sandbox/stream`' }],
    examples: { 'payments-sandbox logs': 'print each new call of your app and each webhook' },
  },
}

/** If more lines wait, further ones are printed without details, because those of each line cost a call. */
const maxWaitingLines = 100

interface Details {
  at?: string | undefined
  order?: string | null | undefined
  amount?: string | null | undefined
}

const withDetails = (line: string, { at, order, amount }: Details): string =>
  `${[at === undefined ? '' : dim(shortTime(at)), line, amount ?? '', order ?? ''].filter((part) => part !== '').join(' ')}\n`

/** Reads what a change does not say: its time, the order that it is about, and the amount. Empty if they cannot be read, for instance because the object is gone. */
async function detailsOf(sandbox: Sandbox, { type, id }: Change): Promise<Details> {
  const params = { id }
  try {
    if (type === 'webhook') {
      const { attempts, created_at, external_id, amount, currency } = await sandbox.call('GET /webhooks/{id}', {
        params,
      })
      const money = amount === null ? null : `${amount} ${currency ?? ''}`.trim()
      return { at: attempts.at(-1)?.at ?? created_at, order: external_id, amount: money }
    }
    if (type === 'request') {
      const { at, request_body } = await sandbox.call('GET /requests/{id}', { params })
      const { external_id, amount, currency } = fieldsIn(parseUntrustedJson(request_body ?? ''))
      const words = [amount, currency].filter((one) => typeof one === 'string' || typeof one === 'number')
      const order = typeof external_id === 'string' ? replaceControls(external_id).slice(0, 150) : null
      return { at, order, amount: amount === undefined ? null : replaceControls(words.join(' ')).slice(0, 40) }
    }
    return { at: (await sandbox.call('GET /clock')).now }
  } catch {
    return {}
  }
}

export function define(command: Command): void {
  addConnectionFlags(command)
    .option('--all', 'also print changes of objects, of the clock and of scenario runs')
    .action(async (flags: Flags) => {
      const sandbox = connect(flags)
      const stop = new AbortController()
      // Lines are printed in the order of the changes, so each waits for the one before.
      let printed = Promise.resolve()
      let waiting = 0
      await untilInterrupted(stop, (signal) =>
        sandbox.stream((change) => {
          const line = lineOf(change, flags.all === true ? 'debug' : 'info', process.stdout)
          if (line === null) return
          const isBusy = ++waiting > maxWaitingLines
          printed = printed.then(async () => {
            if (flags.json === true) process.stdout.write(`${JSON.stringify(change)}\n`)
            else process.stdout.write(withDetails(line, isBusy ? {} : await detailsOf(sandbox, change)))
            waiting--
          })
        }, signal),
      )
      await printed
      if (!stop.signal.aborted) throw new UnreachableError(`the sandbox at ${sandbox.url} has stopped`)
    })
}
