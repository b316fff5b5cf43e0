/** Runs of scenarios: as rows, and one run with its steps as they happen. */
import { parseUntrustedJson } from '../../base/json.js'
import { capitalized } from '../../base/text.js'
import { fieldAt, fieldsIn } from '../../base/unknown.js'
import type { Run, WebhookSummary } from '../../client/types/control.js'
import { requestHeaders } from '../../protocol/platform/headers.js'
import { altersWebhooks, createdByCall } from '../../protocol/scenario/problems.js'
import type { Failure as Refusal } from '../api.js'
import { errorText, kindName, moment, runOf, statusName } from '../format.js'
import { t } from '../language.js'
import { AttemptFault, isInbox, Outcome } from '../parts/attempts.js'
import { detailView } from '../parts/detail-view.js'
import { Button, Icon, type IconName } from '../parts/forms/controls.js'
import { titleOf } from '../parts/forms/scenario-commands.js'
import { FailureDetails, Fields, Loaded, Panel } from '../parts/layout.js'
import { StepParams } from '../parts/step-params.js'
import { addressOf, Linked, RowLink, ShortId, type TableSpec } from '../parts/table.js'
import { Fault, HttpStatus, Moment, Pill, Prose, TimeOfDay, WebhookPill, WrappedText } from '../parts/text.js'
import { Call, PaidTwice } from '../parts/timeline/calls.js'
import { AdvanceTo } from '../parts/timeline/moments.js'
import { attempt, send } from '../store/commands.js'
import { type RowOf, useQuery } from '../store/query.js'
import { link } from '../store/route.js'
import { taskText } from '../store/steps.js'
import { findSuccessors, useAttempts } from '../store/timeline.js'

const countOf = ({ steps }: Run, wanted: 'passed' | 'skipped') => steps.filter(({ status }) => status === wanted).length

const isOfCall = ({ started_by }: Pick<Run, 'started_by'>) => started_by !== 'run'

/** The scenario of a call, or of altered webhooks, is applied; whether the app did right stands at what it did. */
export const RunPill = ({ run }: { run: Run }) => (
  <Pill status={run.status === 'passed' && (isOfCall(run) || altersWebhooks(run)) ? 'applied' : run.status} of="run" />
)

/** Of altered webhooks, what the app did with them, as it stands below. The built-in inbox is no app. */
export const RunBadge = ({ run }: { run: Run }) => {
  const query = { transaction_id: String(run.vars.subject) }
  const sent = useQuery('GET /webhooks', { query }, ['webhook']).data?.data
  const judged = altersWebhooks(run) && sent?.find(({ verdict, url }) => verdict !== undefined && !isInbox(url))
  return judged ? <WebhookPill row={judged} /> : <RunPill run={run} />
}

/** The step that the matched call has done, so that the run skips it; one that an earlier call has done is none. */
const indexByApp = (run: Run) => (isOfCall(run) ? run.steps.findIndex(({ detail }) => detail === createdByCall) : -1)

const doneText = (run: Run) => {
  const byApp = indexByApp(run) < 0 ? 0 : 1
  const [done, skipped] = [countOf(run, 'passed') + byApp, countOf(run, 'skipped') - byApp]
  const all = run.steps.length
  const text = all === 1 ? t`${done} of 1 step` : t`${done} of ${all} steps`
  return skipped === 0 ? text : `${text}, ${t`${skipped} skipped`}`
}

export const runTable: TableSpec<Run> = {
  label: 'Runs',
  keyOf: (row) => row.id,
  at: (row) => row.started_at,
  columns: [
    {
      ...{ name: 'Scenario', card: 'title' },
      cell: (row) => (
        <RowLink href={link('runs', row.id)}>
          {row.scenario} <ShortId id={row.id} />
        </RowLink>
      ),
    },
    { name: 'Status', card: 'badge', cell: (row) => <RunPill run={row} /> },
    {
      ...{ name: 'Steps', card: 'sub' },
      cell: (row) => (
        <span class="num faint" translate="no">
          {doneText(row)}
        </span>
      ),
    },
    { name: 'Started', alignEnd: true, card: 'aside', cell: (row) => <TimeOfDay iso={row.started_at} /> },
  ],
}

const icons: Record<string, IconName> = { passed: 'check', failed: 'close', running: 'play', canceled: 'close' }

