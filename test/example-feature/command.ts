/** `payments-sandbox largest`: lists the largest charges. */
import type { Command } from 'commander'
import {
  addConnectionFlags,
  type CommandUsages,
  type ConnectionFlags,
  connect,
  print,
} from '../../src/inside/commands.js'
import { type LargestCharge, largestRoutes } from './routes.js'

export const usages: CommandUsages = {
  largest: {
    jsonOutputs: [{ route: largestRoutes.listLargest }],
    examples: { 'payments-sandbox largest --currency BRL': 'list the ten largest charges in BRL' },
  },
}

export function define(command: Command): void {
  addConnectionFlags(command)
    .option('--currency <currency>', 'currency of the charges', 'BRL')
    .action(async (flags: ConnectionFlags & { currency: string }) => {
      const path = `/largest?currency=${encodeURIComponent(flags.currency)}`
      const answer = await connect(flags).call<{ data: LargestCharge[] }>('GET', path)
      const lines = ({ data }: typeof answer) =>
        data.map(({ transaction_id, amount, currency }) => `${transaction_id}  ${amount} ${currency}\n`).join('')
      print(flags, answer, lines)
    })
}
