/** `payments-sandbox account`: who there is, a new one, and what they have. */

import type { Command } from 'commander'
import { nearest } from '../../base/nearest.js'
import type { RouteAnswer } from '../../client/control.js'
import type { Account, ControlRoutes } from '../../client/types/control.js'
import { currencyNames, isCurrency } from '../../protocol/platform/currencies.js'
import type { Words } from '../command.js'
import { accountNamed } from '../connection/accounts.js'
import { type Connection, connect, print, repeatable, talks } from '../connection/connection.js'
import { didYouMean, UsageError } from '../errors.js'
import { bold } from '../terminal/style.js'
import { type Column, facts, table } from '../terminal/table.js'
import { defineAccountSet } from './account-set.js'

interface CreateFlags extends Connection {
  name?: string
  document?: string
  balance: string[]
  webhookUrl?: string
  webhookSecret?: string
  active: boolean
}

export const words: Words = {
  'account list': {
    prints: [{ route: 'listAccounts' }],
    examples: [{ run: 'payments-sandbox account list', says: 'who there is' }],
  },
  'account create': {
    prints: [{ route: 'createAccount' }],
    examples: [
      { run: 'payments-sandbox account create shop --balance BRL=500.00', says: 'an account with money and keys' },
    ],
  },
  'account set': {
    prints: [{ route: 'readAccount' }],
    examples: [
      {
        run: 'payments-sandbox account set merchant --webhook-url http://localhost:3000/webhooks',
        says: 'its webhooks go there from now on',
      },
      {
        run: 'payments-sandbox account set merchant --limit BRL:cashin:max_amount=500 --fee BRL:cashout:percent=1.5',
        says: 'what it may move, what it pays',
      },
    ],
  },
  'account balance': {
    prints: [{ route: 'readAccount' }],
    examples: [
      { run: 'payments-sandbox account balance merchant', says: 'what it has' },
      { run: 'payments-sandbox account balance merchant BRL=500.00 USDT=0', says: 'what it shall have' },
    ],
  },
}

export function define(command: Command): void {
  talks(command.command('list').description('all accounts and what they have')).action(async (flags: Connection) =>
    print(flags, await connect(flags).call('GET /accounts'), listed),
  )
  const create = command.command('create').description('a new account with a credential of its own')
  talks(create)
    .argument('[username]', 'made up where absent')
    .option('--name <text>', 'what the account is called')
    .option('--document <number>', 'CPF or CNPJ')
    .addOption(repeatable('--balance <BRL=500.00>', 'what it has at first'))
    .option('--webhook-url <url>', 'where its webhooks go')
    .option('--webhook-secret <text>', 'what its webhooks are signed with')
    .option('--no-active', 'the credential still waits for the administrator')
    .action(async (username: string | undefined, flags: CreateFlags) =>
      print(flags, await connect(flags).call('POST /accounts', { body: wish(username, flags) }), told),
    )
  defineAccountSet(command.command('set').description('its webhook address, limits and fees'), told)
  talks(command.command('balance').description('set what is available, or show it'))
    .argument('<username>')
    .argument('[BRL=500.00...]', 'amounts by currency; without any: show them')
    .action(async (username: string, amounts: string[], flags: Connection) => {
      const sandbox = connect(flags)
      const account =
        amounts.length === 0
          ? await accountNamed(sandbox, username)
          : await sandbox.call('PUT /accounts/{username}/balances', { params: { username }, body: balances(amounts) })
      print(flags, account, balanceTable)
    })
}

function wish(username: string | undefined, flags: CreateFlags): ControlRoutes['POST /accounts']['body'] {
  const credential = {
    ...(flags.webhookUrl === undefined ? {} : { postback_url: flags.webhookUrl }),
    ...(flags.webhookSecret === undefined ? {} : { webhook_secret: flags.webhookSecret }),
    ...(flags.active ? {} : { active: false }),
  }
  return {
    ...(username === undefined ? {} : { username }),
    ...(flags.name === undefined ? {} : { name: flags.name }),
    ...(flags.document === undefined ? {} : { document: flags.document }),
    ...(flags.balance.length === 0 ? {} : { balances: balances(flags.balance) }),
    ...(Object.keys(credential).length === 0 ? {} : { credential }),
  }
}

/** `BRL=500.00` words as a table. */
function balances(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const [, currency = '', amount = ''] = /^([^=]+)=(.+)$/.exec(word) ?? []
      if (amount === '') throw new UsageError(`an amount looks like BRL=500.00, not ${word}`)
      if (isCurrency(currency)) return [currency, amount]
      const guess = nearest(currency, currencyNames)
      throw new UsageError(
        `there is no currency ${currency}${guess === null ? `; there are ${currencyNames.join(', ')}` : didYouMean(guess)}`,
      )
    }),
  )
}

const held = (account: Account) =>
  Object.entries(account.balances).filter(([, { available, blocked, pending }]) =>
    [available, blocked, pending].some((amount) => Number(amount) !== 0),
  )

function listed({ data }: RouteAnswer<'GET /accounts'>): string {
  const columns: readonly Column<Account>[] = [
    { title: 'USERNAME', of: (row) => row.username },
    { title: 'NAME', of: (row) => row.name },
    { title: 'CLIENT ID', of: (row) => row.credentials.map((credential) => credential.client_id).join(', ') },
    { title: 'WEBHOOKS TO', of: (row) => row.credentials[0].postback_url },
    {
      title: 'AVAILABLE',
      of: (row) =>
        held(row)
          .map(([currency, { available }]) => `${available} ${currency}`)
          .join(', '),
    },
  ]
  return table(columns, data, 'no accounts')
}

function balanceTable(account: Account): string {
  const rows = held(account)
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { title: 'CURRENCY', of: ([currency]) => currency },
    { title: 'AVAILABLE', of: ([, row]) => row.available, align: 'right' },
    { title: 'BLOCKED', of: ([, row]) => row.blocked, align: 'right' },
    { title: 'PENDING', of: ([, row]) => row.pending, align: 'right' },
  ]
  return `${bold(account.username)}\n${table(columns, rows, 'nothing at all')}`
}

function told(account: Account): string {
  const credential = account.credentials[0]
  return facts([
    ['username', account.username],
    ['name', account.name],
    ['document', account.document],
    ['client_id', credential.client_id],
    ['client_secret', credential.client_secret],
    ['signing_key', credential.signing_key],
    ['webhook_secret', credential.webhook_secret],
    ['postback_url', credential.postback_url],
    ['active', credential.active === false ? 'no' : 'yes'],
    ...held(account).map(([currency, { available }]) => ['available', `${available} ${currency}`] as const),
  ])
}
