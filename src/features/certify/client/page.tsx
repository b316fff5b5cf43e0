/** Certifies a running client: judges its calls, those in the request log or those that come while the page observes. */
import type { Child } from 'hono/jsx/dom'
import type { ClientCertificate } from '../../../inside/client.js'
import {
  Button,
  Code,
  call,
  Failure,
  failureOf,
  Linked,
  language,
  link,
  listen,
  Panel,
  Prose,
  said,
  t,
  useEffect,
  useLayoutEffect,
  useState,
  useWork,
} from '../../../inside/pages.js'
import { keysOf } from '../../../inside/values.js'
import type { RuleReport } from '../report/evidence.js'
import { CertifyHead, Requirements } from '../report/results.js'
import type { RuleRow } from '../report/rules.js'
import { type ClientRule, clientRuleIds, clientRules } from './rules.js'

/** The id of the last call before the page began to observe; undefined: the log was empty. */
interface Observed {
  after: string | undefined
}

/** Judges the calls of the app after the one with that id; null: the app has made none. */
async function judgeCalls(after?: string): Promise<ClientCertificate | null> {
  try {
    return await call('POST /certify/client', { body: after === undefined ? {} : { after } })
  } catch (error) {
    if (failureOf(error).details.calls === 0) return null
    throw error
  }
}

function useCertification() {
  const { result: report, error, run } = useWork<ClientCertificate>('client')
  const [observed, setObserved] = useState<Observed | null>(null)
  const [calls, setCalls] = useState(0)
  const [isEmpty, setEmpty] = useState(false)
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
    run(async () => {
      setObserved(null)
      const judged = await judgeCalls(after)
      setEmpty(judged === null)
      return judged
    })
  const observe = () =>
    run(async () => {
      const { data } = await call('GET /requests', { query: { limit: 1 } })
      setEmpty(false)
      setCalls(0)
      setObserved({ after: data[0]?.request_id })
      return null
    })
  return { report, error, observed, calls, isEmpty, judge, observe }
}

/** What the calls in the log decide now; null: nothing, because the app has made none; undefined: not read yet. Read again when no call has come for a second. */
function useDecidable(isShown: boolean, calls: number): ClientCertificate | null | undefined {
  const [report, setReport] = useState<ClientCertificate | null | undefined>(undefined)
  useEffect(() => {
    if (!isShown) return
    const read = async () => {
      const { data } = await call('GET /requests', { query: { limit: 1 } })
      setReport(data.length === 0 ? null : await judgeCalls())
    }
    const timer = setTimeout(() => void read().catch(() => setReport(null)), calls === 0 ? 0 : 1000)
    return () => clearTimeout(timer)
  }, [isShown, calls])
  return report
}

const groups = {
  ready: { title: 'Ready to judge', text: 'The calls in the request log decide these requirements.' },
  call: {
    title: 'Needs a call of your app',
    text: 'Let your app get a token and create a few charges and a withdrawal. Then check its calls.',
  },
  chaos: {
    title: 'Needs chaos or a scenario',
    text: 'Chaos drops responses and connections: your app must repeat these calls. A scenario rejects a payment for good: your app must not repeat it.',
  },
  command: {
    title: 'Only from the command line',
    text: 'This command starts your client with a sandbox of its own, injects faults and plays the payer. With `--state-url`, it also checks what your app has recorded.',
  },
} as const
type GroupName = keyof typeof groups

/** Of the requirements about faults, the log decides these; the others need faults that only the command injects. */
const byChaos: readonly ClientRule[] = ['repeat.done', 'repeat.same', 'repeat.not']

function groupOf(id: ClientRule, rule: RuleReport | undefined): GroupName {
  const { needs }: RuleRow = clientRules[id]
  if (rule?.result === 'passed' || rule?.result === 'failed') return 'ready'
  return needs === undefined ? 'call' : byChaos.includes(id) ? 'chaos' : 'command'
}

/** Requirements that are shown of a group; the others are folded. */
const shownRows = 3

