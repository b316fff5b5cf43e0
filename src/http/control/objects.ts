/** Transactions, disputes and wallets with their history, events and postings; the actions that they allow. */
import { isoUtc } from '../../base/iso.js'
import { accountOf } from '../../core/auth/authenticate.js'
import { triggerOnNewObject } from '../../core/endpoints/create-object.js'
import { jobsOf } from '../../core/jobs/jobs.js'
import { formatMoney } from '../../core/ledger/pricing.js'
import { countsByStatus, search } from '../../core/operations/lists.js'
import {
  repliesTo,
  requireAnyTransaction,
  requireDispute,
  requireWallet,
  type Subject,
  selectTransactions,
  subjectOf,
  withExternalId,
} from '../../core/operations/transactions.js'
import { creationOf, subjectId } from '../../core/operations/transition.js'
import { allowedActions, trigger } from '../../core/operations/trigger.js'
import { disputeObject, replyItem, transactionObject, walletObject } from '../../core/operations/views.js'
import type { Unit } from '../../core/unit/unit.js'
import { type ActionName, actionNames, actionTable } from '../../protocol/actions/actions.js'
import type { countRoutes } from '../../protocol/control/figures.js'
import type { objectRoutes, SearchHit, searchRoutes } from '../../protocol/control/objects.js'
import type { Triggered, triggerRoutes } from '../../protocol/control/trigger.js'
import { ApiError, invalid } from '../../protocol/platform/errors.js'
import { controlDefaults, operations } from '../../protocol/platform/limits.js'
import { word } from '../../protocol/platform/shell-calls.js'
import {
  statusesOf,
  type TransactionType,
  type TransitionRow,
  transitions,
} from '../../protocol/platform/transitions.js'
import type { Db } from '../../store/db.js'
import { type Condition, given, lister, selector } from '../../store/rows.js'
import { disputes, events, history, postings, wallets } from '../../store/schema.js'
import { withPayUrl } from '../host.js'
import { jsonSchema } from '../openapi/json-schema.js'
import {
  accountNamed,
  accountSeqNamed,
  type ControlCall,
  type Handlers,
  pagedByName,
  pageFrom,
  rangeOf,
} from './routes.js'
import { eventSummary } from './webhooks.js'

export const searchHandlers: Handlers<typeof searchRoutes> = {
  search: ({ ws, query: { q, limit } }) =>
    ws.unit(({ db }) => ({
      data: search(db, q.trim(), limit ?? controlDefaults.found).map(
        ({ seq: _seq, amountMinor, atMs, ...hit }): SearchHit => ({
          ...hit,
          amount: amountMinor === null || hit.currency === null ? null : formatMoney(amountMinor, hit.currency),
          at: isoUtc(atMs),
        }),
      ),
      next: null,
    })),
}

export const countHandlers: Handlers<typeof countRoutes> = {
  readCounts: ({ ws }) => ws.unit(({ db }) => ({ data: countsByStatus(db), next: null })),
}

function isAbout(subject: Subject, { event, body }: typeof events.$inferSelect): boolean {
  if (subject.kind === 'wallet') return event === 'wallet.created'
  return subject.kind !== 'dispute' || (event.startsWith('chargeback.') && body.includes(subject.row.id))
}

/**
 * Some postings of an object are stored under another one. A dispute that is lost or confirmed also refunds its charge. The
 * postings of a transfer belong to the transaction of its sender, which is created just before that of the recipient.
 */
function postingsOf(db: Db, subject: Subject, id: string) {
  if (subject.kind === 'transfer' && subject.row.detail.direction === 'received')
    return postingsOfTransferAt(db, subject.row.seq - 1)
  if (subject.kind !== 'dispute') return postingsOfObject(db, id)
  const decided = (row: TransitionRow) => row.object === 'dispute' && row.to === subject.row.status
  const memos = transitions
    .filter(decided)
    .flatMap(({ next }: TransitionRow) => (next === undefined ? [] : [next.join('.')]))
  return postingsOfDispute(db, id, subject.row.transactionId, JSON.stringify(memos))
}

