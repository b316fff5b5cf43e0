/** The calls of a timeline: request and response, what became of a lost response, and whether a payment was made twice. */
import { isDropped } from '../../../protocol/platform/payments.js'
import { moment } from '../../format.js'
import { t } from '../../language.js'
import { useQuery } from '../../store/query.js'
import { link } from '../../store/route.js'
import type { StoryCall, Moment as StoryMoment } from '../../store/timeline.js'
import { CallBody } from '../code.js'
import { Loaded } from '../layout.js'
import { ShortId } from '../table.js'
import { Duration, Fault, HttpStatus, Pill, WrappedText } from '../text.js'

/** The transaction of a call; of a withdrawal that failed, why it did. */
export interface Called {
  transaction_id: string
  external_id: string | null
  error_code?: string | null
  error_message?: string | null
}

/** A scenario names its run in the reference of what it creates. */
export const runIn = (called: Called | undefined) => /run_[0-9a-z]{20}/.exec(called?.external_id ?? '')?.[0]

/** Who created a transaction that no call has created: a run, which its reference need not name. The log is bounded. */
export const Creator = ({ of }: { of: Called }) => {
  const runs = useQuery('GET /runs', {}, [])
  const made = runs.data?.data.find(({ steps }) =>
    steps.some(({ step, detail }) => step === 'create' && detail?.startsWith(of.transaction_id)),
  )
  return runs.data === undefined ? null : <OfRun run={runIn(of) ?? made?.id} />
}

const OfRun = ({ run, did = 'Created by a scenario' }: { run?: string | undefined; did?: string | undefined }) => (
  <span class="faint">{run ? <a href={link('runs', run)}>{did}</a> : 'No call in the request log'}</span>
)

export const Call = ({ entry }: { entry: StoryCall }) =>
  entry.run ? (
    <OfRun {...entry} />
  ) : (
    <>
      <a href={link('requests', entry.request_id)}>
        <code>
          <WrappedText>{`${entry.method} ${entry.path}`}</WrappedText>
        </code>
      </a>
      {entry.by === 'cli' ? (
        <span class="faint"> By the command line</span>
      ) : entry.by === 'dashboard' ? (
        <span class="faint"> By the dashboard</span>
      ) : null}
    </>
  )

export const Result = ({ entry, transaction }: { entry: StoryCall; transaction: Called | undefined }) => {
  const isLost = isDropped(entry) && entry.status !== 0
  return (
    <span class="row">
      Response {isLost ? <Pill status={String(entry.status)} /> : <HttpStatus of={entry} />}
      {entry.error_code === null ? null : <code>{entry.error_code}</code>}
      {transaction !== undefined && entry.method === 'POST' && entry.status < 300 && entry.status !== 0 ? (
        <ShortId id={transaction.transaction_id} />
      ) : null}
      {isLost ? <Pill status="lost" /> : null}
      {entry.run ? null : <Duration ms={entry.duration_ms} />} {isDropped(entry) ? null : <Fault of={entry} />}
    </span>
  )
}

/** What the app knows after a lost response: nothing, unless it repeats the call or the call is itself a repeat. */
export const Lost = ({
  entry,
  answered,
  repetition,
  isRepeat,
  transaction,
}: Extract<StoryMoment, { kind: 'response' }> & { transaction: Called | undefined }) => (
  <>
    <strong class="bad-text">No answer</strong>
    <p>
      <Fault of={entry} />
    </p>
    {entry.method === 'GET' ? null : (
      <p class="faint">
        {answered === undefined
          ? 'The caller did not learn whether this call worked.'
          : t`This was a repeat of a call that was answered ${answered.status} at ${moment(answered.at, Date.parse(entry.at))}.`}{' '}
        {repetition !== undefined ? (
          <Repetition of={repetition} since={entry} />
        ) : entry.paid_twice !== undefined ? null : answered !== undefined ? (
          'It created no second transaction.'
        ) : transaction?.external_id == null ? (
          'Without a reference, a repeat creates a second transaction.'
        ) : isRepeat ? (
          'No further repeat has arrived.'
        ) : (
          'No repeat has been recognized. One with the same reference returns this transaction, one with another reference creates a second.'
        )}
      </p>
    )}
    <PaidTwice entry={entry} by="later" />
  </>
)

