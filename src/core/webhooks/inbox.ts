/** Inboxes: built-in webhook receivers, for users who have none yet. Stored as rows, with limits. */
import { ApiError, orNotFound } from '../../protocol/platform/errors.js'
import { webhookHeaders } from '../../protocol/platform/headers.js'
import { storedJson } from '../../store/columns.js'
import { type Db, reader, readMeta, runner, writeMeta } from '../../store/db.js'
import { type Condition, given, inserter, lister } from '../../store/rows.js'
import { inboxMessages } from '../../store/schema.js'
import type { Unit } from '../unit/unit.js'

export type StoredMessage = typeof inboxMessages.$inferSelect
export type InboxMessage = Pick<StoredMessage, 'headers' | 'raw' | 'signatureValid'>

/** `delayMs` of real time, before the response. */
export interface InboxResponse {
  status: number
  delayMs: number
}

/**
 * `messages` applies to each inbox, `chars` to all together. `strangers` are separate limits for each inbox, not
 * counted in the others.
 */
export const inboxLimits = {
  inboxes: 100,
  messages: 1000,
  chars: 8 * 1024 * 1024,
  strangers: { messages: 100, chars: 300_000 },
} as const

const accepted: InboxResponse = { status: 200, delayMs: 0 }
const totalKey = 'inbox_chars'

const insertMessage = inserter(inboxMessages)
const useBox = reader<{ responses: string; responsesGiven: number }>(
  `insert into inboxes (name, used, responses, given) values (?, ?, '[]', 0)
  on conflict (name) do update set used = excluded.used returning responses, given as responsesGiven`,
)
const setGiven = runner('update inboxes set given = ? where name = ?')
const setResponses = runner('update inboxes set responses = ?, given = 0 where name = ?')
const removeMessage = runner('delete from inbox_messages where seq = ?')
const removeBox = runner('delete from inboxes where name = ?')
const removeMessagesOf = runner('delete from inbox_messages where inbox = ?')
const sumOf = reader<{ messages: number; chars: number }>(
  'select count(*) as messages, coalesce(sum(chars), 0) as chars from inbox_messages where inbox = ? and from_stranger = ?',
)
const boxNamed = reader<{ name: string }>('select name from inboxes where name = ?')
const oldest = reader<{ seq: number; chars: number }>(
  'select seq, chars from inbox_messages where from_stranger = 0 order by seq limit 1',
)
const oldestOver = reader<{ seq: number; chars: number }>(
  `select seq, chars from inbox_messages where inbox = ? and from_stranger = 0 order by seq desc limit 1 offset ${inboxLimits.messages}`,
)
const boxesOver = reader<{ name: string }>(
  `select name from inboxes order by used desc, name limit -1 offset ${inboxLimits.inboxes}`,
)

const inboxRows = reader<{ name: string; messages: number; lastMs: number | null; responses: string; given: number }>(
  `select i.name, count(m.seq) as messages, max(m.received_at_ms) as lastMs, i.responses, i.given from inboxes i
  left join inbox_messages m on m.inbox = i.name group by i.name order by i.used desc, i.name`,
)

/** Returns the inboxes in use with their next responses, most recently used first; there are never many. */
export const listInboxes = (db: Db) =>
  inboxRows(db).map(({ responses, given, ...box }) => ({ ...box, responses: left(storedJson(responses), given) }))

/** The configured responses that are left; the last one repeats. */
const left = (responses: readonly InboxResponse[], given: number) =>
  responses.slice(Math.min(given, Math.max(responses.length - 1, 0)))

/**
 * Stores a message and returns the configured response. Over the limits, the oldest messages are deleted: over `chars`,
 * of all inboxes together, whichever is the largest.
 */
