/** Accounts, their balances, credentials, limits and fees. */
import { isoUtc } from '../../base/iso.js'
import {
  createCredential,
  insertAccount,
  listAccounts,
  requireAccount,
  updateCredential,
} from '../../core/auth/account.js'
import {
  type Account,
  type Credential,
  credentialsOf,
  findCredential,
  parsePostbackUrl,
} from '../../core/auth/authenticate.js'
import { balancesOf, setAvailable } from '../../core/ledger/ledger.js'
import { feeRuleOf, formatMoney, limitsOf, parseBalanceField, setFee, setLimits } from '../../core/ledger/pricing.js'
import { parseDocument } from '../../core/operations/transactions.js'
import type { Unit } from '../../core/unit/unit.js'
import type { accountRoutes } from '../../protocol/control/accounts.js'
import { byCurrency, currencyNames } from '../../protocol/platform/currencies.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { operations } from '../../protocol/platform/limits.js'
import type { Config } from '../../protocol/settings/platform.js'
import { type ControlCall, type Handlers, pagedByName } from './routes.js'
import { readStatement } from './statement.js'

export function credentialFields({ config }: { config: Config }, row: Credential) {
  return {
    client_id: row.clientId,
    client_secret: row.clientSecret,
    signing_key: row.signingKey,
    webhook_secret: row.webhookSecret,
    postback_url: row.postbackUrl ?? config.webhookUrl,
    active: row.active,
  }
}

export function accountFields(unit: Unit, account: Account) {
  const balances = balancesOf(unit.db, account.seq)
  const [first, ...others] = credentialsOf(unit.db, account.seq).map((row) => credentialFields(unit, row))
  if (first === undefined) throw new Error(`the account ${account.username} has no credential`)
  return {
    username: account.username,
    name: account.name,
    document: account.document,
    created_at: isoUtc(account.createdAtMs),
    balances: byCurrency((currency) => ({
      available: formatMoney(balances[currency].available, currency),
      blocked: formatMoney(balances[currency].blocked, currency),
      pending: formatMoney(balances[currency].pending, currency),
    })),
    // The type of the row requires a list that is not empty.
    credentials: [first, ...others] as [typeof first, ...typeof others],
  }
}

/** With what applies to its operations. */
function accountDetails(unit: Unit, account: Account) {
  const priced = currencyNames.flatMap((currency) => operations.map((operation) => ({ currency, operation })))
  return {
    ...accountFields(unit, account),
    limits: priced.map((of) => {
      const { minMinor, maxMinor, dailyMinor } = limitsOf(unit, { accountSeq: account.seq, ...of })
      const amount = (minor: bigint) => formatMoney(minor, of.currency)
      return { ...of, min_amount: amount(minMinor), max_amount: amount(maxMinor), daily_limit: amount(dailyMinor) }
    }),
    fees: priced.map((of) => {
      const { fixedMinor, percentPpm } = feeRuleOf(unit, { accountSeq: account.seq, ...of })
      return { ...of, fixed: formatMoney(fixedMinor, of.currency), percent: String(Number(percentPpm) / 10_000) }
    }),
  }
}

type Rows = typeof accountRoutes

async function createAccount({ ws, body: options }: ControlCall<Rows['createAccount']>) {
  return ws.unit((unit) => {
    const username =
      options.username ?? `account-${ws.memory.ids.sequence('usernames')}-${ws.memory.ids.secret('').slice(0, 6)}`
    const account = insertAccount(unit, {
      username,
      name: options.name ?? username,
      document: parseDocument(options.document, 'document') ?? '52998224725',
    })
    addCredential(unit, account, options.credential ?? {})
    postBalances(unit, account, options.balances ?? {})
    return accountFields(unit, account)
  })
}

function addCredential(
  unit: Unit,
  account: Account,
  options: ControlCall<Rows['createCredential']>['body'],
): Credential {
  return createCredential(unit, account.seq, {
    postbackUrl: parsePostbackUrl(options.postback_url, unit.config.strictWebhooks),
    webhookSecret: options.webhook_secret,
    active: options.active,
  })
}

function postBalances(unit: Unit, account: Account, options: ControlCall<Rows['setBalances']>['body']): void {
  for (const currency of currencyNames) {
    const amount = options[currency]
    if (amount !== undefined) setAvailable(unit, account, currency, parseBalanceField(amount, currency, currency))
  }
}

async function changeAccount({ ws, body, params }: ControlCall<Rows['changeAccount']>) {
  return ws.unit((unit) => {
    const account = requireAccount(unit.db, params.username)
    for (const row of body.limits ?? []) setLimits(unit, account, row)
    for (const row of body.fees ?? []) setFee(unit, account, row)
    unit.publishChange({ type: 'account', id: account.username, status: 'changed' })
    return accountFields(unit, account)
  })
}

async function setBalances({ ws, body, params }: ControlCall<Rows['setBalances']>) {
  return ws.unit((unit) => {
    const account = requireAccount(unit.db, params.username)
    postBalances(unit, account, body)
    unit.publishChange({ type: 'account', id: account.username, status: 'changed' })
    return accountFields(unit, account)
  })
}

async function createCredentialOf({ ws, body, params }: ControlCall<Rows['createCredential']>) {
  return ws.unit((unit) => credentialFields(ws, addCredential(unit, requireAccount(unit.db, params.username), body)))
}

async function changeCredential({ ws, body: options, params }: ControlCall<Rows['changeCredential']>) {
  return ws.unit((unit) => {
    const found = findCredential(unit.db, params.client_id)
    if (found === undefined)
      throw new ApiError('NOT_FOUND', { client_id: params.client_id }, `There is no credential ${params.client_id}.`)
    updateCredential(unit, found.seq, {
      ...(options.postback_url === undefined
        ? {}
        : { postbackUrl: parsePostbackUrl(options.postback_url, ws.config.strictWebhooks) }),
      ...(options.webhook_secret === undefined ? {} : { webhookSecret: options.webhook_secret }),
      ...(options.active === undefined ? {} : { active: options.active }),
    })
    unit.publishChange({ type: 'account', id: found.clientId, status: 'changed' })
    return credentialFields(ws, findCredential(unit.db, found.clientId) ?? found)
  })
}

export const accountHandlers: Handlers<Rows> = {
  listAccounts: ({ ws, query }) =>
    ws.unit((unit) => {
      const { data, next } = pagedByName(listAccounts(unit.db), query, ({ username }) => username)
      return { data: data.map((account) => accountFields(unit, account)), next }
    }),
  createAccount,
  readAccount: ({ ws, params }) => ws.unit((unit) => accountDetails(unit, requireAccount(unit.db, params.username))),
  changeAccount,
  setBalances,
  readStatement,
  createCredential: createCredentialOf,
  changeCredential,
}
