/** Values as text: amounts, moments, ids, secrets, untrusted text, with copy buttons. Nothing is parsed as HTML. */
import type { Child } from 'hono/jsx/dom'
import type { WebhookSummary } from '../../client/types/control.js'
import { webhookRetryDelaysMs } from '../../protocol/platform/limits.js'
import { isDropped } from '../../protocol/platform/payments.js'
import {
  dateOf,
  dayOf,
  disputeStatus,
  duration,
  type Faulty,
  faultText,
  moment,
  readableAmount,
  relative,
  sentence,
  span,
  splitHidden,
  statusName,
  timeOf,
} from '../format.js'
import { t } from '../language.js'
import { showMessage } from '../store/commands.js'
import { useState } from '../store/hooks.js'
import { useClock, useNow } from '../store/query.js'
import { link } from '../store/route.js'
import { IconButton } from './forms/controls.js'

/** Untrusted text: hidden characters are shown by name, and its direction is isolated. `clamp`: one line, cut where it is too long. */
export const WrappedText = ({ children, clamp }: { children: string; clamp?: boolean }) => (
  <bdi class={clamp === true ? 'said clamp' : 'said'}>{named(children, clamp === true ? String : breakable)}</bdi>
)

/** The characters at the end of an address that differ from those of others. */
const endLength = 9

/** So many are wider than an ellipsis; what is shorter is not cut. */
const shortestCut = 6

/** An untrusted address in one line: where it is too long, it is cut between its host and its end. */
export const CutWithin = ({ children: text }: { children: string }) => {
  const path = `${text}/`.indexOf('/', 1)
  const end = text.length - endLength < path + shortestCut ? path : text.length - endLength
  return (
    <bdi class="cut-within" title={text}>
      <WrappedText clamp>{text.slice(0, path)}</WrappedText>
      {path < end ? <WrappedText clamp>{text.slice(path, end)}</WrappedText> : null}
      <WrappedText>{text.slice(end)}</WrappedText>
    </bdi>
  )
}

const named = (text: string, shown: (text: string) => Child) =>
  splitHidden(text).map((piece) => (piece.hidden ? <mark class="hidden-char">{piece.text}</mark> : shown(piece.text)))

const pathPattern = /^(?:[A-Z]+ \/|https?:)\S{0,300}$|^[A-Z][A-Z_]{0,60}$/

/** A short reference such as `order-1042`. */
const wordPattern = /^[\w.-]{1,16}$/

/** Paths, addresses and names of variables wrap after their separators, rather than within a word; short references, options and the name of the program do not. */
const breakable = (text: string): Child =>
  pathPattern.test(text) ? (
    text.split(/(?<=[^/]\/|[_?&])(?!\/)/).flatMap((part, at) => (at === 0 ? [part] : [<wbr />, part]))
  ) : wordPattern.test(text) ? (
    <span class="option">{text}</span>
  ) : (
    text
      .split(/((?:--|payments-)[a-z][a-z-]{0,30})/)
      .map((part, at) => (at % 2 === 1 ? <span class="option">{part}</span> : part))
  )

/** Own text, or one of the API, in which `back-ticked` words become code. */
export const Prose = ({ text }: { text: string }) => (
  <span class="said">
    {t(text)
      .split('`')
      .map((part) => named(part, breakable))
      .map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}
  </span>
)

export const Money = ({ amount, currency }: { amount: string; currency?: string }) => (
  <span class="money">
    {readableAmount(amount)}
    {currency === undefined ? null : <span class="currency"> {currency}</span>}
  </span>
)

/** A moment on the sandbox's clock, in UTC. */
export const Moment = ({ iso, dated }: { iso: string; dated?: boolean }) => {
  const nowMs = useNow()
  return (
    <time class="num" dateTime={iso} title={relative(iso, nowMs)}>
      {moment(iso, dated === true ? null : nowMs)}
    </time>
  )
}

/** The time in a list; with the date, unless the list shows it above. */
export const TimeOfDay = ({ iso }: { iso: string }) => {
  const [atMs, nowMs] = [Date.parse(iso), useNow()]
  return (
    <time class="num" dateTime={iso} title={relative(iso, nowMs)}>
      <span class="date">{dateOf(atMs, nowMs)} </span>
      {timeOf(atMs)}
    </time>
  )
}

/** The same with date and milliseconds. */
export const ExactMoment = ({ iso }: { iso: string }) => (
  <time class="num" dateTime={iso} title={relative(iso, useNow())}>
    {moment(iso, null)}.{new Date(iso).toISOString().slice(20, 23)}
  </time>
)

/** Time left until a moment of the sandbox's clock; `left` follows it. */
export const Countdown = ({ iso, over = 'due now', left = '' }: { iso: string; over?: string; left?: string }) => {
  const leftMs = Date.parse(iso) - useNow()
  return (
    <time class="num" dateTime={iso} title={iso}>
      {leftMs <= 0 ? over : `${span(leftMs)}${t(left)}`}
    </time>
  )
}

/** When something happens: how long until then, or on a frozen clock, which does not reach it by itself, the time. */
export const Due = ({ iso, over }: { iso: string; over: string }) => {
  const [atMs, nowMs] = [Date.parse(iso), useNow()]
  return useClock()?.mode === 'manual' && atMs > nowMs ? (
    <>
      {dayOf(atMs) === dayOf(nowMs) ? 'at' : 'on'} <Moment iso={iso} />
    </>
  ) : (
    <>
      in <Countdown iso={iso} over={over} />
    </>
  )
}

