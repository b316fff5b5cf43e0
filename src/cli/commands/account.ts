/** `payments-sandbox account`: lists and creates accounts, sets limits, fees and balances, prints statements. */

import { once } from 'node:events'
import type { Command } from 'commander'
import { joinWords, suggestion } from '../../base/text.js'
import type { RouteAnswer } from '../../client/control.js'
import type { Account, ControlRoutes, StatementEntry } from '../../client/types/control.js'
import { currencyNames, isCurrency } from '../../protocol/platform/currencies.js'
import { operations } from '../../protocol/platform/limits.js'
import {
  accountNamed,
  type CommandUsages,
  type ConnectionFlags,
  connect,
  credentialOf,
  print,
  queryOf,
  repeatableFlag,
  subcommand,
} from '../command.js'
import { UsageError } from '../errors.js'
import { bold, type Column, formatFields, GrowingTable, table } from '../terminal/style.js'

interface CreateFlags extends ConnectionFlags {
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
    examples: { 'payments-sandbox account list': 'list all accounts' },
  },
  'account create': {
    jsonOutputs: [{ route: 'createAccount' }],
    examples: {
      'payments-sandbox account create shop --balance BRL=500.00':
        'create the account shop with a balance and a credential',
    },
  },
  'account set': {
    jsonOutputs: [{ route: 'readAccount' }],
    examples: {
      'payments-sandbox account set merchant --webhook-url http://localhost:3000/webhooks':
        'set the webhook URL of the account merchant',
      'payments-sandbox account set merchant --limit BRL:cashin:max_amount=500 --fee BRL:cashout:percent=1.5':
        'set a limit and a fee of the account merchant',
    },
  },
  'account balance': {
    jsonOutputs: [{ route: 'setBalances' }],
    examples: {
      'payments-sandbox account balance merchant': 'show the balances of the account merchant',
      'payments-sandbox account balance merchant BRL=500.00 USDT=0': 'set the available balances in BRL and USDT',
    },
  },
  'account statement': {
    jsonOutputs: [{ route: 'readStatement' }],
    examples: {
      'payments-sandbox account statement merchant --currency BRL': 'show the postings of the account merchant in BRL',
      'payments-sandbox account statement merchant --from 2026-11-01 --csv':
        'print the postings since 1 November as CSV',
    },
  },
}

export function define(command: Command): void {
  subcommand(command, 'list', 'list accounts and their balances').action(async (flags: ConnectionFlags) =>
    print(flags, await connect(flags).call('GET /accounts'), format),
  )
  subcommand(command, 'create', 'create an account with its own credential')
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
  defineAccountSet(subcommand(command, 'set', 'set webhook URL, limits and fees'))
  subcommand(command, 'balance', 'show balances, or set available amounts')
    .argument('<username>', 'account')
    .argument('[BRL=500.00...]', 'amounts by currency; omit to show the balances')
    .action(async (username: string, amounts: string[], flags: ConnectionFlags) => {
      const sandbox = connect(flags)
      const account =
        amounts.length === 0
          ? await accountNamed(sandbox, username)
          : await sandbox.call('PUT /accounts/{username}/balances', { params: { username }, body: balancesOf(amounts) })
      print(flags, account, balanceTable)
    })
  defineAccountStatement(subcommand(command, 'statement', 'list every posting and the balance after it'))
}

function requestOf(username: string | undefined, flags: CreateFlags): ControlRoutes['POST /accounts']['body'] {
  const { name, document, balance, webhookUrl: postback_url, webhookSecret: webhook_secret, active } = flags
  return {
    username,
    name,
    document,
    balances: balancesOf(balance),
    credential: { postback_url, webhook_secret, active },
  }
}