const postingsOfObject = selector(postings, 'where object_id = ? order by seq')
const postingsOfTransferAt = selector(
  postings,
  "where object_id = (select id from transactions where seq = ? and type = 'transfer') order by seq",
)
const postingsOfDispute = selector(
  postings,
  'where object_id = ? or (object_id = ? and memo in (select value from json_each(?))) order by seq',
)
const historyOf = selector(history, 'where object_id = ? and object = ? order by seq')
const eventsAbout = selector(events, 'where subject_id = ? order by seq')

function objectDetails<Fields>(unit: Unit, subject: Subject, fields: Fields) {
  const { db } = unit
  const id = subjectId(subject)
  const creation = creationOf(subject)
  const past = historyOf(db, id, subject.kind)
  // The events of a dispute have its charge as their subject.
  const eventSubjectId = subject.kind === 'dispute' ? subject.row.transactionId : id
  const eventRows = eventsAbout(db, eventSubjectId)
  const entries = postingsOf(db, subject, id)
  return {
    ...fields,
    history: [
      { action: creation.action, from: null, to: creation.to, at: isoUtc(creation.atMs) },
      ...past.map((row) => ({ action: row.action, from: row.fromStatus, to: row.toStatus, at: isoUtc(row.atMs) })),
    ],
    events: eventRows.filter((row) => isAbout(subject, row)).map((row) => eventSummary(unit, row)),
    ledger: entries.map((row) => ({
      entry: row.entry,
      account: row.accountSeq === 0 ? 'platform' : accountOf(db, row.accountSeq).username,
      bucket: row.bucket,
      currency: row.currency,
      amount: formatMoney(row.amountMinor, row.currency),
      memo: row.memo,
      type: row.type,
      at: isoUtc(row.atMs),
    })),
    allowed: allowedActions(unit, subject),
    due: jobsOf(db, id).map(({ kind, dueAtMs }) => ({ job: kind, at: isoUtc(dueAtMs) })),
  }
}

type Rows = typeof objectRoutes

/** Written exactly as in the index, because SQLite uses the index only then. */
const isReceivedBy = "source = 'static' and json_extract(detail, '$.walletId') = ?"

type State = readonly [type: TransactionType, status: string]

const statesOf = (type: TransactionType | undefined, status: string | undefined): State[] =>
  (type === undefined ? operations : [type]).flatMap((one) =>
    statusesOf(one)
      .filter((of) => status === undefined || of === status)
      .map((of) => [one, of] as const),
  )

/** The index is ordered by type and status, so the newest rows of each are found quickly, however many others there are. */
const newestOf = (db: Db, states: readonly State[], conditions: readonly Condition[], rowLimit: number) =>
  states
    .flatMap(([type, status]) =>
      selectTransactions(db, [['type = ? and status = ?', type, status], ...conditions], rowLimit),
    )
    .sort((one, other) => other.seq - one.seq)
    .slice(0, rowLimit)

function listTransactions({ query, ...call }: ControlCall<Rows['listTransactions']>) {
  const { limit, rowLimit, belowSeq } = rangeOf(query)
  return call.ws.unit((unit) => {
    const conditions: Condition[] = [
      ['seq < ?', belowSeq],
      ...given(withExternalId, query.external_id),
      ...given('currency = ?', query.currency),
      ...given(isReceivedBy, query.wallet_id),
      ...given('account_seq = ?', accountSeqNamed(unit, query.account)),
    ]
    const found =
      query.type === undefined && query.status === undefined
        ? selectTransactions(unit.db, conditions, rowLimit)
        : newestOf(unit.db, statesOf(query.type, query.status), conditions, rowLimit)
    return pageFrom(found, limit, (row) => withPayUrl(call, transactionObject(unit.db, row)))
  })
}

function listDisputes({ ws, query }: ControlCall<Rows['listDisputes']>) {
  const { limit, rowLimit, belowSeq } = rangeOf(query)
  return ws.unit((unit) => {
    const conditions: Condition[] = [
      ['seq < ?', belowSeq],
      ...given('type = ?', query.type),
      ...given('status = ?', query.status),
      ...given('transaction_id = ?', query.transaction_id),
      ...given('account_seq = ?', accountSeqNamed(unit, query.account)),
    ]
    return pageFrom(newestDisputes(unit.db, conditions, rowLimit), limit, (row) => disputeObject(unit.db, row))
  })
}

