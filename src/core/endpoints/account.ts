/** Handlers of the endpoints about an account: balances, limits, statements. */
import { isoUtc, parseDay, startOfDayMs } from '../../base/iso.js'
import { currencyNames } from '../../protocol/platform/currencies.js'
import { operations } from '../../protocol/platform/limits.js'
import { railOf } from '../../protocol/rails/index.js'
import { balancesOf } from '../ledger/ledger.js'
import { feeRuleOf, limitsOf, usedOn } from '../ledger/pricing.js'
import { listTransactions } from '../operations/lists.js'
import { asNumber, listItem } from '../operations/views.js'
import type { Handler } from './handler.js'
import { parseMomentField } from './operations.js'

const number = asNumber.amount

export const balance: Handler<'balance'> = ({ unit, caller }) => {
  const balances = balancesOf(unit.db, caller.account.seq)
  return {
    balances: currencyNames.map((currency) => ({
      currency,
      currency_type: railOf(currency).type,
      available: number(balances[currency].available, currency),
      blocked: number(balances[currency].blocked, currency),
      pending: number(balances[currency].pending, currency),
    })),
  }
}

export const profile: Handler<'profile'> = ({ unit, caller: { account, credential } }) => ({
  username: account.username,
  name: account.name,
  document: account.document,
  created_at: isoUtc(account.createdAtMs),
  webhook_url: credential.postbackUrl ?? unit.config.webhookUrl,
})

const pairs = currencyNames.flatMap((currency) => operations.map((operation) => ({ currency, operation })))

export const limits: Handler<'limits'> = ({ unit, caller }) => ({
  limits: pairs.map(({ currency, operation }) => {
    const ownLimits = limitsOf(unit, caller.account.seq, currency, operation)
    const used = usedOn(
      unit.db,
      caller.account.seq,
      currency,
      operation,
      startOfDayMs(unit.atMs, unit.config.limitDayOffsetMs),
    )
    return {
      currency,
      operation,
      min_amount: number(ownLimits.minMinor, currency),
      max_amount: number(ownLimits.maxMinor, currency),
      daily_limit: number(ownLimits.dailyMinor, currency),
      daily_used: number(used, currency),
    }
  }),
})

export const fees: Handler<'fees'> = ({ unit, caller }) => ({
  fees: pairs.map(({ currency, operation }) => {
    const rule = feeRuleOf(unit, caller.account.seq, currency, operation)
    return { currency, operation, fixed: number(rule.fixedMinor, currency), percent: Number(rule.percentPpm) / 10_000 }
  }),
})

export const transactionList: Handler<'transactionList'> = ({ unit, caller }, request) => {
  const page = request.page ?? 1
  const pageSize = request.page_size ?? unit.config.pageSize
  const { filterDay } = unit.config
  const fromMs = parseMomentField(request.from_date, 'from_date', (text) => parseDay(text, filterDay)?.fromMs ?? null)
  // A day as upper bound includes the whole day; a moment is used as given.
  const toMs = parseMomentField(
    request.to_date,
    'to_date',
    (text) => (parseDay(text, filterDay)?.toMs ?? Number.NaN) - 1 || null,
  )
  const { rows, total } = listTransactions(
    unit.db,
    caller.account.seq,
    {
      type: request.type,
      status: request.status,
      source: request.source,
      currency: request.currency,
      fromMs,
      toMs,
    },
    { limit: pageSize, offset: (page - 1) * pageSize },
  )
  return {
    items: rows.map((row) => listItem(row, asNumber)),
    pagination: { page, page_size: pageSize, total, total_pages: Math.ceil(total / pageSize) },
  }
}
