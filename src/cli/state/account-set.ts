/** `payments-sandbox account set`: sets webhook URL, webhook secret, limits and fees. */
import type { Command } from 'commander'
import { joinWords } from '../../base/text.js'
import type { Account, ControlRoutes } from '../../client/types/control.js'
import { operations } from '../../protocol/platform/limits.js'
import { accountNamed, credentialOf } from '../connection/accounts.js'
import { addConnectionFlags, type Connection, connect, print, repeatableFlag } from '../connection/connection.js'
import { UsageError } from '../errors.js'

interface Flags extends Connection {
  webhookUrl?: string
  webhookSecret?: string
  limit: string[]
  fee: string[]
}

/** Defines `account set`. `format` formats the updated account. */
export function defineAccountSet(command: Command, format: (account: Account) => string): void {
  addConnectionFlags(command)
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
    .action(async (username: string, flags: Flags) => {
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
      print(flags, await sandbox.call('GET /accounts/{username}', { params }), format)
    })
}

const credentialChange = ({ webhookUrl, webhookSecret }: Flags) => ({
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
