/** `payments-sandbox certify`: tests a webhook receiver or an API client, requirement by requirement. */

import type { Command } from 'commander'
import type { CommandUsages } from '../../inside/commands.js'
import { defineCertifyBooks } from './books/command.js'
import { defineCertifyClient } from './client/command.js'
import { defineCertifyReceiver } from './receiver/command.js'
import { certifyRoutes } from './routes.js'

export const usages: CommandUsages = {
  'certify receiver': {
    jsonOutputs: [{ route: certifyRoutes.certifyReceiver }],
    examples: {
      'payments-sandbox certify receiver --url http://localhost:3000/webhooks':
        'run the checks that need only the receiver',
      'payments-sandbox certify receiver --url http://localhost:3000/webhooks --state-url http://localhost:3000/state --junit certify.xml --badge certify.svg':
        'also run the checks that need the state; write a report for CI and a badge for a README',
      "payments-sandbox certify receiver --url localhost:3000/webhooks --state-command 'sh state.sh'":
        'read the state from a command, which prints {"status": "confirmed", "credited": "25.50"}',
      'payments-sandbox certify receiver --url http://localhost:3000/webhooks --load 20/s --for 10s --profile burst':
        'test the receiver under load: bursts of 20 events per second, for ten seconds',
    },
  },
  'certify client': {
    jsonOutputs: [{ route: certifyRoutes.certifyClient }],
    examples: {
      "payments-sandbox certify client --state-command 'node client.mjs status' -- node client.mjs":
        'test a program that reads the address of the sandbox from environment variables',
      'payments-sandbox certify client --observe -- node client.mjs': 'test a program without injected faults',
      'payments-sandbox certify client --chaos rough --runs 2 --payers -- node client.mjs':
        'run it twice with random faults, and find the smallest set that makes it fail',
    },
  },
  'certify books': {
    jsonOutputs: [{ route: certifyRoutes.certifyBooks }],
    examples: {
      'payments-sandbox certify books ledger.csv': 'compare a ledger with the statement of merchant',
      'payments-sandbox certify books ledger.csv --column amount=paid --from 2026-11-01 --json':
        'read the amount from the column "paid", and compare from 1 November',
    },
  },
}

export function define(command: Command): void {
  defineCertifyReceiver(command.command('receiver'))
  defineCertifyClient(command.command('client'))
  defineCertifyBooks(command.command('books'))
}
