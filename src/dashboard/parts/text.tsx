/** Values as text: amounts, moments, ids, and whatever strangers wrote. Nothing here is ever read as HTML. */
import { duration, moment, pieces, relative, sentence, span, splitAmount } from '../format.js'
import { useNow } from '../store/clock.js'

/** A stranger's text: hidden characters are named, and its direction stays its own. */
export const Said = ({ children, clamp }: { children: string; clamp?: boolean }) => (
  <bdi class={clamp === true ? 'said clamp' : 'said'}>
    {pieces(children).map((piece) => (piece.hidden ? <mark class="hidden-char">{piece.text}</mark> : piece.text))}
  </bdi>
)

export const Money = ({ amount, currency }: { amount: string; currency?: string }) => {
  const { head, tail } = splitAmount(amount)
  return (
    <span class="money">
      {head}
      {tail === '' ? null : <span class="faint">{tail}</span>}
      {currency === undefined ? null : <span class="currency"> {currency}</span>}
    </span>
  )
}

/** A moment on the sandbox's clock, UTC. */
export const Moment = ({ iso }: { iso: string }) => {
  const nowMs = useNow()
  return (
    <time class="num" dateTime={iso} title={relative(iso, nowMs)}>
      {moment(iso, nowMs)
        .split(' ')
        .map((part) => (
          <span key={part}>{part} </span>
        ))}
    </time>
  )
}

/** The same to the millisecond, with its day. */
export const Exactly = ({ iso }: { iso: string }) => (
  <time class="num" dateTime={iso} title={relative(iso, useNow())}>
    {new Date(iso).toISOString().replace('T', ' ').replace('Z', '')}
  </time>
)

/** What is left until a moment of the sandbox's clock. */
export const Countdown = ({ iso, over = 'due now' }: { iso: string; over?: string }) => {
  const leftMs = Date.parse(iso) - useNow()
  return (
    <time class="num" dateTime={iso} title={iso}>
      {leftMs <= 0 ? over : span(leftMs)}
    </time>
  )
}

/** Nothing to tell; where a table is shown as cards, the line is left out. */
export const None = () => <span class="faint none">–</span>

/** A stranger's text that may be missing. */
export const Optional = ({ text }: { text: string | null }) => (text === null ? <None /> : <Said clamp>{text}</Said>)

export const Took = ({ ms }: { ms: number }) => <span class="num faint">{duration(ms)}</span>

type Tone = 'ok' | 'bad' | 'wait' | 'info' | 'calm'

const tones: Record<string, Tone> = {
  pending: 'wait',
  queued: 'wait',
  open: 'wait',
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
  failed: 'bad',
  lost: 'bad',
}

/** `tone` where the word alone does not tell it: a confirmed dispute is no good news. */
export const Pill = ({ status, tone }: { status: string; tone?: Tone | undefined }) => (
  <span class={`pill ${tone ?? tones[status] ?? 'calm'}`}>{sentence(status)}</span>
)

const disputeTones: Record<string, Tone> = { confirmed: 'bad', canceled: 'ok' }
export const DisputePill = ({ status }: { status: string }) => <Pill status={status} tone={disputeTones[status]} />

export const HttpStatus = ({ status }: { status: number | null }) => (
  <span class={`pill ${status === null ? 'calm' : status < 300 ? 'ok' : status < 500 ? 'wait' : 'bad'} num`}>
    {status ?? 'none'}
  </span>
)
