/** Certifies a running client: judges its calls, those in the request log or those that come while the page observes. */
import { useState } from 'hono/jsx/dom'
import type { ClientCertificate } from '../../../inside/client.js'
import {
  Button,
  call,
  Failure,
  Linked,
  link,
  listen,
  Panel,
  Pill,
  Prose,
  t,
  useLayoutEffect,
  useWork,
} from '../../../inside/pages.js'
import { CertifyHead, groupOf, Requirements } from '../report/results.js'
import type { ClientRule } from './rules.js'

/** The subjects of the rules that the request log can show. */
const subjects = [
  'token',
  'sign',
  'repeat',
  'amounts',
  'answers',
  'wait',
  'withdrawal',
  'missed',
  'dispute',
] as const satisfies Subject[]
type Subject = ClientRule extends `${infer First}.${string}` ? First : never

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

/** What will be judged. */
const ToDo = () => (
  <Panel title="Requirements" flush tools={<span class="faint">No results yet</span>}>
    <ul class="messages">
      {subjects.map((subject) => (
        <li key={subject} class="row">
          <Pill status={t('to do')} /> {groupOf(subject)}
        </li>
      ))}
    </ul>
  </Panel>
)

export const ClientView = () => {
  const { report, error, observed, calls, judge, observe } = useCertification()
  return (
    <>
      <CertifyHead title="Certify a client" report={report} />
      <Panel>
        <p>
          Judges the calls that your client makes to this sandbox: tokens, signatures, nonces, amounts and external_ids.
          It injects no faults. To test retries too, turn on <a href={link('chaos')}>chaos</a> during the test.
        </p>
        {observed === null ? (
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
        )}
        <p class="faint">
          <Prose text="To test every requirement, run `payments-sandbox certify client -- COMMAND`; for random faults, add `--chaos rough`." />
        </p>
        {error === null ? null : error.code === 'CONFLICT' ? (
          <p class="hint-box" role="status">
            {error.message}
          </p>
        ) : (
          <Failure error={error} />
        )}
      </Panel>
      {report === null ? (
        <ToDo />
      ) : (
        <Requirements
          page="client"
          report={report}
          found={({ result, observed }) =>
            result === 'failed' ? (
              <p lang="en">
                <Linked text={observed} />
              </p>
            ) : null
          }
          note={report.calls === 1 ? '1 call judged' : t`${report.calls} calls judged`}
        />
      )}
    </>
  )
}
