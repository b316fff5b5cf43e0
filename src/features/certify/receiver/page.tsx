/** Certifies a receiver: shows each result as soon as it is known, then what was observed and how to fix failures. */
import { useRef } from 'hono/jsx/dom'
import type { Certificate, RouteInput } from '../../../inside/client.js'
import {
  Button,
  call,
  controlCurl,
  Empty,
  type Failed,
  type Field,
  FormFailure,
  FormFields,
  isInbox,
  listen,
  Panel,
  span,
  t,
  useAccounts,
  useEffect,
  useLayoutEffect,
  useState,
  useWork,
} from '../../../inside/pages.js'
import { LoadCharts, type LoadFields, LoadForm, LoadResults, loadFields, loadOf, noLoad } from '../load/charts.js'
import type { LoadProgress } from '../load/report.js'
import type { LiveResult, Remaining, RuleReport } from '../report/evidence.js'
import { CertifyHead, Requirements } from '../report/results.js'
import { loadEventsNotice, testEventsNotice } from './timing.js'

function useCertification() {
  const { result, error, busy, run } = useWork<{ report: Certificate; fields: Typed & { url: string } }>('receiver')
  const [live, setLive] = useState<readonly (RuleReport & Remaining)[]>([])
  const [sent, setSent] = useState<readonly LiveLoad[]>([])
  const running = useRef('')
  const stop = useRef<() => void>(null)
  useLayoutEffect(
    () =>
      listen((changes) => {
        if (changes === 'everything') return
        const own = changes.filter(({ type, id }) => type === 'certify' && id === running.current)
        // A certification sends results, and parts of a load.
        const more = own as unknown as readonly (LiveResult & { load?: LoadProgress })[]
        const rules = more.filter(({ rule }) => rule !== undefined)
        setLive((before) => [
          ...before,
          ...rules.map(({ rule, status, ...one }) => ({ ...one, id: rule, result: status, evidence: null })),
        ])
        setSent((before) => [
          ...before,
          ...more.flatMap(({ load }) => (load !== undefined && 'span' in load ? load : [])),
        ])
      }),
    [],
  )
  const certify = async (fields: Typed & { url: string }) => {
    const id = `page-${Math.random().toString(36).slice(2)}`
    const leaving = new AbortController()
    running.current = id
    stop.current = () => {
      running.current = ''
      leaving.abort()
    }
    setLive([])
    setSent([])
    // A stopped one keeps what was tested until then.
    await run(async () => {
      const sent = call('POST /certify/receiver', { body: { ...requestOf(fields), run: id }, signal: leaving.signal })
      const report = await sent.catch((error) => (leaving.signal.aborted ? null : Promise.reject(error)))
      return report && { report, fields }
    })
    // The form is back, and the verdict beside the title is in view and read out.
    requestAnimationFrame(() => {
      document.querySelector<HTMLElement>('.view-head h1:has(.pill)')?.focus({ preventScroll: true })
      document.querySelector('.view-head')?.scrollIntoView({ block: 'center' })
    })
  }
  return { live, sent, result, error, busy, certify, stop: () => stop.current?.() }
}

export const CertifyView = () => {
  const { live, sent, result, error, busy, certify, stop } = useCertification()
  const report = result?.report ?? null
  const [fields, setFields] = useState<Typed>(
    result?.fields ?? { url: null, stateUrl: '', load: noLoad, isLoad: false },
  )
  const accounts = useAccounts()
  const urls = (accounts.data?.data ?? []).flatMap((account) => account.credentials).map((one) => one.postback_url)
  const own = urls.find((url) => url !== null && !isInbox(url))
  const given = { ...fields, url: fields.url ?? own ?? firstUrl }
  const change = (more: Partial<Typed>) => setFields((before) => ({ ...before, ...more }))
  return (
    <>
      <CertifyHead title="Certify a receiver" report={report} isLoad={fields.isLoad} />
      <Panel>
        <p>
          {fields.isLoad
            ? 'Sends events of real transactions at a rate, and measures how your receiver answers. '
            : 'Tests your webhook receiver with forged signatures, old timestamps, duplicates and reordered events. '}
          The test uses a temporary workspace and does not change this one.{' '}
          {fields.isLoad ? loadEventsNotice : testEventsNotice}
        </p>
        {busy ? (
          <Running {...{ fields: given, tested: live.length, remaining: live.at(-1), sent: sent.at(-1), stop }} />
        ) : (
          <CertifyForm {...{ fields: given, error, change, submit: () => void certify(given) }} />
        )}
      </Panel>
      {report?.load !== undefined ? (
        <LoadResults load={report.load} />
      ) : sent.length === 0 ? null : (
        <Panel title="Load">
          <LoadCharts timeline={sent.map(({ span }) => span)} forMs={sent.at(-1)?.for_ms ?? 0} />
        </Panel>
      )}
      {report !== null ? (
        <Requirements page="receiver" report={report} note={result?.fields.url} />
      ) : live.length === 0 ? (
        <Panel title="Requirements" flush>
          <Empty
            title={busy ? 'Testing the first requirements' : 'No results yet'}
            curl={controlCurl('POST', '/certify/receiver', requestOf(given))}
          >
            {given.isLoad ? 'Press Run the load test, or run this command.' : 'Press Certify, or run this command.'}
          </Empty>
        </Panel>
      ) : (
        <Requirements
          page="receiver"
          report={{ rules: [...live] }}
          left={live.at(-1)?.left}
          note={busy ? undefined : 'stopped'}
        />
      )}
    </>
  )
}

