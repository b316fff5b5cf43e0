/** Certifies a receiver: shows each result as soon as it is known, then what was observed and how to fix failures. */
import { useRef, useState } from 'hono/jsx/dom'
import type { Certificate, RouteInput } from '../../../inside/client.js'
import {
  call,
  controlCurl,
  Empty,
  type Failed,
  type Field,
  FormFailure,
  FormFields,
  listen,
  Panel,
  Results,
  useAccounts,
  useLayoutEffect,
  useWork,
} from '../../../inside/pages.js'
import {
  LoadCharts,
  type LoadFields,
  LoadForm,
  LoadResults,
  loadFields,
  loadOf,
  noLoad,
  type Span,
} from '../load/charts.js'
import type { LiveResult } from '../report/evidence.js'
import { CertifyHead, liveRow, Requirements } from '../report/results.js'
import { testEventsNotice } from './timing.js'

function useCertification() {
  const { result, error, busy, run } = useWork<{ report: Certificate; url: string }>('receiver')
  const [live, setLive] = useState<readonly LiveResult[]>([])
  const [spans, setSpans] = useState<readonly Span[]>([])
  const running = useRef('')
  useLayoutEffect(
    () =>
      listen((changes) => {
        if (changes === 'everything') return
        const more = changes.filter(({ type, id }) => type === 'certify' && id === running.current)
        if (more.length === 0) return
        setLive((before) => [...before, ...more.filter(hasRule).map(liveResultOf)])
        setSpans((before) => [...before, ...more.flatMap((change) => spanOf(change))])
      }),
    [],
  )
  const certify = async (request: CertifyRequest) => {
    const id = `page-${Math.random().toString(36).slice(2)}`
    running.current = id
    setLive([])
    setSpans([])
    await run(async () => ({
      report: await call('POST /certify/receiver', { body: { ...request, run: id } }),
      url: request.url,
    }))
  }
  return { live, spans, result, error, busy, certify }
}

const hasRule = (change: object) => 'rule' in change
/** A change about a load has the span that ended, or a step of the search for the limit. */
const spanOf = ({ load }: Record<string, unknown>): Span[] => [(load as { span?: Span } | undefined)?.span ?? []].flat()
const liveResultOf = (change: object): LiveResult => ({ rule: '', status: 'inconclusive', observed: '', ...change })

export const CertifyView = () => {
  const { live, spans, result, error, busy, certify } = useCertification()
  const report = result?.report ?? null
  const [fields, setFields] = useState<Typed>({ url: null, stateUrl: '', load: noLoad })
  const accounts = useAccounts()
  const urls = (accounts.data?.data ?? []).flatMap((account) => account.credentials).map((one) => one.postback_url)
  const receiver = result?.url ?? urls.find((url) => url !== null && !url.includes('/_sandbox/inbox/')) ?? firstUrl
  const url = fields.url ?? receiver
  const request = requestOf(fields, url)
  const change = (more: Partial<Typed>) => setFields((before) => ({ ...before, ...more }))
  return (
    <>
      <CertifyHead title="Certify a receiver" report={report} />
      <Panel>
        <p>
          Tests your webhook receiver with forged signatures, old timestamps, duplicates and reordered events. The test
          uses a temporary workspace and does not change this one. {testEventsNotice}
        </p>
        <CertifyForm {...{ fields: { ...fields, url }, busy, error, change, submit: () => void certify(request) }} />
        {report?.load === undefined ? null : (
          <p class="hint-box">
            Only <code>accept.signed</code> and the requirements under load were tested. To test the others, delete the
            rate.
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
      {report !== null ? (
        <Requirements report={report} />
      ) : live.length === 0 ? (
        <Panel title="Requirements" flush>
          <Empty
            title={busy ? 'Testing the first requirements' : 'No results yet'}
            curl={controlCurl('POST', '/certify/receiver', request)}
          >
            Press Certify, or run this command. Results appear one by one.
          </Empty>
        </Panel>
      ) : (
        <Results title="Requirements" rows={live.filter(({ blocked_by }) => blocked_by === undefined).map(liveRow)} />
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
}

const firstUrl = 'http://127.0.0.1:3000/webhooks'

const requestOf = ({ stateUrl, load }: Typed, url: string): CertifyRequest => ({
  ...{ url: url.trim(), ...loadOf(load) },
  ...(stateUrl.trim() === '' ? {} : { state_url: stateUrl.trim() }),
})

interface FormProps {
  fields: Typed & { url: string }
  busy: boolean
  error: Failed | null
  change: (more: Partial<Typed>) => void
  submit: () => void
}

const CertifyForm = ({ fields: { url, stateUrl, load }, busy, error, change, submit }: FormProps) => {
  const urls: readonly Field[] = [
    { name: 'url', label: 'Receiver URL', kind: 'url', required: true, value: url },
    {
      ...{ name: 'state_url', label: 'State URL', kind: 'url', value: stateUrl },
      hint: 'Needed to test what your app did with an event: duplicates, order, amounts and disputes. Must answer `GET ?transaction_id=…` with `{"status": "confirmed", "credited": "25.50"}`',
    },
  ]
  return (
    <form
      class="certify"
      data-focus
      onSubmit={(event: Event) => {
        event.preventDefault()
        if (!busy) submit()
      }}
    >
      <FormFields
        fields={urls}
        error={error}
        onInput={(name, next) => change(name === 'url' ? { url: next } : { stateUrl: next })}
      />
      <LoadForm load={load} error={error} change={(next) => change({ load: next })} />
      <button type="submit" class="button primary" disabled={busy}>
        {busy ? 'Testing…' : 'Certify'}
      </button>
      <FormFailure error={error} fields={[...urls, ...loadFields]} />
    </form>
  )
}
