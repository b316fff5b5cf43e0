/** Formats amounts, times and texts for the page. */

import { capitalized, withoutTrailing, withThousandsSeparators } from '../base/text.js'
import type { Failure } from './api.js'
import { language, locale, t } from './language.js'

const [, thousands = ',', , point] = new Intl.NumberFormat(locale).formatToParts(1000.5).map(({ value }) => value)

/** Groups digits by thousands and leaves out zeros after the second decimal: `10000.50000000` is `10,000.50`. */
export function readableAmount(amount: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? []
  if (whole === '') return amount
  const digits = Math.max(withoutTrailing(fraction, '0').length, Math.min(2, fraction.length))
  const grouped = withThousandsSeparators(whole).replaceAll(',', thousands)
  return `${sign === '' ? '' : '−'}${grouped}${fraction === '' ? '' : `${point}${fraction.slice(0, digits)}`}`
}

/** The reverse of it for what is typed; any other text is left to the API. */
export function typedAmount(text: string): string {
  const compact = text.replaceAll(/\s/g, '').replace('−', '-')
  const english = compact.replaceAll(/[.,]/g, (mark) => (mark === thousands ? ',' : '.'))
  return /^-?(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d+)?$/.test(english) ? english.replaceAll(',', '') : compact
}

const isoOf = (atMs: number) => new Date(atMs).toISOString()
export const dayOf = (atMs: number): string => isoOf(atMs).slice(0, 10)
export const timeOf = (atMs: number): string => isoOf(atMs).slice(11, 19)

const inUtc = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
const longDay = inUtc({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
const dayAndYear = inUtc({ day: 'numeric', month: 'long', year: 'numeric' })
const shortDay = inUtc({ day: 'numeric', month: 'short' })

const shortDayAndYear = inUtc({ day: 'numeric', month: 'short', year: 'numeric' })

/** `3 Dec`, for an axis. */
export const shortDayOf = (atMs: number): string => shortDay.format(atMs)
export const longDayOf = (atMs: number): string => capitalized(longDay.format(atMs))

/** The day in words: `Today, 3 December 2026`, `Yesterday, …`, otherwise with its weekday. */
export function dayTitle(atMs: number, nowMs: number): string {
  const daysAgo = Math.round((Date.parse(dayOf(nowMs)) - Date.parse(dayOf(atMs))) / 86_400_000)
  const name = ['Today', 'Yesterday'][daysAgo]
  return name === undefined ? longDayOf(atMs) : `${t(name)}, ${dayAndYear.format(atMs)}`
}

/** `3 Dec`, of another year than now `3 Dec 2025`; `nowMs` null: always with the year. */
export const dateOf = (atMs: number, nowMs: number | null): string =>
  (nowMs !== null && dayOf(atMs).slice(0, 4) === dayOf(nowMs).slice(0, 4) ? shortDay : shortDayAndYear).format(atMs)

/** The time alone for today, otherwise with the date. In UTC, like the clock of the page. */
export function moment(iso: string, nowMs: number | null): string {
  const atMs = Date.parse(iso)
  if (Number.isNaN(atMs)) return iso
  return nowMs !== null && dayOf(atMs) === dayOf(nowMs) ? timeOf(atMs) : `${dateOf(atMs, nowMs)} ${timeOf(atMs)}`
}

/** `4 h 02 min ago`, `in 59 min`. */
export function relative(iso: string, nowMs: number): string {
  const leftMs = Date.parse(iso) - nowMs
  if (Number.isNaN(leftMs)) return iso
  const apart = Math.abs(leftMs) < 1000 ? t('now') : leftMs > 0 ? t`in ${span(leftMs)}` : t`${span(-leftMs)} ago`
  return `${apart} · ${iso}`
}

/** `29 s`, `4 min 05 s`, `41 min`, `4 h 02 min`, `6 d 23 h`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  const [days, hours, minutes] = [
    Math.floor(seconds / 86400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ]
  const two = (value: number) => String(value).padStart(2, '0')
  if (days > 0) return hours === 0 ? `${days} d` : `${days} d ${hours} h`
  if (hours > 0) return minutes === 0 ? `${hours} h` : `${hours} h ${two(minutes)} min`
  if (minutes >= 10) return `${minutes} min`
  if (minutes === 0) return `${seconds} s`
  return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${two(seconds % 60)} s`
}

const tenths = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })

export const duration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${tenths.format(ms / 1000)} s`)

export const fileSize = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${tenths.format(bytes / 1e6)} MB`

/** `tx_0…z55pkcsj`: the beginning and the end of an id that is longer than both. */
export const shortId = (id: string): string => (/^[!-~]{14,}$/.test(id) ? `${id.slice(0, 4)}…${id.slice(-8)}` : id)

/** Invisible characters, and those that reverse the direction of text. */
const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu
/** Arabic to Sinhala, Myanmar, Khmer, Mongolian: scripts in which U+200C and U+200D belong to the spelling of words. */
const joining = /[\u0620-\u0DFF\u1000-\u109F\u1780-\u18AA]/

/** Whether the character at `at` joins two emoji, or stands in a word that is spelled with it. */
function isJoiner(text: string, at: number): boolean {
  if (text[at] !== '\u200C' && text[at] !== '\u200D') return false
  if (joining.test(text[at - 1] ?? '') && joining.test(text[at + 1] ?? '')) return true
  const isEmoji = /\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?$/u.test(text.slice(Math.max(0, at - 4), at))
  return text[at] === '\u200D' && isEmoji && /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3))
}