export type CertifyRequest = RouteInput<'POST /certify/receiver'>['body']

interface Typed {
  /** null: nothing was typed yet. */
  url: string | null
  stateUrl: string
  load: LoadFields
  isLoad: boolean
}

const firstUrl = 'http://127.0.0.1:3000/webhooks'

const requestOf = ({ url, stateUrl, load, isLoad }: Typed & { url: string }): CertifyRequest => ({
  ...{ url: url.trim(), ...(isLoad && loadOf(load)) },
  ...(stateUrl.trim() === '' ? {} : { state_url: stateUrl.trim() }),
})

type LiveLoad = Extract<LoadProgress, { span: unknown }>

interface RunningProps {
  fields: Typed & { url: string }
  tested: number
  remaining: Remaining | undefined
  sent: LiveLoad | undefined
  stop: () => void
}

/** In place of the form, so that the results are in view. */
const Running = ({ fields: { url, load, isLoad }, tested, remaining, sent, stop }: RunningProps) => {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1000)
    return () => clearInterval(timer)
  }, [])
  const { left = 0, left_ms: leftMs } = remaining ?? {}
  const isSending = sent !== undefined && sent.span.at_ms < sent.for_ms
  return (
    <>
      <p>
        <code>{url}</code>
        {isLoad ? <span class="faint"> · {[load.rate, load.profile].join(', ')}</span> : null}
      </p>
      <p class="row">
        <Button onClick={stop}>Stop</Button>
        <span class="faint num">
          <span role="status">{tested === 0 ? '' : t`${tested} of ${tested + left} requirements done · `}</span>
          {isSending ? t`${span(sent.span.at_ms)} of ${span(sent.for_ms)} sent` : t`${span(seconds * 1000)} so far`}
          {leftMs === undefined ? null : t`, at most ${span(leftMs)} left`}
        </span>
      </p>
    </>
  )
}

interface FormProps {
  fields: Typed & { url: string }
  error: Failed | null
  change: (more: Partial<Typed>) => void
  submit: () => void
}

const CertifyForm = ({ fields: { url, stateUrl, load, isLoad }, error, change, submit }: FormProps) => {
  const urls: readonly Field[] = [
    { name: 'url', label: 'Receiver URL', kind: 'url', required: true, value: url },
    {
      ...{ name: 'state_url', label: 'State URL', kind: 'url', value: stateUrl },
      hint: isLoad
        ? 'Needed to test that each event takes effect once under load. Must answer `GET ?transaction_id=…` with `{"status": "confirmed", "credited": "25.50"}`'
        : 'Needed to test what your app did with an event: duplicates, order, amounts and disputes. Must answer `GET ?transaction_id=…` with `{"status": "confirmed", "credited": "25.50"}`',
    },
  ]
  return (
    <form
      class="certify"
      data-focus
      onSubmit={(event: Event) => {
        event.preventDefault()
        submit()
      }}
    >
      <FormFields
        fields={urls}
        error={error}
        onInput={(name, next) => change(name === 'url' ? { url: next } : { stateUrl: next })}
      />
      <fieldset class="choice">
        <legend class="visually-hidden">Test</legend>
        {([false, true] as const).map((one) => (
          <Button key={String(one)} tone="quiet" pressed={one === isLoad} onClick={() => change({ isLoad: one })}>
            {one ? 'Load test' : 'Each requirement'}
          </Button>
        ))}
      </fieldset>
      {isLoad ? <LoadForm load={load} error={error} change={(next) => change({ load: next })} /> : null}
      <button type="submit" class="button primary">
        {isLoad ? 'Run the load test' : 'Certify'}
      </button>
      <FormFailure error={error} fields={[...urls, ...loadFields]} />
    </form>
  )
}
