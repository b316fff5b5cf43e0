/** `payments-sandbox certify`: is the other side right, rule by rule? */
import type { Command } from 'commander'
import { defineCertifyClient } from './client.js'
import { defineCertifyReceiver } from './receiver.js'

export function defineCertify(command: Command): void {
  defineCertifyReceiver(command.command('receiver'))
  defineCertifyClient(command.command('client'))
}