/** A missing value; on cards the line is hidden. */
export const None = () => <span class="faint none">–</span>

/** Untrusted text that may be missing. */
export const Optional = ({ text }: { text: string | null }) =>
  text === null ? <None /> : <WrappedText clamp>{text}</WrappedText>

export const Duration = ({ ms }: { ms: number }) => <span class="num faint">{duration(ms)}</span>

export type Tone = 'ok' | 'bad' | 'warning' | 'info' | 'calm'

const tones: Record<string, Tone> = {
  pending: 'warning',
  queued: 'warning',
  open: 'warning',
  running: 'info',
  responded: 'info',
  confirmed: 'ok',
  completed: 'ok',
  delivered: 'ok',
  passed: 'ok',
  won: 'ok',
  ok: 'ok',
  active: 'ok',
  armed: 'info',
  applied: 'info',
  failed: 'bad',
  lost: 'bad',
}

interface PillProps {
  status: string
  /** The kind of object that has the status, with which the word agrees. */
  of?: string | undefined
  source?: string | null
  /** The color if the word alone would mislead: a confirmed dispute is bad news for the merchant. */
  tone?: Tone | undefined
}

export const Pill = ({ status, of: kind, source, tone }: PillProps) => (
  <span class={`pill ${tone ?? tones[status] ?? 'calm'}`}>
    {kind === undefined ? sentence(status) : statusName(status, kind, source)}
  </span>
)

type Delivery = Pick<WebhookSummary, 'status' | 'url' | 'attempts' | 'verdict'>

/** What a receiver did with an altered event says more than its status. An event without a webhook URL was not sent, which is no fault of a receiver. One whose attempts failed waits for the next; those that a person asked for count too. */
export const WebhookPill = ({ row: { status, url, attempts, verdict } }: { row: Delivery }) =>
  verdict !== undefined ? (
    <Pill status={verdict} tone={verdict === 'wrongly_accepted' ? 'bad' : 'calm'} />
  ) : status === 'pending' && attempts > 0 ? (
    <Pill status={t`Failing ${attempts}/${Math.max(attempts, webhookRetryDelaysMs.length) + 1}`} tone="bad" />
  ) : (
    <Pill status={status === 'failed' && url === null ? 'not sent' : status} />
  )

/** What a scenario, chaos or the caller did to a call or an event. */
export const Fault = ({ of: row, or = null }: { of: Faulty; or?: Child }) => {
  const text = faultText(row)
  if (text === null) return or
  return row.scenario === undefined ? (
    <span class="fault">{text}</span>
  ) : (
    <a class="fault" href={link('scenarios', row.scenario)}>
      {text}
    </a>
  )
}

const disputeTones: Record<string, Tone> = { confirmed: 'bad', canceled: 'ok' }
/** A confirmed dispute is bad news for the merchant. */
export const DisputePill = ({ status }: { status: string }) => (
  <Pill status={disputeStatus(status)} of="dispute" tone={disputeTones[status]} />
)

/** The status of a dropped response reached nobody. */
export const HttpStatus = ({ of: row }: { of: Faulty & { status: number } }) =>
  isDropped(row) ? (
    <Pill status="no answer" tone="bad" />
  ) : (
    <span class={`pill ${row.status < 300 ? 'ok' : row.status < 500 ? 'warning' : 'bad'} num`}>{row.status}</span>
  )

/**
 * Browsers offer no clipboard at a plain http address of another machine, and may forbid it, so an older method is the
 * fallback. Resolves to whether the text was copied.
 */
export async function copyToClipboard(text: string, noun: string): Promise<boolean> {
  const write = async () => navigator.clipboard.writeText(text).then(() => true)
  const isCopied = (await write().catch(() => false)) || copyBySelection(text)
  if (isCopied) showMessage(t`Copied ${t(noun)}`)
  else showMessage('This browser does not allow copying here. Select the text, then copy it.', undefined, 'bad')
  return isCopied
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}

export const CopyButton = ({ text, noun }: { text: string; noun: string }) => {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copyToClipboard(text, noun))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return <IconButton icon={copied ? 'check' : 'copy'} accessibleName={t`Copy ${t(noun)}`} onClick={copy} />
}

export const Id = ({ id, noun }: { id: string; noun: string }) => (
  <span class="id">
    <code>
      <WrappedText>{id}</WrappedText>
    </code>
    <CopyButton text={id} noun={noun} />
  </span>
)

export const Secret = ({ secret, noun }: { secret: string; noun: string }) => {
  const [shown, setShown] = useState(false)
  return (
    <span class="id">
      <code class={shown ? '' : 'faint'}>{shown ? <WrappedText>{secret}</WrappedText> : '••••••••••••••••'}</code>
      <IconButton
        icon={shown ? 'hide' : 'show'}
        accessibleName={shown ? t`Hide ${t(noun)}` : t`Show ${t(noun)}`}
        pressed={shown}
        onClick={() => setShown(!shown)}
      />
      <CopyButton text={secret} noun={noun} />
    </span>
  )
}