export function receiveInInbox(unit: Unit, name: string, message: InboxMessage): InboxResponse {
  const { db } = unit
  const seq = unit.ids.sequence('inbox_messages')
  const { responses, responseCount: usedCount } = useInbox(db, name, seq)
  const chars = sizeOf(message)
  insertMessage(db, { ...message, seq, inbox: name, receivedAtMs: unit.atMs, chars, fromStranger: false })
  setGiven(db, usedCount + 1, name)
  let total = totalChars(db) + chars
  const drop = (found: { seq: number; chars: number } | undefined) => {
    if (found === undefined) return
    removeMessage(db, found.seq)
    total -= found.chars
  }
  drop(oldestOver(db, name)[0])
  while (total > inboxLimits.chars) drop(oldest(db)[0])
  writeMeta(db, totalKey, String(total))
  return left(responses, usedCount)[0] ?? accepted
}

/**
 * Stores a message from somebody other than the owner: it evicts nothing, takes no configured response, and does not
 * count as a use of the inbox. 404 NOT_FOUND for a name that nobody has created, 507 INBOX_FULL over the limits.
 */
export function receiveFromStranger(unit: Unit, name: string, message: InboxMessage): void {
  requireInbox(unit.db, name)
  const chars = sizeOf(message)
  const count = sumOf(unit.db, name, 1)[0]
  const { messages, chars: maxChars } = inboxLimits.strangers
  if ((count?.messages ?? 0) >= messages || (count?.chars ?? 0) + chars > maxChars)
    throw new ApiError('INBOX_FULL', { inbox: name, max_messages: messages, max_chars: maxChars })
  const seq = unit.ids.sequence('inbox_messages')
  insertMessage(unit.db, { ...message, seq, inbox: name, receivedAtMs: unit.atMs, chars, fromStranger: true })
}

/** Throws 404 NOT_FOUND. */
export const requireInbox = (db: Db, name: string): void => void orNotFound(boxNamed(db, name)[0], 'inbox', name)

/** Configures the next responses; the last one repeats. */
export function setInboxResponses(unit: Unit, name: string, responses: readonly InboxResponse[]): void {
  useInbox(unit.db, name, unit.ids.sequence('inbox_messages'))
  setResponses(unit.db, JSON.stringify(responses), name)
}

export function removeInbox(db: Db, name: string): void {
  writeMeta(db, totalKey, String(totalChars(db) - (sumOf(db, name, 0)[0]?.chars ?? 0)))
  removeMessagesOf(db, name)
  removeBox(db, name)
}

interface MessageFilter {
  name: string
  newestFirst: boolean
  /** The number of the last message of the previous page; null for the first page. */
  after: number | null
  limit: number
  /** The value of the event header; null means any. */
  event: string | null
  /** A part of the message's text; null means any. */
  about: string | null
}

const eventHeader = `$."${webhookHeaders.event.toLowerCase()}"`

/** Returns the matching messages. Scans the whole inbox, which is bounded. */
export function messagesOf(db: Db, { name, newestFirst, after, limit, event, about }: MessageFilter): StoredMessage[] {
  const conditions: Condition[] = [
    ['inbox = ?', name],
    ...given(newestFirst ? 'seq < ?' : 'seq > ?', after),
    ...given(`json_extract(headers, '${eventHeader}') = ?`, event),
    ...given('instr(raw, ?) > 0', about),
  ]
  return newestFirst ? newestMessages(db, conditions, limit) : oldestMessages(db, conditions, limit)
}

const newestMessages = lister(inboxMessages, 'order by seq desc limit ?')
const oldestMessages = lister(inboxMessages, 'order by seq limit ?')

/** Creates the inbox if it is new; deletes the least recently used one over the limit. */
function useInbox(db: Db, name: string, seq: number): { responses: readonly InboxResponse[]; responseCount: number } {
  const [box] = useBox(db, name, seq)
  for (const old of boxesOver(db)) removeInbox(db, old.name)
  return { responses: storedJson(box?.responses ?? '[]'), responseCount: box?.responsesGiven ?? 0 }
}

const sizeOf = ({ headers, raw }: InboxMessage): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, raw.length + 100)

const totalChars = (db: Db) => Number(readMeta(db, totalKey) ?? 0)