const Rows = ({ ids }: { ids: readonly ClientRule[] }) => (
  <ul>
    {ids.map((id) => (
      <li key={id}>{clientRules[id].requirement}</li>
    ))}
  </ul>
)

interface ToDoProps {
  report: ClientCertificate | null
  /** The next step of each group. */
  steps: Readonly<Record<GroupName, Child>>
}

/** The requirements by what decides them. */
const ToDo = ({ report, steps }: ToDoProps) => (
  <div class="to-do">
    {keysOf(groups).map((name) => {
      const ids = clientRuleIds.filter(
        (id) =>
          name ===
          groupOf(
            id,
            report?.rules.find((rule) => rule.id === id),
          ),
      )
      return ids.length === 0 ? null : (
        <Panel key={name} title={groups[name].title} tools={<span class="faint num">{ids.length}</span>}>
          <p>
            <Prose text={groups[name].text} />
          </p>
          <Rows ids={ids.slice(0, shownRows)} />
          {ids.length <= shownRows ? null : (
            <details>
              <summary>{t`${ids.length - shownRows} more`}</summary>
              <Rows ids={ids.slice(shownRows)} />
            </details>
          )}
          <div class="actions">{steps[name]}</div>
        </Panel>
      )
    })}
  </div>
)

/** How many calls of the app can be judged. */
const callsText = (calls: number) => {
  const found =
    calls === 0
      ? 'The request log has no call of your app yet.'
      : calls === 1
        ? 'The request log has 1 call of your app.'
        : t`The request log has ${calls} calls of your app.`
  return `${t(found)} ${t('Calls of the dashboard and the command line do not count.')}`
}

const command = 'payments-sandbox certify client -- node client.js'

const Command = () => <Code text={command} label="Terminal" noun="the command" />

/** Ends an observation. */
const Observing = ({ calls, judge }: { calls: number; judge: () => void }) => (
  <p class="row">
    <Button tone="primary" onClick={judge}>
      Stop and judge
    </Button>
    <span class="faint" role="status">
      {calls === 1
        ? '1 call of your app since you pressed Check new calls'
        : t`${calls} calls of your app since you pressed Check new calls`}
    </span>
  </p>
)

const Judged = ({ report }: { report: ClientCertificate }) => (
  <>
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
    <Panel title={groups.command.title}>
      <p>
        <Prose text={groups.command.text} />
      </p>
      <Command />
    </Panel>
  </>
)

const FaultLinks = () => (
  <>
    <a class="button" href={link('chaos')}>
      Chaos
    </a>
    <a class="button" href={link('scenarios')}>
      Choose a scenario
    </a>
  </>
)

export const ClientView = () => {
  const { report, error, observed, calls, isEmpty, judge, observe } = useCertification()
  const isReady = report === null && observed === null
  const decidable = useDecidable(isReady, calls)
  const logged = isReady ? (decidable ?? null) : null
  const checkLog = (
    <Button tone="primary" onClick={() => judge({ after: undefined })}>
      Check the calls in the request log
    </Button>
  )
  const checkNew = (
    <Button tone={isReady && logged === null ? 'primary' : 'plain'} onClick={observe}>
      Check new calls
    </Button>
  )
  return (
    <>
      <CertifyHead title="Certify a client" report={report} />
      <Panel>
        <p>Judges the calls that your client makes to this sandbox.</p>
        {isReady && decidable !== undefined ? <p>{callsText(decidable?.calls ?? 0)}</p> : null}
        {observed === null ? null : <Observing calls={calls} judge={() => judge(observed)} />}
        {report === null ? null : (
          <p class="actions">
            {checkLog} {checkNew}
          </p>
        )}
        {isEmpty ? (
          <p class="hint-box" role="status">
            Your app made no call that can be judged. Let it call the platform API, then check again.
          </p>
        ) : null}
        {error === null ? null : <Failure error={error} />}
      </Panel>
      {report === null ? (
        <ToDo
          report={logged}
          steps={{ ready: checkLog, call: isReady ? checkNew : null, chaos: <FaultLinks />, command: <Command /> }}
        />
      ) : (
        <Judged report={report} />
      )}
    </>
  )
}
