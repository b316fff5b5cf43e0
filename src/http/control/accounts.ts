/** Accounts, their balances, credentials, limits and fees. */
import * as z from 'zod'
import { isoUtc } from '../../base/iso.js'
import {
  type Account,
  type Credential,
  createCredential,
  credentialsOf,
  findCredential,
  insertAccount,
  listAccounts,
  requireAccount,
  updateCredential,
} from '../../core/access/account.js'
import { documentOf, postbackUrlOf } from '../../core/api/fields.js'
import { readBalance } from '../../core/ledger/amounts.js'
import { balancesOf, setAvailable } from '../../core/ledger/ledger.js'
import { setFee, setLimits } from '../../core/ledger/pricing-changes.js'
import { asText } from '../../core/operations/views.js'
import type { Unit, Workspace } from '../../core/workspace/workspace.js'
import { type Currency, currencyNames, isCurrency } from '../../protocol/api/currencies.js'
import { ApiError } from '../../protocol/api/errors.js'
import { bool, choice, looseAmount, text } from '../../protocol/api/fields.js'
import { operations } from '../../protocol/api/limits.js'
import { invalid, readBody } from './params.js'
import type { AdminCall, AdminRoute } from './route.js'

export function credentialFields(ws: Workspace, row: Credential) {
  return {
    client_id: row.clientId,
    client_secret: row.clientSecret,
    signing_key: row.signingKey,
    webhook_secret: row.webhookSecret,
    postback_url: row.postbackUrl ?? ws.config.webhookUrl,
    active: row.active,
  }
}

export function accountFields(unit: Unit, account: Account) {
  const held = balancesOf(unit.db, account.seq)
  const balances = currencyNames.map((currency) => [
    currency,
    {
      available: asText(held[currency].available, currency),
      blocked: asText(held[currency].blocked, currency),
      pending: asText(held[currency].pending, currency),
    },
  ])
  return {
    username: account.username,
    name: account.name,
    document: account.document,
    created_at: isoUtc(account.createdAtMs),
    balances: Object.fromEntries(balances),
    credentials: credentialsOf(unit.db, account.seq).map((row) => credentialFields(unit.ws, row)),
  }
}

const url = () => z.string('must be a string').nullable().optional()
const credentialBody = z.strictObject({
  postback_url: url(),
  webhook_secret: text(200).optional(),
  active: bool().optional(),
})
const balancesBody = z.partialRecord(z.string(), looseAmount())
const accountBody = z.strictObject({
  username: z
    .string('must be a string')
    .regex(/^[a-z0-9][a-z0-9._-]{0,49}$/, 'must be 1 to 50 of a-z, 0-9, dot, hyphen and underscore')
    .optional(),
  name: text(120).optional(),
  document: text(18).optional(),
  balances: balancesBody.optional(),
  credential: credentialBody.optional(),
})

async function create({ ws, body }: AdminCall) {
  const wish = readBody(accountBody, body)
  return ws.unit((unit) => {
    const username = wish.username ?? `account-${ws.ids.sequence('usernames')}-${ws.ids.secret('').slice(0, 6)}`
    const account = insertAccount(unit, {
      username,
      name: wish.name ?? username,
      document: documentOf(wish.document, 'document') ?? '52998224725',
    })
    addCredential(unit, account, wish.credential ?? {})
    setBalances(unit, account, wish.balances ?? {})
    return accountFields(unit, account)
  })
}

function addCredential(unit: Unit, account: Account, wish: z.output<typeof credentialBody>): Credential {
  return createCredential(unit, account.seq, {
    postbackUrl: postbackUrlOf(wish.postback_url, unit.ws.config.strictWebhooks),
    webhookSecret: wish.webhook_secret,
    active: wish.active,
  })
}

function setBalances(unit: Unit, account: Account, wish: Record<string, string | undefined>): void {
  for (const [currency, amount] of Object.entries(wish)) {
    if (!isCurrency(currency)) throw new ApiError('INVALID_CURRENCY', { field: currency, supported: currencyNames })
    setAvailable(unit, account, currency, readBalance(amount ?? '', currency, currency))
  }
}

