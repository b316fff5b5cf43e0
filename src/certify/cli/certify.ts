/** `payments-sandbox certify`: is the other side right, rule by rule? */

import type { Command } from 'commander'
import type { Words } from '../../cli/command.js'
import { defineCertifyClient } from './client.js'
import { defineCertifyReceiver } from './receiver.js'

export const words: Words = {
  'certify receiver': {
    prints: [{ route: 'certifyReceiver' }],
    examples: [
      {
        run: 'payments-sandbox certify receiver --url http://localhost:3000/webhooks',
        says: 'what can be told from outside',
      },
      {
        run: 'payments-sandbox certify receiver --url http://localhost:3000/webhooks --effects http://localhost:3000/effects --junit certify.xml --badge certify.svg',
        says: 'with what became of each transaction, for a CI system and a README',
      },
      {
        run: `payments-sandbox certify receiver --url localhost:3000/webhooks --effects-command 'sh tell-effects.sh'`,
        says: 'told by a command, which prints {"status": "confirmed", "credited": "25.50"}',
      },
    ],
  },
  'certify client': {
    prints: [{ says: 'a report as that of `certify receiver`, of the rules for clients' }],
    examples: [
      {
        run: `payments-sandbox certify client --effects-command 'node client.mjs status' -- node client.mjs`,
        says: 'a program that finds the sandbox by its environment',
      },
      { run: 'payments-sandbox certify client --observe -- node client.mjs', says: 'nothing is put in its way' },
    ],
  },
}

export function define(command: Command): void {
  defineCertifyReceiver(command.command('receiver'))
  defineCertifyClient(command.command('client'))
}