/** Parses `BRL=500.00` arguments. */
function balancesOf(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const [, currency = '', amount = ''] = /^([^=]+)=(.+)$/.exec(word) ?? []
      if (amount === '') throw new UsageError(`an amount must have the form BRL=500.00, not ${word}`)
      if (isCurrency(currency)) return [currency, amount]
      throw new UsageError(`currency ${currency} is not supported${suggestion(currency, currencyNames)}`)
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

interface SetFlags extends ConnectionFlags {
  webhookUrl?: string
  webhookSecret?: string
  limit: string[]
  fee: string[]
}

function defineAccountSet(command: Command): void {
  command
    .argument('<username>')
    .option(
      '--webhook-url <url>',
      'webhook URL of the account; the value none removes it, so that --webhook-url of start applies',
    )
    .option('--webhook-secret <text>', 'secret that signs its webhooks')
    .addOption(
      repeatableFlag(
        '--limit <BRL:cashin:max_amount=500>',
        `set a limit: max_amount, min_amount or daily_limit of ${joinWords(operations, 'or')}`,
      ),
    )
    .addOption(repeatableFlag('--fee <BRL:cashout:percent=1.5>', 'set a fee: percent or fixed'))
    .action(async (username: string, flags: SetFlags) => {
      const sandbox = connect(flags)
      const account = await accountNamed(sandbox, username)
      const params = { username: account.username }
      const credential = credentialChange(flags)
      const rules: Rules = { ...parseRules('limits', flags.limit), ...parseRules('fees', flags.fee) }
      if (Object.keys(credential).length + Object.keys(rules).length === 0)
        throw new UsageError('nothing to set; use --webhook-url, --webhook-secret, --limit or --fee')
      if (Object.keys(rules).length > 0) await sandbox.call('PATCH /accounts/{username}', { params, body: rules })
      if (Object.keys(credential).length > 0)
        await sandbox.call('PATCH /credentials/{client_id}', {
          params: { client_id: credentialOf(account).client_id },
          body: credential,
        })
      print(flags, await sandbox.call('GET /accounts/{username}', { params }), formatAccount)
    })
}

const credentialChange = ({ webhookUrl, webhookSecret }: SetFlags) => ({
  ...(webhookUrl === undefined ? {} : { postback_url: webhookUrl === 'none' ? null : webhookUrl }),
  ...(webhookSecret === undefined ? {} : { webhook_secret: webhookSecret }),
})

type Rules = ControlRoutes['PATCH /accounts/{username}']['body']

/** Merges `BRL:cashin:max_amount=500` and `BRL:cashin:min_amount=1` into one rule. */
function parseRules(name: 'limits' | 'fees', words: readonly string[]): Rules {
  const rules = new Map<string, Record<string, string>>()
  for (const word of words) {
    const [left = '', value = '', ...rest] = word.split('=')
    const [currency = '', operation = '', field = '', ...more] = left.split(':')
    if ([currency, operation, field, value].includes('') || rest.length + more.length > 0)
      throw new UsageError(`a limit or a fee must have the form BRL:cashin:max_amount=500, not ${word}`)
    const key = `${currency}:${operation}`
    rules.set(key, { ...(rules.get(key) ?? { currency, operation }), [field]: value })
  }
  // The sandbox validates the names.
  return rules.size === 0 ? {} : ({ [name]: [...rules.values()] } as Rules)
}

interface StatementFlags extends ConnectionFlags {
  csv?: boolean
}

const filters = ['currency', 'from', 'to', 'time_zone'] as const

function defineAccountStatement(command: Command): void {
  command
    .argument('<username>')
    .option('--currency <code>', 'currency (default: all)')
    .option('--from <date>', 'first day, or a time such as 2026-11-21T12:00:00Z (default: the first posting)')
    .option('--to <date>', 'last day, inclusive, or a time (default: the last posting)')
    .option('--time-zone <name>', 'time zone of days and times (default: America/Sao_Paulo)')
    .option('--csv', 'stream the statement as CSV')
    .action(async (username: string, flags: StatementFlags) => {
      const query = queryOf({ ...flags }, filters)
      const search = new URLSearchParams({ ...query, format: flags.csv === true ? 'csv' : 'json' })
      const path = `/accounts/${encodeURIComponent(username)}/statement?${search}`
      const pieces = await connect(flags).transfer('GET', path)
      const texts = flags.csv === true ? pieces : flags.json === true ? onOneLine(pieces) : tableOf(linesOf(pieces))
      for await (const text of texts) if (!process.stdout.write(text)) await once(process.stdout, 'drain')
    })
}

type Pieces = AsyncIterable<Uint8Array>

const lineBreak = 10

/** Removes line breaks, which the sandbox writes only between entries: strings of JSON contain none. */
async function* onOneLine(pieces: Pieces): AsyncGenerator<Uint8Array | string> {
  for await (const piece of pieces) yield piece.filter((byte) => byte !== lineBreak)
  yield '\n'
}

async function* linesOf(pieces: Pieces): AsyncGenerator<string[]> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield lines
  }
  yield [rest]
}

type Statement = RouteAnswer<'GET /accounts/{username}/statement'>

/** Yields the table while the entries arrive, so that a long statement takes no memory. */
async function* tableOf(batches: AsyncIterable<string[]>): AsyncGenerator<string> {
  const growing = new GrowingTable(columns)
  let isEmpty = true
  for await (const lines of batches) {
    const parts = lines.map(parseStatementLine)
    for (const { opening } of parts) if (opening !== undefined) yield formatSums('opening', opening)
    const entries = parts.flatMap((part) => part.entries)
    if (entries.length > 0) yield growing.add(entries)
    isEmpty &&= entries.length === 0
    for (const { closing } of parts)
      if (closing !== undefined)
        yield `${isEmpty ? table(columns, [], 'no postings') : ''}${formatSums('closing', closing)}`
  }
}

/** The sandbox writes each entry on a line: the first line ends before the entries, the last one has the closing sums. */
function parseStatementLine(line: string): Partial<Statement> & Pick<Statement, 'entries'> {
  if (line.startsWith('{"opening"')) return JSON.parse(line.endsWith('[') ? `${line}]}` : line)
  return JSON.parse(line.endsWith(',') ? `{"entries":[${line.slice(0, -1)}]}` : `{"entries":[${line}`)
}

const columns: readonly Column<StatementEntry>[] = [
  { title: 'DATE', of: (row) => row.date },
  { title: 'TIME', of: (row) => row.time },
  { title: 'TRANSACTION', of: (row) => row.transaction_id },
  { title: 'EXTERNAL ID', of: (row) => row.external_id },
  { title: 'TYPE', of: (row) => row.type },
  { title: 'AMOUNT', of: (row) => row.amount, align: 'right' },
  { title: 'BALANCE', of: (row) => row.balance, align: 'right' },
  { title: 'CURRENCY', of: (row) => row.currency },
]

function formatSums(name: string, sums: Statement['opening']): string {
  const text =
    typeof sums === 'string'
      ? sums
      : Object.entries(sums)
          .filter(([, amount]) => Number(amount) !== 0)
          .map(([currency, amount]) => `${amount} ${currency}`)
          .join(', ')
  return `${bold(name)}  ${text === '' ? 'zero' : text}\n`
}
