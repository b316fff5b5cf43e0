/** Certifies a running client: judges its calls, those in the request log or those that come while the page observes. */
import type { ClientCertificate } from '../../../inside/client.js'
import {
  Both,
  Button,
  Code,
  call,
  Failure,
  Linked,
  language,
  link,
  listen,
  Panel,
  Prose,
  Said,
  said,
  t,
  useEffect,
  useLayoutEffect,
  useState,
  useWork,
} from '../../../inside/pages.js'
import { capitalized } from '../../../inside/values.js'
import type { RuleReport } from '../report/evidence.js'
import { CertifyHead, Requirements } from '../report/results.js'
import { missingOptions, onPage, type RuleRow } from '../report/rules.js'
import { clientRuleIds, clientRules } from './rules.js'

/** The id of the last call before the page began to observe; undefined: the log was empty. */
interface Observed {
  after: string | undefined
}

function useCertification() {
  const { result: report, error, run } = useWork<ClientCertificate>('client')
  const [observed, setObserved] = useState<Observed | null>(null)
  const [calls, setCalls] = useState(0)
  useLayoutEffect(
    () =>
      listen((news) => {
        if (news === 'everything') return
        const more = news.filter(({ type, own }) => type === 'request' && own !== true).length
        if (more > 0) setCalls((before) => before + more)
      }),
    [],
  )
  const judge = ({ after }: Observed) =>
    run(() => {
      setObserved(null)
      return call('POST /certify/client', { body: after === undefined ? {} : { after } })
    })
  const observe = () =>
    run(async () => {
      const { data } = await call('GET /requests', { query: { limit: 1 } })
      setCalls(0)
      setObserved({ after: data[0]?.request_id })
      return null
    })
  return { report, error, observed, calls, judge, observe }
}

/** What the calls in the log decide now; null: nothing, because the app has made none. Read again when no call has come for a second. */
function useDecidable(isShown: boolean, calls: number): ClientCertificate | null {
  const [report, setReport] = useState<ClientCertificate | null>(null)
  useEffect(() => {
    if (!isShown) return
    const read = async () => {
      const { data } = await call('GET /requests', { query: { limit: 1 } })
      setReport(data.length === 0 ? null : await call('POST /certify/client', { body: {} }))
    }
    const timer = setTimeout(() => void read().catch(() => setReport(null)), calls === 0 ? 0 : 1000)
    return () => clearTimeout(timer)
  }, [isShown, calls])
  return report
}

const isDecided = ({ result }: RuleReport) => result === 'passed' || result === 'failed'

/** Each requirement below what decides it. */
const ToDo = ({ report }: { report: ClientCertificate | null }) => {
  const rows = clientRuleIds.map((id) => {
    const { requirement, needs }: RuleRow = clientRules[id]
    const rule = report?.rules.find((one) => one.id === id)
    const reason = needs === undefined ? 'the app has made no call' : missingOptions[needs]
    const isOpen = rule === undefined || rule.blocked_by !== undefined
    return { requirement, why: isOpen ? reason : isDecided(rule) ? null : (rule.reason ?? rule.observed) }
  })
  const decided = rows.filter(({ why }) => why === null).length
  const reasons = [...new Set(rows.map(({ why }) => why))].sort(
    (one, other) => Number(one !== null) - Number(other !== null),
  )
  return (
    <Panel
      title="Requirements"
      flush
      tools={<span class="faint">{t`${decided} of ${rows.length} can be decided now`}</span>}
    >
      <ul class="messages">
        {reasons.map((reason) => (
          <li key={reason}>
            <p class="step-name">
              {reason === null ? (
                'The calls in the request log decide:'
              ) : (
                <Said
                  text={
                    new Both(
                      `${capitalized(onPage(reason, 'client', said))}:`,
                      `${capitalized(onPage(reason, 'client'))}:`,
                    )
                  }
                />
              )}
            </p>
            <ul class="requirements">
              {rows.map(({ requirement, why }) => (why === reason ? <li key={requirement}>{requirement}</li> : null))}
            </ul>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** How many calls of the app can be judged. */
const callsText = (calls: number) =>
  calls === 0
    ? 'The request log has no call of your app yet. Calls of the dashboard and the command line do not count.'
    : calls === 1
      ? 'The request log has 1 call of your app.'
      : t`The request log has ${calls} calls of your app.`

const command = 'payments-sandbox certify client -- node client.js'

/** Starts judging, and ends an observation. */
const Judge = ({ observed, calls, judge, observe }: ReturnType<typeof useCertification>) =>
  observed === null ? (
    <p class="actions">
      <Button tone="primary" onClick={() => judge({ after: undefined })}>
        Check the calls in the request log
      </Button>
      <Button onClick={observe}>Check new calls</Button>
    </p>
  ) : (
    <p class="row">
      <Button tone="primary" onClick={() => judge(observed)}>
        Stop and judge
      </Button>
      <span class="faint" role="status">
        {calls === 1 ? '1 call so far' : t`${calls} calls so far`}
      </span>
    </p>
  )

export const ClientView = () => {
  const certification = useCertification()
  const { report, error, observed, calls } = certification
  const decidable = useDecidable(report === null && observed === null, calls)
  return (
    <>
      <CertifyHead title="Certify a client" report={report} />
      <Panel>
        <p>
          Judges the calls that your client makes to this sandbox. It injects no faults: to test retries too, turn on{' '}
          <a href={link('chaos')}>chaos</a> during the test.
        </p>
        {report === null && observed === null ? <p>{callsText(decidable?.calls ?? 0)}</p> : null}
        <Judge {...certification} />
        {error === null ? null : error.code === 'CONFLICT' ? (
          <p class="hint-box" role="status">
            {error.message}
          </p>
        ) : (
          <Failure error={error} />
        )}
      </Panel>
      {report === null ? (
        <ToDo report={decidable} />
      ) : (
        <Requirements
          page="client"
          report={report}
          found={({ result, observed }) =>
            result === 'failed' ? (
              <p lang={said(observed) === observed ? 'en' : language}>
                <Linked text={said(observed)} />
              </p>
            ) : null
          }
          note={report.calls === 1 ? '1 call judged' : t`${report.calls} calls judged`}
        />
      )}
      <Panel title="Test every requirement">
        <Code text={command} label="Terminal" noun="the command" />
        <p class="hint">
          <Prose text="Starts your client with a sandbox of its own and injects faults. For random faults, add `--chaos rough`." />
        </p>
      </Panel>
    </>
  )
}
