/** Certifying a receiver: rule by rule as they become known, then what was seen of each and how to mend it. */
import { useRef, useState } from 'hono/jsx/dom'
import type { Certificate } from '../../client/types/control.js'
import { call, failureOf, type Failure as Refusal } from '../../dashboard/api.js'
import { controlCurl } from '../../dashboard/curl.js'
import { Code, Headers } from '../../dashboard/parts/code.js'
import { FieldRow } from '../../dashboard/parts/forms/field.js'
import { Empty, Failure, Head, Panel } from '../../dashboard/parts/layout.js'
import { Pill, Said } from '../../dashboard/parts/text.js'
import { useEndedEffect } from '../../dashboard/store/effect.js'
import { listen } from '../../dashboard/store/live.js'
import { groupLine, testedRules } from '../protocol/report.js'

type Rule = Certificate['rules'][number]

/** Where the receiver is, and where it tells what became of a transaction. */
interface Wish {
  url: string
  effects?: string
}

/** What the stream tells of a rule before the report is there. */
interface Told {
  rule: string
  status: string
  seen: string
  blocked_by?: string
}

const tones: Record<string, 'ok' | 'bad' | 'calm'> = {
  holds: 'ok',
  broken: 'bad',
  unseen: 'calm',
  right: 'ok',
}

function useCertification() {
  const [told, setTold] = useState<readonly Told[]>([])
  const [report, setReport] = useState<Certificate | null>(null)
  const [error, setError] = useState<Refusal | null>(null)
  const [busy, setBusy] = useState(false)
  const run = useRef('')
  const seen = useRef<readonly Told[]>([])
  useEndedEffect(
    () =>
      listen((news) => {
        if (news === 'everything') return
        const more = news.filter(({ type, id }) => type === 'certify' && id === run.current)
        if (more.length === 0) return
        seen.current = [...(seen.current ?? []), ...more.map(toldOf)]
        setTold(seen.current)
      }),
    [],
  )
  const certify = async (wish: Wish) => {
    run.current = `page-${Math.random().toString(36).slice(2)}`
    seen.current = []
    setTold([])
    setReport(null)
    setError(null)
    setBusy(true)
    try {
      setReport(await call('POST /certify/receiver', { body: { ...wish, run: run.current } }))
    } catch (thrown) {
      setError(failureOf(thrown))
    }
    setBusy(false)
  }
  return { told, report, error, busy, certify }
}

const toldOf = (change: object): Told => ({ rule: '', status: 'unseen', seen: '', ...change })

export const CertifyView = () => {
  const { told, report, error, busy, certify } = useCertification()
  const [url, setUrl] = useState('http://127.0.0.1:3000/webhooks')
  const [effects, setEffects] = useState('')
  const wish: Wish = { url: url.trim(), ...(effects.trim() === '' ? {} : { effects: effects.trim() }) }
  return (
    <>
      <Head title="Certify a receiver">
        {report === null ? null : <Pill status={report.verdict} tone={tones[report.verdict]} />}
      </Head>
      <Panel>
        <p>
          Sends your receiver of webhooks what it will meet one day, from a workspace of its own: wrong signatures, old
          and doubled ones, events out of order. What is here is not touched.
        </p>
        <form
          class="certify"
          onSubmit={(event: Event) => {
            event.preventDefault()
            if (!busy) void certify(wish)
          }}
        >
          <FieldRow
            field={{ name: 'url', label: 'Address of the receiver', kind: 'url', required: true, value: url }}
            onInput={setUrl}
          />
          <FieldRow
            field={{
              ...{ name: 'effects', label: 'Where it tells what became of a transaction', kind: 'url', value: effects },
              hint: 'Shows duplicates and order: {"status": "confirmed", "credited": "25.50"} for ?transaction_id=…',
            }}
            onInput={setEffects}
          />
          <button type="submit" class="button primary" disabled={busy}>
            {busy ? 'Trying…' : 'Certify'}
          </button>
        </form>
        {error === null ? null : <Failure error={error} />}
      </Panel>
      <Panel title="Rules" flush tools={<span class="faint">{counted(report, told)}</span>}>
        {report === null && told.length === 0 ? (
          <Empty
            title={busy ? 'Trying the first rules' : 'Nothing tried yet'}
            curl={controlCurl('POST', '/certify/receiver', wish)}
          >
            The rules show up one by one.
          </Empty>
        ) : (
          <RuleList report={report} told={told} />
        )}
      </Panel>
    </>
  )
}

const RuleList = ({ report, told }: { report: Certificate | null; told: readonly Told[] }) => (
  <ul class="messages" aria-live="polite">
    {report === null
      ? told.flatMap((one) => (one.blocked_by === undefined ? <ToldRow key={one.rule} one={one} /> : []))
      : testedRules(report).map((rule) => <RuleRow key={rule.id} rule={rule} />)}
    {report?.not_tested.map((group) => (
      <GroupRow key={group.reason} group={group} />
    ))}
  </ul>
)

function counted(report: Certificate | null, told: readonly Told[]): string {
  const all = report === null ? told.map(({ status }) => status) : report.rules.map(({ result }) => result)
  if (all.length === 0) return ''
  const holding = all.filter((result) => result === 'holds').length
  const broken = all.filter((result) => result === 'broken').length
  return `${holding} hold, ${broken} broken, ${all.length - holding - broken} could not be seen`
}

const ToldRow = ({ one }: { one: Told }) => (
  <li class="row">
    <Pill status={one.status} tone={tones[one.status]} /> <code>{one.rule}</code>
    <span class="faint">
      <Said>{one.seen}</Said>
    </span>
  </li>
)

/** What one broken rule kept from being tested, as one line. */
const GroupRow = ({ group }: { group: Certificate['not_tested'][number] }) => (
  <li>
    <details>
      <summary>
        <Pill status="unseen" tone="calm" />
        <strong>{groupLine(group)}</strong>
      </summary>
      <p>
        Fix <code>{group.blocked_by}</code> first, then certify again.
      </p>
      <p class="names">
        {group.rules.map((id) => (
          <code key={id}>{id}</code>
        ))}
      </p>
    </details>
  </li>
)

const RuleRow = ({ rule }: { rule: Rule }) => (
  <li>
    <details>
      <summary>
        <Pill
          status={rule.result}
          tone={rule.severity === 'warning' && rule.result === 'broken' ? 'wait' : tones[rule.result]}
        />
        <strong>{rule.duty}</strong>
        <code class="push">{rule.id}</code>
      </summary>
      <p>
        <Said>{rule.seen}</Said>
      </p>
      <p class="faint">{rule.source}</p>
      <p>Tried: {rule.tried}</p>
      {rule.result === 'broken' ? <p class="hint-box">{rule.mend}</p> : null}
      {rule.evidence === null ? null : (
        <>
          <Headers headers={rule.evidence.request.headers} label={`Sent to ${rule.evidence.request.url}`} />
          <Code text={rule.evidence.request.body} label="Body" what="the body" />
          <p>
            Answered: {rule.evidence.answer.status ?? rule.evidence.answer.outcome} after{' '}
            {rule.evidence.answer.duration_ms} ms
          </p>
        </>
      )}
    </details>
  </li>
)