/** Splits text into pieces, so that hidden characters can be shown by name. */
export function splitHidden(text: string): { text: string; hidden: boolean }[] {
  const found: { text: string; hidden: boolean }[] = []
  let from = 0
  for (const { 0: character, index } of text.matchAll(hidden)) {
    if (isJoiner(text, index)) continue
    found.push({ text: text.slice(from, index), hidden: false }, { text: codeOf(character), hidden: true })
    from = index + character.length
  }
  return [...found, { text: text.slice(from), hidden: false }].filter((piece) => piece.text !== '')
}

const codeOf = (character: string) => `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`

/** Names of the API that people say otherwise; any other name is its own word. */
const kinds: Record<string, string> = {
  cashin: 'Charge',
  cashout: 'Withdrawal',
  transfer: 'Internal transfer',
  chargeback: 'Dispute',
  wallet: 'Fixed wallet',
}
/** `cashin.confirmed` is `Charge confirmed`, from a fixed wallet `Deposit confirmed`. */
export function eventName(event: string, source: string | null = null): string {
  const [object = '', verb = ''] = event.split('.')
  return t(`${kindOf(object, source)} ${verb}`)
}

export const walletName = (id: number | string): string => t`Fixed wallet ${id}`

/** The name of the job that sends an event. */
export const webhookJob = (event: string): string => t`Webhook: ${eventName(event)}`

/** A charge that came through a fixed wallet is a deposit. */
const kindOf = (kind: string, source: string | null = null): string =>
  kind === 'cashin' && source === 'static' ? 'Deposit' : (kinds[kind] ?? inWords(kind))

export const kindName = (kind: string, source?: string | null): string => t(kindOf(kind, source))

const inWords = (word: string) => capitalized(word.replaceAll(/[._-]/g, ' '))

/** Converts names such as `chargeback.opened` and `open` to words, which may be others than those of a text: `Open` is also a command. */
export function sentence(word: string): string {
  const key = `name: ${word.toLowerCase()}`
  const own = t(key)
  return own === key ? t(inWords(word)) : own
}

/** A status that agrees with its object or the title of its list: `Charge confirmed` without its first word. */
export function statusName(status: string, kind: string, source: string | null = null): string {
  const name = kindOf(kind, source)
  const [own, both] = [`${sentence(name)} `, t(`${name} ${status}`)]
  return both.startsWith(own) ? capitalized(both.slice(own.length)) : sentence(status)
}

