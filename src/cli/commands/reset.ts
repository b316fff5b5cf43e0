/** `payments-sandbox reset`: returns to the state right after start. */

import type { Command } from 'commander'
import type { CommandUsages } from '../command.js'
import { addConnectionFlags, type ConnectionFlags, connect, print } from '../connection.js'

export const usages: CommandUsages = {
  reset: {
    jsonOutputs: [{ route: 'reset' }],
    examples: { 'payments-sandbox reset': 'return to the state right after the start' },
  },
}

export function define(command: Command): void {
  addConnectionFlags(command).action(async (flags: ConnectionFlags) => {
    const done = await connect(flags).call('POST /reset')
    print(
      flags,
      done,
      ({ workspace }) =>
        `the sandbox is in the state right after start${workspace === 'default' ? '' : ` (${workspace})`}\n`,
    )
  })
}