type Step = Run['steps'][number]

/** The object that a step creates, which gives it its words. */
const createdBy = ({ step, params }: Step) =>
  step === 'create' ? Object.keys(fieldsIn(params)).find((kind) => kind !== 'as' && kind !== 'account') : undefined

/** A value with what the step used in place of its references. */
function filled(value: unknown, values: Run['vars']): unknown {
  if (typeof value === 'string')
    return value.replace(/\$\{(\w+)\}/g, (text, name: string) => String(fieldAt(values, name) ?? text))
  if (Array.isArray(value)) return value.map((one) => filled(one, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filled(inner, values)]))
}

/** None if the matched call had done the step with values of its own. */
const Params = ({ of: step, values }: { of: Step; values: Run['vars'] }) => {
  const kind = createdBy(step)
  const { [kind ?? '']: created, ...more } = fieldsIn(step.params)
  const params = kind === undefined ? step.params : { ...fieldsIn(created), ...more }
  const isUnused = step.status === 'skipped' && step.detail !== null
  return params === null || isUnused ? null : <StepParams step={step.step} params={filled(params, values)} />
}

/** Of steps that are no action. */
const stepNames: Readonly<Record<string, string>> = {
  wait: 'Wait',
  expect: 'Check',
  respond: 'Respond with an error',
  latency: 'Delay the response',
  disconnect: 'Close the connection',
  webhooks: 'Change later webhooks',
}

const nameOf = (step: Step) =>
  stepNames[step.step] ?? taskText(step.step === 'create' ? `${createdBy(step)}.create` : step.step)

const isSameDay = (iso: string | null, before: string | null = null) => iso?.slice(0, 10) === before?.slice(0, 10)

export const RunSteps = ({ run }: { run: Run }) => (
  <ol class="timeline run-steps">
    {run.steps.map((step, index) => (
      <li key={String(index)} class={step.status}>
        <span class="timeline-icon">
          <Icon name={icons[step.status] ?? 'status'} />
        </span>
        <span class={`timeline-at${isSameDay(step.at, run.steps[index - 1]?.at) ? ' by-day' : ''}`}>
          {step.at === null ? '' : <TimeOfDay iso={step.at} />}
        </span>
        <div class="timeline-body">
          <p>
            <strong>{nameOf(step)}</strong> <Params of={step} values={{ ...run.vars, run: run.id }} />{' '}
            {step.status === 'passed' ? null : (
              <Pill status={index === indexByApp(run) ? 'by your app' : step.status} />
            )}
          </p>
          {step.detail === null ? null : <StepDetail text={step.detail} />}
          {step.status === 'running' ? <AdvanceTo iso={untilOf(step.detail)} /> : null}
        </div>
      </li>
    ))}
  </ol>
)

/** When a step that waits ends; undefined if that is not known. */
const untilOf = (detail: string | null) => /^until (\S+Z)$/.exec(detail ?? '')?.[1]

/** A sentence begins with two words; a name of an event or an account stays as it is. */
const outcomeText = (text: string) => {
  const until = untilOf(text)
  const [, kind = '', id = '', status = ''] = /^([a-z]+) (\S+) is (\w+)$/.exec(text) ?? []
  if (until !== undefined) return t`Until ${moment(until, null)}`
  if (kind !== '') return `${kindName(kind)} ${id}: ${statusName(status, kind)}`
  return /^[a-z]+ [a-z]/.test(text) ? capitalized(t(text)) : t(text)
}

/** Of a rejected call: `rejected: 409 CODE: message {details}`. */
const rejected = /^rejected: (\d+) (\w+): (.*?) (\{.*\})$/s

const StepDetail = ({ text }: { text: string }) => {
  const [, status, code = '', message = '', details = ''] = rejected.exec(text) ?? []
  const shown = outcomeText(text)
  return status === undefined ? (
    <p class="faint" lang={shown.toLowerCase() === text.toLowerCase() ? 'en' : undefined}>
      <Linked text={shown} />
    </p>
  ) : (
    <Rejection error={{ code, message, status: Number(status), details: fieldsIn(parseUntrustedJson(details)) }} />
  )
}

