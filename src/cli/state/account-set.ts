/** `payments-sandbox account set`: where its webhooks go, what it may move, what it pays. */
import type { Command } from 'commander'
import type { Account, ControlRoutes } from '../../client/types/control.js'
import { accountNamed, credentialOf } from '../connection/accounts.js'
import { type Connection, connect, print, repeatable, talks } from '../connection/connection.js'
import { UsageError } from '../errors.js'

interface Flags extends Connection {
  webhookUrl?: string
  webhookSecret?: string
  limit: string[]
  fee: string[]
}

/** `told` shows the account as it is afterwards. */
export function defineAccountSet(command: Command, told: (account: Account) => string): void {
  talks(command)
    .argument('<username>')
    .option('--webhook-url <url>', 'where its webhooks go; none: where the sandbox sends them')
    .option('--webhook-secret <text>', 'what its webhooks are signed with')
    .addOption(
      repeatable('--limit <BRL:cashin:max_amount=500>', 'also min_amount, daily_limit; cashout, transfer, conversion'),
    )
    .addOption(repeatable('--fee <BRL:cashout:percent=1.5>', 'also fixed'))
    .action(async (username: string, flags: Flags) => {
      const sandbox = connect(flags)
      const account = await accountNamed(sandbox, username)
      const params = { username: account.username }
      const credential = credentialChange(flags)
      const rules: Rules = { ...group('limits', flags.limit), ...group('fees', flags.fee) }
      if (Object.keys(credential).length + Object.keys(rules).length === 0)
        throw new UsageError('say what to set: --webhook-url, --webhook-secret, --limit or --fee')
      if (Object.keys(rules).length > 0) await sandbox.call('PATCH /accounts/{username}', { params, body: rules })
      if (Object.keys(credential).length > 0)
        await sandbox.call('PATCH /credentials/{client_id}', {
          params: { client_id: credentialOf(account).client_id },
          body: credential,
        })
      print(flags, await sandbox.call('GET /accounts/{username}', { params }), told)
    })
}

const credentialChange = ({ webhookUrl, webhookSecret }: Flags) => ({
  ...(webhookUrl === undefined ? {} : { postback_url: webhookUrl === 'none' ? null : webhookUrl }),
  ...(webhookSecret === undefined ? {} : { webhook_secret: webhookSecret }),
})

type Rules = ControlRoutes['PATCH /accounts/{username}']['body']

/** `BRL:cashin:max_amount=500` and `BRL:cashin:min_amount=1` are one rule of BRL and cashin. */
function group(name: 'limits' | 'fees', words: readonly string[]): Rules {
  const rules = new Map<string, Record<string, string>>()
  for (const word of words) {
    const [left = '', value = '', ...rest] = word.split('=')
    const [currency = '', operation = '', field = '', ...more] = left.split(':')
    if ([currency, operation, field, value].includes('') || rest.length + more.length > 0)
      throw new UsageError(`a rule looks like BRL:cashin:max_amount=500, not ${word}`)
    const key = `${currency}:${operation}`
    rules.set(key, { ...(rules.get(key) ?? { currency, operation }), [field]: value })
  }
  // Whether each word names something that there is, the sandbox says.
  return rules.size === 0 ? {} : ({ [name]: [...rules.values()] } as Rules)
}
