/**
 * Handlers of the endpoints about an account: balances, limits, statements, and disputes with the reply of the merchant
 * (interface.md §4.3, assumptions.md decision 27).
 */
import { isoUtc, parseDay, parseMoment } from '../../base/iso.js'
import { currencyNames } from '../../protocol/platform/currencies.js'
import type { RequestOf } from '../../protocol/platform/endpoints.js'
import { ApiError, invalid, notFound } from '../../protocol/platform/errors.js'
import { bodyLimits, operations } from '../../protocol/platform/limits.js'
import { railOf } from '../../protocol/rails/index.js'
import { balancesOf } from '../ledger/ledger.js'
import { asNumber, feeRuleOf, limitsOf, usedOn } from '../ledger/pricing.js'
import { respond } from '../operations/dispute.js'
import { listDisputes, listTransactions } from '../operations/lists.js'
import { type Call, type Handler, repliesTo, requireDispute, type UploadedFile } from '../operations/transactions.js'
import { disputeItem, listItem, replyItem } from '../operations/views.js'
import type { Unit } from '../unit/unit.js'

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
    const priced = { accountSeq: caller.account.seq, currency, operation }
    const ownLimits = limitsOf(unit, priced)
    return {
      currency,
      operation,
      min_amount: number(ownLimits.minMinor, currency),
      max_amount: number(ownLimits.maxMinor, currency),
      daily_limit: number(ownLimits.dailyMinor, currency),
      daily_used: number(usedOn(unit, priced, unit.atMs), currency),
    }
  }),
})

export const fees: Handler<'fees'> = ({ unit, caller }) => ({
  fees: pairs.map(({ currency, operation }) => {
    const rule = feeRuleOf(unit, { accountSeq: caller.account.seq, currency, operation })
    return { currency, operation, fixed: number(rule.fixedMinor, currency), percent: Number(rule.percentPpm) / 10_000 }
  }),
})

/** The page that the request of a list names, and how the response describes it. */
function pageOf(
  { config }: Unit,
  { page = 1, page_size = config.pageSize }: Pick<RequestOf<'infractionList'>, 'page' | 'page_size'>,
) {
  return {
    place: { limit: page_size, offset: (page - 1) * page_size },
    pagination: (total: number) => ({ page, page_size, total, total_pages: Math.ceil(total / page_size) }),
  }
}

export const transactionList: Handler<'transactionList'> = ({ unit, caller }, request) => {
  const { place, pagination } = pageOf(unit, request)
  const { filterDay } = unit.config
  const fromMs = parseMomentField(request.from_date, 'from_date', (text) => parseDay(text, filterDay)?.fromMs ?? null)
  // A day as upper bound includes the whole day; a moment is used as given.
  const toMs = parseMomentField(
    request.to_date,
    'to_date',
    (text) => (parseDay(text, filterDay)?.toMs ?? Number.NaN) - 1 || null,
  )
  const { rows, total } = listTransactions(unit.db, caller.account.seq, { ...request, fromMs, toMs }, place)
  return { items: rows.map((row) => listItem(row, asNumber)), pagination: pagination(total) }
}

export const infractionList: Handler<'infractionList'> = ({ unit, caller }, request) => {
  const { place, pagination } = pageOf(unit, request)
  const { rows, total } = listDisputes(unit.db, caller.account.seq, request, place)
  return { items: rows.map((row) => disputeItem(row, asNumber)), pagination: pagination(total) }
}

/** Returns the caller's dispute. Another account's dispute gives the same error as an unknown one. */
function requireOwnDispute({ unit, caller }: Call, id: string) {
  const dispute = requireDispute(unit.db, id.toLowerCase())
  if (dispute.accountSeq === caller.account.seq) return dispute
  throw notFound('dispute', id)
}

export const infractionDetail: Handler<'infractionDetail'> = (call, { id }) => {
  const dispute = requireOwnDispute(call, id)
  return {
    ...disputeItem(dispute, asNumber),
    replies: repliesTo(call.unit.db, dispute.id).map(replyItem),
  }
}

export const infractionReply: Handler<'infractionReply'> = (call, { id, message }) => {
  const dispute = requireOwnDispute(call, id)
  const files = describeFiles(call.files)
  const { replyId } = respond(call.unit, dispute, { message, files })
  return {
    infraction_id: dispute.id,
    transaction_id: dispute.transactionId,
    reply_id: replyId,
    status: 'responded',
    files,
    responded_at: isoUtc(call.unit.atMs),
  }
}

/** File types are recognized by content, not by name. */
const signatures = [
  { type: 'application/pdf', bytes: [0x25, 0x50, 0x44, 0x46, 0x2d] },
  { type: 'image/jpeg', bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/png', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
] as const

/** Returns name, size, type and SHA-256 of each file; throws 422 INVALID_VALUE for too many, too large or unsupported files. */
function describeFiles(files: readonly UploadedFile[]) {
  if (files.length > bodyLimits.files) throw fileError(`at most ${bodyLimits.files} files`)
  return files.map(({ name, size, sha256, head }) => {
    if (size > bodyLimits.fileBytes) throw fileError(`${name} is larger than ${bodyLimits.fileBytes / 1024 / 1024} MB`)
    const known = signatures.find((signature) => signature.bytes.every((byte, index) => head[index] === byte))
    if (known === undefined) throw fileError(`${name} is neither PDF, JPG nor PNG`)
    return { name: name.slice(0, 255), size, type: known.type, sha256 }
  })
}

const fileError = (rule: string) => new ApiError('INVALID_VALUE', { field: 'files[]', rule }, `files[]: ${rule}.`)

/** Parses a day or a moment to epoch milliseconds; a day ends where the next one starts. Throws 422 INVALID_VALUE. */
function parseMomentField(
  text: string | undefined,
  field: string,
  day: (text: string) => number | null,
): number | null {
  if (text === undefined) return null
  const atMs = day(text) ?? parseMoment(text)
  if (atMs === null) throw invalid(field, 'must be YYYY-MM-DD or ISO 8601 with offset')
  return atMs
}