const patchBody = z.strictObject({
  limits: z
    .array(
      z.strictObject({
        currency: choice(currencyNames as [string, ...string[]], 'INVALID_CURRENCY'),
        operation: choice(operations),
        min_amount: looseAmount().optional(),
        max_amount: looseAmount().optional(),
        daily_limit: looseAmount().optional(),
      }),
    )
    .optional(),
  fees: z
    .array(
      z.strictObject({
        currency: choice(currencyNames as [string, ...string[]], 'INVALID_CURRENCY'),
        operation: choice(operations),
        fixed: looseAmount().optional(),
        percent: looseAmount().optional(),
      }),
    )
    .optional(),
})

async function patch({ ws, body, params }: AdminCall) {
  const wish = readBody(patchBody, body)
  return ws.unit((unit) => {
    const account = requireAccount(unit.db, params.username ?? '')
    for (const row of wish.limits ?? []) setLimits(unit, account, { ...row, currency: row.currency as Currency })
    for (const row of wish.fees ?? []) setFee(unit, account, { ...row, currency: row.currency as Currency })
    unit.change({ type: 'account', id: account.username, status: 'changed' })
    return accountFields(unit, account)
  })
}

async function putBalances({ ws, body, params }: AdminCall) {
  const wish = readBalances(body)
  return ws.unit((unit) => {
    const account = requireAccount(unit.db, params.username ?? '')
    setBalances(unit, account, wish)
    unit.change({ type: 'account', id: account.username, status: 'changed' })
    return accountFields(unit, account)
  })
}

function readBalances(body: Record<string, unknown>): Record<string, string | undefined> {
  const result = balancesBody.safeParse(body)
  if (result.success) return result.data
  throw invalid(String(result.error.issues[0]?.path[0] ?? ''), 'must be a number or a decimal string')
}

async function addCredentialTo({ ws, body, params }: AdminCall) {
  const wish = readBody(credentialBody, body)
  return ws.unit((unit) =>
    credentialFields(ws, addCredential(unit, requireAccount(unit.db, params.username ?? ''), wish)),
  )
}

async function patchCredential({ ws, body, params }: AdminCall) {
  const wish = readBody(credentialBody, body)
  return ws.unit((unit) => {
    const found = findCredential(unit.db, params.client_id ?? '')
    if (found === undefined)
      throw new ApiError(
        'NOT_FOUND',
        { client_id: params.client_id },
        { message: `There is no credential ${params.client_id}.` },
      )
    updateCredential(unit, found.seq, {
      ...(wish.postback_url === undefined
        ? {}
        : { postbackUrl: postbackUrlOf(wish.postback_url, ws.config.strictWebhooks) }),
      ...(wish.webhook_secret === undefined ? {} : { webhookSecret: wish.webhook_secret }),
      ...(wish.active === undefined ? {} : { active: wish.active }),
    })
    unit.change({ type: 'account', id: found.clientId, status: 'changed' })
    return credentialFields(ws, findCredential(unit.db, found.clientId) ?? found)
  })
}

const one = ({ ws, params }: AdminCall) =>
  ws.unit((unit) => accountFields(unit, requireAccount(unit.db, params.username ?? '')))
const list = ({ ws }: AdminCall) =>
  ws.unit((unit) => ({ data: listAccounts(unit.db).map((account) => accountFields(unit, account)), next: null }))

export const accountRoutes: readonly AdminRoute[] = [
  { method: 'GET', path: '/_sandbox/accounts', title: 'All accounts with their credentials', handle: list },
  {
    method: 'POST',
    path: '/_sandbox/accounts',
    title: 'Make an account',
    describeBody: () => accountBody,
    handle: create,
  },
  { method: 'GET', path: '/_sandbox/accounts/:username', title: 'One account', handle: one },
  {
    method: 'PATCH',
    path: '/_sandbox/accounts/:username',
    title: 'Change limits and fees',
    describeBody: () => patchBody,
    handle: patch,
  },
  {
    method: 'PUT',
    path: '/_sandbox/accounts/:username/balances',
    title: 'Set what is available',
    describeBody: () => balancesBody,
    handle: putBalances,
  },
  {
    method: 'POST',
    path: '/_sandbox/accounts/:username/credentials',
    title: 'Make another credential',
    describeBody: () => credentialBody,
    handle: addCredentialTo,
  },
  {
    method: 'PATCH',
    path: '/_sandbox/credentials/:client_id',
    title: 'Change a credential',
    describeBody: () => credentialBody,
    handle: patchCredential,
  },
]
