/** Certifies a receiver: shows each result as soon as it is known, then what was observed and how to fix failures. */
import { useRef, useState } from 'hono/jsx/dom'
import type { Certificate } from '../../client/types/control.js'
import { type Failure as ApiFailure, call, failureOf } from '../../dashboard/api.js'
import { controlCurl } from '../../dashboard/curl.js'
import { Code, Headers } from '../../dashboard/parts/code.js'
import { Empty, Failure, Head, Panel } from '../../dashboard/parts/layout.js'
import { Pill, WrappedText } from '../../dashboard/parts/text.js'
import { useLayoutEffect } from '../../dashboard/store/effect.js'
import { listen } from '../../dashboard/store/live.js'
import { useAccounts } from '../../dashboard/store/query.js'
import { link } from '../../dashboard/store/route.js'
import { onPage } from '../protocol/missing-options.js'
import { groupLine, outcomeOf, sourceText, testedRules } from '../protocol/report.js'
import { LoadCharts, LoadResults, type Span } from './load.js'
import { CertifyForm, type CertifyRequest, firstUrl } from './receiver-form.js'

type Rule = Certificate['rules'][number]

/** A result from the stream, shown until the report arrives. */
interface LiveResult {
  rule: string
  status: string
  observed: string
  blocked_by?: string
}

export const tones: Record<string, 'ok' | 'bad' | 'calm'> = {
  passed: 'ok',
  failed: 'bad',
  inconclusive: 'calm',
}

function useCertification() {
  const [live, setLive] = useState<readonly LiveResult[]>([])
  const [report, setReport] = useState<Certificate | null>(null)
  const [spans, setSpans] = useState<readonly Span[]>([])
  const [error, setError] = useState<ApiFailure | null>(null)
  const [busy, setBusy] = useState(false)
  const run = useRef('')
  const received = useRef<readonly LiveResult[]>([])
  const measured = useRef<readonly Span[]>([])
  useLayoutEffect(
    () =>
      listen((changes) => {
        if (changes === 'everything') return
        const more = changes.filter(({ type, id }) => type === 'certify' && id === run.current)
        if (more.length === 0) return
        received.current = [...(received.current ?? []), ...more.filter(hasRule).map(liveResultOf)]
        measured.current = [...(measured.current ?? []), ...more.flatMap((change) => spanOf(change))]
        setLive(received.current)
        setSpans(measured.current)
      }),
    [],
  )
  const certify = async (request: CertifyRequest) => {
    run.current = `page-${Math.random().toString(36).slice(2)}`
    received.current = []
    measured.current = []
    setLive([])
    setSpans([])
    setReport(null)
    setError(null)
    setBusy(true)
    try {
      setReport(await call('POST /certify/receiver', { body: { ...request, run: run.current } }))
    } catch (thrown) {
      setError(failureOf(thrown))
    }
    setBusy(false)
  }
  return { live, spans, report, error, busy, certify }
}

const hasRule = (change: object) => 'rule' in change
/** A change about a load has the span that ended, or a step of the search for the limit. */
const spanOf = ({ load }: Record<string, unknown>): Span[] => [(load as { span?: Span } | undefined)?.span ?? []].flat()
const liveResultOf = (change: object): LiveResult => ({ rule: '', status: 'inconclusive', observed: '', ...change })

export const CertifyView = () => {
  const { live, spans, report, error, busy, certify } = useCertification()
  const [request, setRequest] = useState<CertifyRequest | null>(null)
  const accounts = useAccounts()
  const urls = (accounts.data?.data ?? []).flatMap((account) => account.credentials).map((one) => one.postback_url)
  const receiver = urls.find((url) => url !== null && !url.includes('/_sandbox/inbox/')) ?? firstUrl
  return (
    <>
      <CertifyHead title="Certify a receiver" {...(report && { outcome: outcomeOf(report), badge: badgeOf(report) })} />
      <Panel>
        <p>
          Tests your webhook receiver with forged signatures, old timestamps, duplicates and reordered events. The test
          uses a temporary workspace and does not change this one.
        </p>
        <CertifyForm receiver={receiver} busy={busy} certify={certify} change={setRequest} />
        {error === null ? null : <Failure error={error} />}
        {report?.load === undefined ? null : (
          <p class="hint-box">
            Only accept.signed and the requirements under load were tested. To test the others, delete the rate.
          </p>
        )}
        {report?.state_error === undefined ? null : <p class="hint-box">{report.state_error}</p>}
      </Panel>
      {report?.load !== undefined ? (
        <LoadResults load={report.load} />
      ) : spans.length === 0 ? null : (
        <Panel title="Load">
          <LoadCharts spans={spans} />
        </Panel>
      )}
      <Panel title="Requirements" flush tools={<span class="faint">{formatCounts(report, live)}</span>}>
        {report === null && live.length === 0 ? (
          <Empty
            title={busy ? 'Testing the first requirements' : 'No results yet'}
            curl={controlCurl('POST', '/certify/receiver', request ?? { url: receiver })}
          >
            Press Certify, or run this command. Results appear one by one.
          </Empty>
        ) : (
          <RuleList report={report} live={live} />
        )}
      </Panel>
    </>
  )
}

