/** `payments-sandbox webhooks wait EVENT`: waits until such an event is acknowledged, so that a script need not poll. */

import type { Command } from 'commander'
import { exactDuration } from '../../base/duration.js'
import type { ControlRoutes } from '../../client/types/control.js'
import { controlDefaults } from '../../protocol/platform/limits.js'
import { addConnectionFlags, type Connection, connect, print, queryOf } from '../connection/connection.js'
import { withProgress } from '../terminal/progress.js'
import { bold, paintState } from '../terminal/style.js'

const filters = {
  transaction_id: 'filter by transaction',
  external_id: 'filter by your own identifier',
  status:
    'status to wait for: delivered, failed, settled (delivered or failed), pending or queued (default: delivered)',
  timeout: `longest wait, in real time (default: ${exactDuration(controlDefaults.webhookWaitMs)})`,
} as const

export function defineWait(command: Command): void {
  for (const [name, help] of Object.entries(filters))
    command.option(`--${name.replaceAll('_', '-')} <${name === 'timeout' ? 'duration' : 'text'}>`, help)
  addConnectionFlags(command)
    .argument('[event]', 'such as cashin.confirmed (default: any)')
    .action(async (event: string | undefined, flags: Connection) => {
      // The sandbox validates the values.
      const query = {
        event,
        ...queryOf({ ...flags }, Object.keys(filters)),
      } as ControlRoutes['GET /webhooks/wait']['query']
      const found = await withProgress(`waiting for ${event ?? 'a webhook'}`, () =>
        connect(flags).call('GET /webhooks/wait', { query }),
      )
      print(
        flags,
        found,
        ({ id, event: name, transaction_id, status }) =>
          `${bold(name)} ${id} of ${transaction_id} is ${paintState(status)}\n`,
      )
    })
}
