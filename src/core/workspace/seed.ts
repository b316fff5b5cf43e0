/**
 * The demonstration accounts, the same at every start, so that examples can be pasted. Their keys are not secret: they
 * only open a sandbox.
 */
import { byCurrency, currencies, currencyNames } from '../../protocol/platform/currencies.js'
import type { SeedAccount } from '../../protocol/settings/seed-account.js'
import { credentialsOf, findAccount, insertAccount, insertCredential, newSecrets } from '../auth/account.js'
import { demoCredential, demoUsernames } from '../auth/demo-secrets.js'
import { parseBalanceField, post } from '../ledger/ledger.js'
import type { Unit } from '../unit/unit.js'

const demoDocument = '52998224725'
const demoAccounts: readonly SeedAccount[] = [
  {
    username: 'merchant',
    name: 'Merchant Demo Ltda',
    document: '12ABC34501DE35',
    balances: byCurrency((currency) => currencies[currency].openingBalance),
  },
  { username: 'customer', name: 'Customer Demo', document: demoDocument, balances: { BRL: '1000.00' } },
]

/** The secrets of seeded accounts before a reset, by username: they stay the same. */
type SeededSecrets = ReadonlyMap<string, Secrets>
type Secrets = ReturnType<typeof newSecrets>

export function seededSecrets({ db, config }: Pick<Unit, 'db' | 'config'>): SeededSecrets {
  const found = seedsOf(config.accounts).flatMap(({ username }): [string, Secrets][] => {
    const account = findAccount(db, username)
    const [first] = account === undefined ? [] : credentialsOf(db, account.seq)
    if (first === undefined) return []
    const { clientId, clientSecret, signingKey, webhookSecret } = first
    return [[username, { clientId, clientSecret, signingKey, webhookSecret }]]
  })
  return new Map(found)
}

export function seedAccounts(unit: Unit, before: SeededSecrets = new Map()): void {
  for (const seed of seedsOf(unit.config.accounts)) {
    const { username, name = username, document = demoDocument, balances = {} } = seed
    const account = insertAccount(unit, { username, name, document })
    insertCredential(unit, account.seq, credentialOf(unit, seed, before.get(username)))
    for (const currency of currencyNames) {
      const amount = balances[currency]
      if (amount === undefined) continue
      const minor = parseBalanceField(amount, currency, currency)
      if (minor === 0n) continue
      const target = { accountSeq: account.seq, bucket: 'available' } as const
      post(unit, { objectId: username, memo: 'opening balance' }, [
        { from: { accountSeq: 0, bucket: 'rail' }, to: target, currency, amountMinor: minor },
      ])
    }
  }
}

/** Returns the demonstration accounts with the configured changes, then the configured accounts. */
function seedsOf(target: readonly SeedAccount[]): SeedAccount[] {
  const demoByName = new Map(demoAccounts.map((demo) => [demo.username, demo]))
  for (const seed of target) {
    const demo = demoByName.get(seed.username)
    demoByName.set(seed.username, { ...demo, ...seed, balances: { ...demo?.balances, ...seed.balances } })
  }
  return [...demoByName.values()]
}

function credentialOf({ ids, config }: Unit, { username, credential = {} }: SeedAccount, before?: Secrets) {
  const isDemo = demoUsernames.some((name) => name === username)
  const isKnown = config.demoSecrets !== 'random' && isDemo
  const secrets = isKnown ? demoCredential(username) : (before ?? newSecrets(ids))
  const { postbackUrl = null, active = true, ...keys } = credential
  return { ...secrets, ...present(keys), postbackUrl, active }
}

/** Removes fields whose value is undefined. */
const present = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