/** Why a step was rejected; the fields of the error are folded. */
const Rejection = ({ error }: { error: Refusal }) => (
  <div class="failure" role="note">
    <p>
      <Prose text={errorText(error)} />
    </p>
    <details>
      <summary>Details</summary>
      <FailureDetails error={error} />
    </details>
  </div>
)

/** The value of a variable; an id is a link to its object. */
function shown(value: unknown): unknown {
  const href = typeof value === 'string' ? addressOf(value) : undefined
  return href === undefined ? value : <a href={href}>{value}</a>
}

const startedBy: Record<Run['started_by'], string> = {
  run: 'You (Run)',
  armed: 'A matching call (armed)',
  header: t`A call with the header ${requestHeaders.scenario}`,
}

/**
 * Without the subject, if it is one of the named objects. In the run of a call, the repeat that a scenario would make has the
 * name of an object that another name has before it; what the app repeated stands among its calls.
 */
const varsOf = ({ vars: { subject, ...named }, started_by }: Run) =>
  Object.entries(Object.values(named).includes(subject ?? null) ? named : { ...named, subject }).filter(
    ([, value], index, all) =>
      !isOfCall({ started_by }) ||
      addressOf(String(value)) === undefined ||
      all.findIndex(([, other]) => other === value) === index,
  )

export const [RunView] = detailView({
  source: 'GET /runs/{id}',
  watch: ['run', 'workspace'],
  title: (row) => t`Run ${row.id} of ${row.scenario}`,
  heading: (row) => (
    <>
      <span>Run of {row.scenario}</span> <code class="title-kind small">{row.id}</code> <RunBadge run={row} />
    </>
  ),
  crumb: (row) =>
    row === undefined
      ? { href: link('scenarios'), text: 'Scenarios' }
      : { href: link('scenarios', row.scenario), text: 'The scenario' },
  actions: ({ row: { id, status } }) =>
    status === 'running' ? (
      <Button onClick={() => attempt(() => send('DELETE /runs/{id}', { params: { id } }), 'The run was canceled')}>
        Cancel the run
      </Button>
    ) : null,
  main: ({ row }) => (
    <>
      {isOfCall(row) || (altersWebhooks(row) && row.vars.subject) ? <AppCalls run={row} /> : <Verdict run={row} />}
      <Panel title="Steps">
        <RunSteps run={row} />
      </Panel>
    </>
  ),
  side: ({ row }) => (
    <Panel title="Details">
      <RunFields row={row} />
    </Panel>
  ),
})

/** How a run ended, or how far it is. */
function endText(run: Run): string {
  const { status, steps } = run
  const at = steps.findIndex((step) => step.status === status)
  const step = steps[at]
  const [number, all] = [at + 1, steps.length]
  if (status === 'canceled') return t`It was canceled: ${doneText(run)}.`
  if (status !== 'passed' && step !== undefined) {
    const where = status === 'failed' ? t`Step ${number} of ${all} failed` : t`Step ${number} of ${all}`
    return `${where}: ${t(nameOf(step))}.`
  }
  if (status !== 'passed') return ''
  return isOfCall(run) || altersWebhooks(run) ? t('It was applied as planned.') : t('Every step and check passed.')
}

/** What the app did after a call without a usable response; `calls` have the newest first. */
function againText(run: Run, calls: readonly RowOf<'GET /requests'>[]): string {
  if (!run.steps.some(({ step }) => step === 'disconnect' || step === 'respond')) return ''
  if (calls.some(({ paid_twice: [call] = [] }) => call?.certain))
    return 'Your app sent it again as another transaction.'
  const matched = calls.findIndex((call) => runOf(call) === run.id)
  // A list that the app reads is a POST, too.
  const isRepeated = calls.some(({ path }, index) => index < matched && path === calls[matched]?.path)
  return isRepeated
    ? 'Your app called again, and nothing was paid twice.'
    : 'No repeat of the call has been recognized.'
}

/** What was rehearsed, and how it ended. */
const Verdict = ({ run, again = '' }: { run: Run; again?: string }) => {
  const scenarios = useQuery('GET /scenarios', {}, ['workspace']).data?.data
  const row = scenarios?.find(({ name }) => name === run.scenario)
  return (
    <Panel>
      <p>
        <strong>
          <WrappedText>{row === undefined ? run.scenario : titleOf(row)}</WrappedText>.
        </strong>{' '}
        {endText(run)} {again}
      </p>
    </Panel>
  )
}