/** A dispute is confirmed for the payer, so the word says whom it is good for. */
export const disputeStatus = (status: string): string => (status === 'confirmed' ? 'confirmed for payer' : status)

/** The faults of a call or an event, and who caused them. */
export interface Faulty {
  status?: number | string
  scenario?: string | undefined
  chaos?: readonly string[] | undefined
  requested_error?: string | undefined
  faults?: readonly string[] | undefined
  /** Of an event; of one that was not sent yet, the faults are planned. */
  attempts?: number | undefined
}

/** Names the run of a scenario. */
const ofRun = 'run: '

/** The run of the scenario that acted on the call. */
export const runOf = ({ faults }: Faulty): string | undefined =>
  faults?.find((fault) => fault.startsWith(ofRun))?.slice(ofRun.length)

/** What faults do to a call or an event, by their description or the name at its beginning. */
const effects: Record<string, string> = {
  respond: 'answered',
  latency: 'delayed',
  disconnect: 'dropped',
  'disconnect: before (not executed)': 'dropped before processing',
  webhooks: 'webhooks changed',
  delay: 'sent late',
  late: 'sent late',
  reorder: 'sent out of order',
  before_response: 'sent before the response',
  'tamper: body': 'body altered',
  'tamper: signature': 'signature altered',
  'tamper: timestamp': 'timestamp altered',
}

function effectOf(fault: string): string {
  const [name = '', count = '2'] = fault.split(': ')
  return name === 'duplicate' ? t`sent ${count} times` : t(effects[fault] ?? effects[name] ?? fault)
}

/** How the request log names the armed scenarios that another one was chosen before. */
const notChosen = /^(?:armed|header): .* overrides (.+?)(?: \(armed\))?$/

/** `Dropped by scenario lost-answer; still armed: auto-pay`, `Sent 2 times by chaos`, `Planned: …`; null without a fault. */
export function faultText({
  status,
  attempts,
  scenario,
  chaos,
  requested_error: requested,
  faults,
}: Faulty): string | null {
  if (faults === undefined) return null
  const shown = faults.filter((fault) => !/^(run|repeated call|armed|header):/.test(fault)).map(effectOf)
  const isAgain = faults.some((fault) => fault.startsWith('repeated call:'))
  const ofScenario = scenario === undefined ? '' : t`scenario ${scenario}`
  const by = chaos ? t('chaos') : requested ? t('your request') : undefined
  const effects = shown.join(', ')
  const effect = isAgain ? t`${effects} again` : effects
  const byScenario = scenario === undefined ? effects : t`${effect} by scenario ${scenario}`
  const all = effects === '' ? (by ?? ofScenario) : by === undefined ? byScenario : t`${effect} by ${by}`
  const others = notChosen.exec(faults.find((fault) => notChosen.test(fault)) ?? '')?.[1]
  const isPlanned = status === 'pending' && attempts === 0
  return capitalized(isPlanned ? t`Planned: ${all}` : others === undefined ? all : t`${all}; still armed: ${others}`)
}

/** Why an object does not allow an action. */
const notPossible = /^(\S+) is not possible: the (\w+) (\S+) is (\w+)(, which is final)?\.$/

/** What an error says, in the language of the page: its message, or the rule in it, or why an object does not allow an action. */
export function errorText({ code, message, details: { rule } }: Pick<Failure, 'code' | 'message' | 'details'>): string {
  const own = t(message)
  if (own !== message || language === 'en') return own
  const [, action, kind, id, status, final] = notPossible.exec(message) ?? []
  if (kind !== undefined && status !== undefined) {
    const state = `${kindName(kind)} ${id}: ${statusName(status, kind)}`
    return `${t`${action} is not possible.`} ${final === undefined ? state : t`${state} (final)`}.`
  }
  if (code === 'INVALID_TRANSITION') return t('The state of the object does not allow this.')
  return typeof rule === 'string' ? message.replace(rule, () => t(rule)) : message
}