/** A repeated call, and what it has prevented. */
const Repetition = ({ of: call, since }: { of: StoryCall; since: StoryCall }) => (
  <>
    The caller repeated the call at {moment(call.at, Date.parse(since.at))}: <HttpStatus of={call} />{' '}
    {call.error_code === 'DUPLICATE_EXTERNAL_ID'
      ? 'Its fields differ from those of the first call, so it created nothing.'
      : null}
    {isDropped(call) || call.status >= 300
      ? null
      : since.status === 0
        ? 'The repeat created this transaction.'
        : 'The repeat returned this transaction and created no second one.'}
  </>
)

interface PaidTwiceProps {
  entry: StoryCall
  /** Which other calls are shown. */
  by: 'earlier' | 'later'
}

/** Of which nothing is paid, or the amount came back: of two, the earlier one and the later one. */
const unpaid: Record<string, readonly [string, string]> = {
  expired: ['; the first charge expired', '; the second charge expired'],
  'charge refunded': ['; the first charge was refunded', '; the second charge was refunded'],
  failed: ['; the first withdrawal failed', '; the second withdrawal failed'],
  refunded: ['; the first withdrawal came back without its fee', '; the second withdrawal came back without its fee'],
}

/** What is pending has cost nobody anything yet. */
const twiceText = (isCharge: boolean, statuses: readonly string[]) =>
  statuses.length > 2
    ? 'Probably made more than twice'
    : statuses.includes('pending')
      ? isCharge
        ? 'Two charges exist, and the payer could pay both'
        : 'Two withdrawals exist, and both can be paid out'
      : isCharge
        ? 'Probably charged twice'
        : 'Probably paid twice'

export const PaidTwice = ({ entry: { paid_twice: calls = [], request_id: id, path }, by }: PaidTwiceProps) => {
  const at = calls.findIndex((one) => one.request_id === id)
  const own = calls[at]
  const isCharge = path.endsWith('/cashin')
  // A withdrawal that came back was paid, too: its fee stays.
  const isOnce = calls.filter((one) => one.counts || (one.status === 'refunded' && !isCharge)).length < 2
  const [ownSide, side] = by === 'later' ? [0, 1] : [1, 0]
  const shown = (by === 'earlier' ? calls.slice(0, at) : calls.slice(at + 1)).map((one) => {
    const [mine, other] = [own, one].map((call) =>
      call?.counts === false
        ? unpaid[isCharge && call.status === 'refunded' ? 'charge refunded' : call.status]
        : undefined,
    )
    return { ...one, end: mine?.[ownSide] ?? other?.[side] }
  })
  const isCertain = own?.certain === true
  const first = isCertain ? shown.find(({ end }) => end === undefined) : undefined
  const statuses = calls.filter(({ counts }) => counts).map(({ status }) => status)
  return shown.map(({ end, ...one }) => (
    <p key={one.request_id}>
      {one.request_id === first?.request_id ? (
        <>
          <strong class="bad-text">{twiceText(isCharge, statuses)}</strong>.
        </>
      ) : null}{' '}
      {isCertain
        ? by === 'earlier'
          ? 'Sent before, and the response was lost:'
          : 'Sent again as'
        : by === 'earlier'
          ? 'Perhaps sent before, and the response was lost:'
          : 'Perhaps sent again as'}{' '}
      <a href={link('transactions', one.transaction_id)}>
        {one.external_id === null ? <ShortId id={one.transaction_id} /> : <WrappedText>{one.external_id}</WrappedText>}
      </a>
      , {moment(one.at, Date.parse(own?.at ?? one.at))}
      {end}
      {isOnce
        ? ', so nothing was paid twice'
        : isCertain
          ? null
          : '. Neither names a payer, so it may be for another order.'}
    </p>
  ))
}

export const bodyOf = ({ request_id: id, path, run }: StoryCall, side: 'request' | 'response') =>
  run
    ? undefined
    : {
        name: side === 'request' ? t`the JSON of the request to ${path}` : t`the JSON of the response to ${path}`,
        render: () => <Body id={id} side={side} />,
      }

const Body = ({ id, side }: { id: string; side: 'request' | 'response' }) => (
  <Loaded of={useQuery('GET /requests/{id}', { params: { id } }, [])}>
    {(row) => <CallBody row={row} side={side} />}
  </Loaded>
)
