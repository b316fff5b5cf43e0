/** `payments-sandbox account`: lists and creates accounts, sets limits, fees and balances, prints statements. */

import type { Command } from 'commander'
import { nearest } from '../../base/nearest.js'
import type { RouteAnswer } from '../../client/control.js'
import type { Account, ControlRoutes } from '../../client/types/control.js'
import { currencyNames, isCurrency } from '../../protocol/platform/currencies.js'
import type { CommandUsages } from '../command.js'
import { accountNamed } from '../connection/accounts.js'
import { addConnectionFlags, type Connection, connect, print, repeatableFlag } from '../connection/connection.js'
import { didYouMean, UsageError } from '../errors.js'
import { bold } from '../terminal/style.js'
import { type Column, formatFields, table } from '../terminal/table.js'
import { defineAccountSet } from './account-set.js'
import { defineAccountStatement } from './account-statement.js'

interface CreateFlags extends Connection {
  name?: string
  document?: string
  balance: string[]
  webhookUrl?: string
  webhookSecret?: string
  active: boolean
}

export const usages: CommandUsages = {
  'account list': {
    jsonOutputs: [{ route: 'listAccounts' }],
    examples: [{ run: 'payments-sandbox account list', says: 'list all accounts' }],
  },
  'account create': {
    jsonOutputs: [{ route: 'createAccount' }],
    examples: [
      {
        run: 'payments-sandbox account create shop --balance BRL=500.00',
        says: 'create the account shop with a balance and a credential',
      },
    ],
  },
  'account set': {
    jsonOutputs: [{ route: 'readAccount' }],
    examples: [
      {
        run: 'payments-sandbox account set merchant --webhook-url http://localhost:3000/webhooks',
        says: 'set the webhook URL of the account merchant',
      },
      {
        run: 'payments-sandbox account set merchant --limit BRL:cashin:max_amount=500 --fee BRL:cashout:percent=1.5',
        says: 'set a limit and a fee of the account merchant',
      },
    ],
  },
  'account balance': {
    jsonOutputs: [{ route: 'readAccount' }],
    examples: [
      { run: 'payments-sandbox account balance merchant', says: 'show the balances of the account merchant' },
      {
        run: 'payments-sandbox account balance merchant BRL=500.00 USDT=0',
        says: 'set the available balances in BRL and USDT',
      },
    ],
  },
  'account statement': {
    jsonOutputs: [{ route: 'readStatement' }],
    examples: [
      {
        run: 'payments-sandbox account statement merchant --currency BRL',
        says: 'show the postings of the account merchant in BRL',
      },
      {
        run: 'payments-sandbox account statement merchant --from 2026-11-01 --csv',
        says: 'print the postings since 1 November as CSV',
      },
    ],
  },
}

export function define(command: Command): void {
  addConnectionFlags(command.command('list').description('list accounts and their balances')).action(
    async (flags: Connection) => print(flags, await connect(flags).call('GET /accounts'), format),
  )
  const create = command.command('create').description('create an account with its own credential')
  addConnectionFlags(create)
    .argument('[username]', 'username (default: generated)')
    .option('--name <text>', 'name of the account holder')
    .option('--document <number>', 'CPF or CNPJ')
    .addOption(repeatableFlag('--balance <BRL=500.00>', 'initial balance'))
    .option('--webhook-url <url>', 'webhook URL of the account')
    .option('--webhook-secret <text>', 'secret that signs its webhooks')
    .option('--no-active', 'create an inactive credential, like one that the platform has not approved yet')
    .action(async (username: string | undefined, flags: CreateFlags) =>
      print(flags, await connect(flags).call('POST /accounts', { body: requestOf(username, flags) }), formatAccount),
    )
  defineAccountSet(command.command('set').description('set webhook URL, limits and fees'), formatAccount)
  addConnectionFlags(command.command('balance').description('show balances, or set available amounts'))
    .argument('<username>')
    .argument('[BRL=500.00...]', 'amounts by currency; omit to show the balances')
    .action(async (username: string, amounts: string[], flags: Connection) => {
      const sandbox = connect(flags)
      const account =
        amounts.length === 0
          ? await accountNamed(sandbox, username)
          : await sandbox.call('PUT /accounts/{username}/balances', { params: { username }, body: balances(amounts) })
      print(flags, account, balanceTable)
    })
  defineAccountStatement(command.command('statement').description('list every posting and the balance after it'))
}

function requestOf(username: string | undefined, flags: CreateFlags): ControlRoutes['POST /accounts']['body'] {
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

/** Parses `BRL=500.00` arguments. */
function balances(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const [, currency = '', amount = ''] = /^([^=]+)=(.+)$/.exec(word) ?? []
      if (amount === '') throw new UsageError(`an amount must have the form BRL=500.00, not ${word}`)
      if (isCurrency(currency)) return [currency, amount]
      const guess = nearest(currency, currencyNames)
      throw new UsageError(
        `currency ${currency} is not supported${guess === null ? `; use one of ${currencyNames.join(', ')}` : didYouMean(guess)}`,
      )
    }),
  )
}

const nonZeroBalances = (account: Account) =>
  Object.entries(account.balances).filter(([, { available, blocked, pending }]) =>
    [available, blocked, pending].some((amount) => Number(amount) !== 0),
  )

function format({ data }: RouteAnswer<'GET /accounts'>): string {
  const columns: readonly Column<Account>[] = [
    { title: 'USERNAME', of: (row) => row.username },
    { title: 'NAME', of: (row) => row.name },
    { title: 'CLIENT ID', of: (row) => row.credentials.map((credential) => credential.client_id).join(', ') },
    { title: 'WEBHOOKS TO', of: (row) => row.credentials[0].postback_url },
    {
      title: 'AVAILABLE',
      of: (row) =>
        nonZeroBalances(row)
          .map(([currency, { available }]) => `${available} ${currency}`)
          .join(', '),
    },
  ]
  return table(columns, data, 'no accounts')
}

function balanceTable(account: Account): string {
  const rows = nonZeroBalances(account)
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { title: 'CURRENCY', of: ([currency]) => currency },
    { title: 'AVAILABLE', of: ([, row]) => row.available, align: 'right' },
    { title: 'BLOCKED', of: ([, row]) => row.blocked, align: 'right' },
    { title: 'PENDING', of: ([, row]) => row.pending, align: 'right' },
  ]
  return `${bold(account.username)}\n${table(columns, rows, 'all balances are zero')}`
}

function formatAccount(account: Account): string {
  const credential = account.credentials[0]
  return formatFields([
    ['username', account.username],
    ['name', account.name],
    ['document', account.document],
    ['client_id', credential.client_id],
    ['client_secret', credential.client_secret],
    ['signing_key', credential.signing_key],
    ['webhook_secret', credential.webhook_secret],
    ['postback_url', credential.postback_url],
    ['active', credential.active === false ? 'no' : 'yes'],
    ...nonZeroBalances(account).map(([currency, { available }]) => ['available', `${available} ${currency}`] as const),
  ])
}
