/** The demonstration accounts, the same at every start, so that an example can be pasted. Not secrets: they open a sandbox only. */
import { parseAmount } from '../base/money.js'
import { type Currency, currencies } from '../spec/currencies.js'
import { insertAccount, insertCredential } from './account.js'
import { post } from './ledger.js'
import type { Unit } from './workspace.js'

interface DemoAccount {
  username: string
  name: string
  document: string
  balances: Partial<Record<Currency, string>>
}

const demoAccounts: readonly DemoAccount[] = [
  {
    username: 'merchant',
    name: 'Merchant Demo Ltda',
    document: '12ABC34501DE35',
    balances: {
      BRL: '10000.00',
      MXN: '10000.00',
      USDT: '1000.00',
      USDC: '1000.00',
      BTC: '0.1',
      ETH: '1',
      SOL: '10',
      BNB: '10',
    },
  },
  { username: 'customer', name: 'Customer Demo', document: '52998224725', balances: { BRL: '1000.00' } },
]

/** Long enough to pass for the real thing, and plainly not it. */
const demoSecret = (kind: string, username: string) =>
  `${kind}_sandbox_${username}_0000000000000000000000000000000000000000`

export function seedAccounts(unit: Unit): void {
  for (const demo of demoAccounts) {
    const account = insertAccount(unit, demo)
    insertCredential(unit, account.seq, {
      clientId: `client_sandbox_${demo.username}`,
      clientSecret: demoSecret('secret', demo.username),
      signingKey: demoSecret('sk', demo.username),
      webhookSecret: demoSecret('whsec', demo.username),
      postbackUrl: null,
      active: true,
    })
    for (const [currency, amount] of Object.entries(demo.balances) as [Currency, string][]) {
      const parsed = parseAmount(amount, currencies[currency].scale)
      if (!parsed.ok) throw new Error(`the demonstration balance ${amount} ${currency} is unreadable`)
      post(unit, { objectId: demo.username, memo: 'opening balance' }, [
        {
          from: { accountSeq: 0, bucket: 'rail' },
          to: { accountSeq: account.seq, bucket: 'available' },
          currency,
          minor: parsed.minor,
        },
      ])
    }
  }
}