const newestDisputes = lister(disputes, 'order by seq desc limit ?')
const newestWallets = lister(wallets, 'order by seq desc limit ?')

function listWallets({ ws, query }: ControlCall<Rows['listWallets']>) {
  const { limit, rowLimit, belowSeq } = rangeOf(query)
  return ws.unit((unit) => {
    const conditions: Condition[] = [
      ['seq < ?', belowSeq],
      ...given('currency = ?', query.currency),
      ...given('account_seq = ?', accountSeqNamed(unit, query.account)),
    ]
    return pageFrom(newestWallets(unit.db, conditions, rowLimit), limit, (row) => walletObject(unit.db, row))
  })
}

export const objectHandlers: Handlers<Rows> = {
  listTransactions,
  readTransaction: ({ params, ...call }) =>
    call.ws.unit((unit) => {
      const row = requireAnyTransaction(unit.db, params.id)
      return objectDetails(unit, subjectOf(row), withPayUrl(call, transactionObject(unit.db, row)))
    }),
  listDisputes,
  readDispute: ({ ws, params }) =>
    ws.unit((unit) => {
      const row = requireDispute(unit.db, params.id)
      const replies = repliesTo(unit.db, row.id).map(replyItem)
      return { ...objectDetails(unit, { kind: 'dispute', row }, disputeObject(unit.db, row)), replies }
    }),
  listWallets,
  readWallet: ({ ws, params }) =>
    ws.unit((unit) => {
      const row = requireWallet(unit.db, params.id)
      return objectDetails(unit, { kind: 'wallet', row }, walletObject(unit.db, row))
    }),
}

const rowOf = (name: (typeof actionNames)[number]) => {
  const { subject, title, params } = actionTable[name]
  return { name, subject, title, params: { ...jsonSchema(params(), 'input', 'SandboxAction') } }
}

let rows: ReturnType<typeof rowOf>[] | undefined

export const triggerHandlers: Handlers<typeof triggerRoutes> = {
  /** Built on the first request, so that it does not slow the start. */
  listActions({ query }) {
    rows ??= actionNames.map(rowOf)
    return pagedByName(rows, query, ({ name }) => name)
  },
  trigger({ body: { action, id, account, create = false, fields, ...params }, ...call }) {
    if (create && id !== undefined) throw invalid('create', 'cannot be combined with id: it creates a new object')
    if (account !== undefined && id !== undefined)
      throw invalid('account', 'cannot be combined with id: the id names an existing object')
    if (!create && fields !== undefined)
      throw invalid('fields', 'requires create: true, because the fields belong to the new object')
    return call.ws
      .unit((unit) => {
        const owner = accountNamed(unit, account)
        // The action's row determines the type of the object, but the compiler cannot follow an action known only at
        // run time.
        if (create) {
          const { object, events, created } = triggerOnNewObject(unit, action, fields ?? {}, params, owner)
          return { action, object: withPayUrl(call, object), events, created } as Triggered
        }
        const { object, events } = trigger(unit, action, id, params, owner?.seq)
        // The action's row determines the type here too.
        return { action, object: withPayUrl(call, object), events } as Triggered
      })
      .catch((error: unknown) => {
        throw id === undefined ? withCommand(error, action, { account, ...params }) : error
      })
  },
}

/** If there is no suitable object, adds the command that creates one. */
function withCommand(error: unknown, action: ActionName, params: Record<string, unknown>): unknown {
  if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND' || error.details.action !== action) return error
  const entries = Object.entries(params).flatMap(([name, value]) =>
    typeof value === 'string' ? [` --${name.replaceAll('_', '-')} ${word(value)}`] : [],
  )
  const command = `payments-sandbox trigger ${action} --create${entries.join('')}`
  const message = `${error.message} To create one: ${command}`
  return new ApiError(error.code, { ...error.details, command }, message)
}
