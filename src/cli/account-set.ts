/** `payments-sandbox account set`: where its webhooks go, what it may move, what it pays. */
import type { Command } from 'commander'
import { accountNamed, credentialOf } from './accounts.js'
import { type Connection, connect, print, repeatable, talks } from './connection.js'
import { UsageError } from './errors.js'
import type { Account } from './shapes.js'

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
      const at = `/accounts/${encodeURIComponent(account.username)}`
      const credential = credentialChange(flags)
      const rules = { ...group('limits', flags.limit), ...group('fees', flags.fee) }
      if (Object.keys(credential).length + Object.keys(rules).length === 0)
        throw new UsageError('say what to set: --webhook-url, --webhook-secret, --limit or --fee')
      if (Object.keys(rules).length > 0) await sandbox.call('PATCH', at, rules)
      if (Object.keys(credential).length > 0)
        await sandbox.call('PATCH', `/credentials/${encodeURIComponent(credentialOf(account).client_id)}`, credential)
      print(flags, await sandbox.call<Account>('GET', at), told)
    })
}

const credentialChange = ({ webhookUrl, webhookSecret }: Flags) => ({
  ...(webhookUrl === undefined ? {} : { postback_url: webhookUrl === 'none' ? null : webhookUrl }),
  ...(webhookSecret === undefined ? {} : { webhook_secret: webhookSecret }),
})

/** `BRL:cashin:max_amount=500` and `BRL:cashin:min_amount=1` are one rule of BRL and cashin. */
function group(name: 'limits' | 'fees', words: readonly string[]): Record<string, Record<string, string>[]> {
  const rules = new Map<string, Record<string, string>>()
  for (const word of words) {
    const [left = '', value = '', ...rest] = word.split('=')
    const [currency = '', operation = '', field = '', ...more] = left.split(':')
    if ([currency, operation, field, value].includes('') || rest.length + more.length > 0)
      throw new UsageError(`a rule looks like BRL:cashin:max_amount=500, not ${word}`)
    const key = `${currency}:${operation}`
    rules.set(key, { ...(rules.get(key) ?? { currency, operation }), [field]: value })
  }
  return rules.size === 0 ? {} : { [name]: [...rules.values()] }
}