const badgeOf = (report: Certificate) => (report.load === undefined ? undefined : `load test ${outcomeOf(report)}`)

const tabs = [
  ['Certify a receiver', 'Receiver', link('certify')],
  ['Certify a client', 'Client', link('certify', 'client')],
  ['Certify your ledger', 'Ledger', link('certify', 'books')],
] as const

interface CertifyHeadProps {
  title: (typeof tabs)[number][0]
  /** Nothing was certified yet without it. */
  outcome?: string
  /** The words of the outcome, if they say more. */
  badge?: string | undefined
}

/** The head of the three pages, with links to the others. */
export const CertifyHead = ({ title, outcome, badge = outcome }: CertifyHeadProps) => (
  <>
    <Head
      title={title}
      heading={
        <>
          {title} {outcome === undefined ? null : <Pill status={badge ?? outcome} tone={tones[outcome]} />}
        </>
      }
    />
    <nav class="tabs" aria-label="What to certify">
      {tabs.map(([page, label, href]) => (
        <a key={label} href={href} aria-current={page === title ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  </>
)

const RuleList = ({ report, live }: { report: Certificate | null; live: readonly LiveResult[] }) => (
  <ul class="messages" aria-live="polite">
    {report === null
      ? live.flatMap((result) => (result.blocked_by === undefined ? <LiveRow key={result.rule} result={result} /> : []))
      : testedRules(report).map((rule) => <RuleRow key={rule.id} rule={rule} />)}
    {report?.not_tested.map((group) => (
      <GroupRow key={group.reason} group={group} />
    ))}
  </ul>
)

export function formatCounts(
  report: { rules: readonly Pick<Rule, 'result'>[] } | null,
  live: readonly LiveResult[],
): string {
  const all = report === null ? live.map(({ status }) => status) : report.rules.map(({ result }) => result)
  if (all.length === 0) return ''
  const passed = all.filter((result) => result === 'passed').length
  const failed = all.filter((result) => result === 'failed').length
  return `${passed} passed, ${failed} failed, ${all.length - passed - failed} inconclusive`
}

const LiveRow = ({ result }: { result: LiveResult }) => (
  <li class="row">
    <Pill status={result.status} tone={tones[result.status]} /> <code>{result.rule}</code>
    <span class="faint">
      <WrappedText>{onPage(result.observed)}</WrappedText>
    </span>
  </li>
)

/** One row for all rules that could not be tested because the same rule failed. */
export const GroupRow = ({ group }: { group: { blocked_by: string; reason: string; rules: readonly string[] } }) => (
  <li>
    <details>
      <summary>
        <Pill status="inconclusive" tone="calm" />
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

/** One rule of a receiver or books report: requirement, observation, check, fix and evidence. */
export const RuleRow = ({ rule }: { rule: Omit<Rule, 'id' | 'blocked_by'> & { id: string } }) => {
  const observed = <WrappedText>{onPage(rule.observed)}</WrappedText>
  return (
    <li>
      <details>
        <summary>
          <Pill
            status={rule.result}
            tone={rule.severity === 'warning' && rule.result === 'failed' ? 'warning' : tones[rule.result]}
          />
          <strong>
            {rule.requirement}
            {rule.result === 'passed' ? null : observed}
          </strong>
          <code class="push">{rule.id}</code>
        </summary>
        {rule.result === 'passed' ? <p>{observed}</p> : null}
        <p class="faint">{sourceText(rule.source)}</p>
        <p>Check: {rule.check}</p>
        {rule.result === 'failed' ? (
          <p class="hint-box">
            <WrappedText>{onPage(rule.fix)}</WrappedText>
          </p>
        ) : null}
        {rule.evidence === null ? null : (
          <>
            <Headers headers={rule.evidence.request.headers} label={`Sent to ${rule.evidence.request.url}`} />
            <Code text={rule.evidence.request.body} label="Body" noun="the body" />
            <p>
              Response: {rule.evidence.answer.status ?? rule.evidence.answer.outcome} after{' '}
              {rule.evidence.answer.duration_ms} ms
            </p>
          </>
        )}
      </details>
    </li>
  )
}