/** Of a run whose call created nothing: this call, and those with its reference. The newest first. */
function callsByReference({ id }: Run, calls: readonly RowOf<'GET /requests'>[]) {
  const at = calls.findIndex((one) => runOf(one) === id)
  const { path, external_id: reference } = calls[at] ?? {}
  const isAgain = (one: RowOf<'GET /requests'>) => one.path === path && one.external_id === reference
  return calls.filter((one, index) => index === at || (index < at && reference !== undefined && isAgain(one)))
}

/** The calls of the app about the object of the run, from the one that started it, and its answers to webhooks. */
const AppCalls = ({ run }: { run: Run }) => {
  const { subject } = run.vars
  const isCreated = typeof subject === 'string'
  const transaction_id = isCreated ? subject : run.id
  const logged = useQuery('GET /requests', { query: isCreated ? { transaction_id } : { method: 'POST', limit: 100 } }, [
    'request',
  ])
  const calls = isCreated
    ? logged
    : { ...logged, data: logged.data && { data: callsByReference(run, logged.data.data) } }
  const events = useQuery('GET /webhooks', { query: { transaction_id } }, ['webhook']).data?.data.toReversed() ?? []
  // A run that no call started has no calls: if every webhook goes to the inbox, no app did anything.
  const isInboxAlone = !isOfCall(run) && events.length > 0 && events.every(({ url }) => isInbox(url))
  return (
    <>
      <Verdict run={run} again={calls.data === undefined ? '' : againText(run, calls.data.data)} />
      <Panel title={isInboxAlone ? 'What the built-in inbox did' : 'What your app did'}>
        <Loaded of={calls}>
          {({ data }) => (
            <>
              <CallsAndAnswers calls={data.toReversed()} events={events} />
              {!isCreated || data.length !== 1 || data[0]?.paid_twice ? null : (
                <p class="faint">No later call is about this transaction.</p>
              )}
              {data.map((one) => (
                <PaidTwice key={one.request_id} entry={one} by="later" />
              ))}
            </>
          )}
        </Loaded>
      </Panel>
    </>
  )
}

interface CallsAndAnswersProps {
  calls: readonly RowOf<'GET /requests'>[]
  events: readonly WebhookSummary[]
}

/** In the order of time, or of arrival if the clock stands; a call comes before what it has caused. */
const CallsAndAnswers = ({ calls, events }: CallsAndAnswersProps) => {
  const attempts = useAttempts(events)
  const called = calls.map((one) => ({
    at: one.at,
    did: (
      <>
        <Call entry={one} /> <HttpStatus of={one} /> <Fault of={one} />
      </>
    ),
  }))
  const successors = findSuccessors(events, attempts ?? {})
  const placeOf = (event: WebhookSummary) => successors.get(event.id) ?? events.indexOf(event) - 0.5
  const arrived = events.toSorted((one, other) => placeOf(one) - placeOf(other))
  const answered = arrived.flatMap(({ id, event, url }) =>
    (attempts?.[id] ?? []).map((one) => ({
      at: one.at,
      did: (
        <>
          <a href={link('webhooks', id)}>{event}</a> <AttemptFault of={one} /> <Outcome attempt={one} url={url} />
        </>
      ),
    })),
  )
  const rows = [...called, ...answered].sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
  return (
    <ol class="plain-list">
      {rows.map(({ at, did }, index) => (
        <li key={String(index)} class="row">
          <TimeOfDay iso={at} /> {did}
        </li>
      ))}
    </ol>
  )
}

/** Of names that built-in scenarios give; others are those of the user. */
const varLabels: Readonly<Record<string, string>> = { payout: 'Withdrawal', retry: 'Repeated call', subject: 'Object' }

const RunFields = ({ row }: { row: Run }) => (
  <Fields
    rows={[
      ['Run id', row.id],
      ['account', row.account],
      ['Started by', <span>{startedBy[row.started_by]}</span>],
      ['Started', <Moment iso={row.started_at} dated />],
      ['Finished', row.finished_at === null ? null : <Moment iso={row.finished_at} dated />],
      ...varsOf(row).map(([name, value]) => [varLabels[name] ?? name, shown(value)] as const),
    ]}
  />
)
