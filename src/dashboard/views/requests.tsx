/** The request log: the calls of the integrator, and one call with the report of the signature doctor. */
import { parseUntrustedJson } from '../../base/json.js'
import { fieldAt, fieldsIn } from '../../base/unknown.js'
import type { Credential, LoggedCall, LoggedCallDetails, SignatureReport } from '../../client/types/control.js'
import { labelOf } from '../../protocol/platform/fields.js'
import { requestHeaders, tokenPath } from '../../protocol/platform/headers.js'
import { isDropped } from '../../protocol/platform/payments.js'
import { duration, faultText, runOf, sentence, statusName } from '../format.js'
import { said, t } from '../language.js'
import { CallBody, Code, Headers } from '../parts/code.js'
import { detailView } from '../parts/detail-view.js'
import { Details } from '../parts/forms/controls.js'
import { chargeCurl, Facts, Failure, NextStep, Panel } from '../parts/layout.js'
import { listView } from '../parts/list-view.js'
import { Linked, OnCard, OnMedium, RowLink } from '../parts/table.js'
import { Duration, Fault, HttpStatus, Id, Moment, Money, None, Pill, TimeOfDay, WrappedText } from '../parts/text.js'
import { PaidTwice } from '../parts/timeline/calls.js'
import { Reference } from '../parts/transactions.js'
import { apiCurl, tokenCurl } from '../platform-api.js'
import { useAccounts } from '../store/query.js'
import { link } from '../store/route.js'

export const [RequestView, RequestPreview] = detailView({
  source: 'GET /requests/{id}',
  watch: [],
  title: (row) => `${row.method} ${row.path}`,
  heading: (row) => (
    <>
      <WrappedText>{`${row.method} ${row.path}`}</WrappedText> <HttpStatus of={row} />
    </>
  ),
  crumb: () => ({ href: link('requests'), text: 'Request log' }),
  main: ({ row }) => (
    <>
      <Rejection row={row} />
      <LostResponse row={row} />
      {row.warnings.length === 0 ? null : <WarningsPanel warnings={row.warnings} />}
      {row.signature === undefined ? null : <Doctor report={row.signature} row={row} />}
      <Message row={row} side="request" />
      {row.status === 0 ? null : <Message row={row} side="response" />}
      <Replay row={row} />
    </>
  ),
  side: ({ row }) => (
    <Panel title="Details">
      <CallFacts row={row} />
    </Panel>
  ),
})

/** Why the call was rejected: what its response says. */
const Rejection = ({ row: { error_code: code, response_body: body, status } }: { row: LoggedCallDetails }) => {
  const { message, details } = fieldsIn(fieldAt(parseUntrustedJson(body ?? ''), 'error'))
  return code === null || typeof message !== 'string' ? null : (
    <Failure isNote error={{ code, message, status, details: fieldsIn(details) }} />
  )
}

/** That your app got no response, why, and what the platform has done. */
const LostResponse = ({ row }: { row: LoggedCallDetails }) => {
  const objects = namedIn(row.response_body).filter(([, value]) => value !== null)
  return !isDropped(row) ? null : (
    <div class="failure reason">
      <p>
        <strong>Your app got no response.</strong> <Fault of={row} />
      </p>
      <p>
        {row.status === 0 ? (
          'The platform did not process the call: nothing was created or changed.'
        ) : (
          <>
            The platform responded with <strong>{row.status}</strong>.
          </>
        )}
      </p>
      <PaidTwice entry={row} by="later" />
      {objects.length === 0 ? null : <Facts rows={objects} />}
    </div>
  )
}

const Message = ({ row, side }: { row: LoggedCallDetails; side: 'request' | 'response' }) => {
  const headers = row[`${side}_headers`]
  return (
    <Panel title={sentence(side)}>
      <CallBody row={row} side={side} />
      <Details summary={t`Headers: ${Object.keys(headers).length}`}>
        {() => <Headers headers={headers} label="Headers" />}
      </Details>
    </Panel>
  )
}

/** A command that repeats the call with the credential that made it, or else with the first active one. */
const Replay = ({ row }: { row: LoggedCallDetails }) => {
  const accounts = useAccounts()
  const credentials = accounts.data?.data.flatMap((account) => account.credentials) ?? []
  const credential =
    credentials.find(({ client_id }) => client_id === row.credential) ?? credentials.find(({ active }) => active)
  const command = credential === undefined ? null : commandOf(row, credential)
  return command === null ? null : (
    <Panel title="Replay">
      <Code text={command} label="Terminal" noun="the command" />
    </Panel>
  )
}

/** Null for a call with files: the log does not store them. */
function commandOf({ method, path, request_headers, request_body, signature }: LoggedCallDetails, by: Credential) {
  if (path === tokenPath) return tokenCurl(by)
  if (request_headers['content-type']?.startsWith('multipart/')) return null
  const signed = signature !== undefined || requestHeaders.signature.toLowerCase() in request_headers
  return apiCurl(by, { method, path, signed, body: request_body ?? '' })
}

/** Fields of a response with the id of an object, and the page of such objects. */
const objectPages = { transaction_id: 'transactions', infraction_id: 'disputes', wallet_id: 'wallets' }

/** Links to the objects that a response names. */
const namedIn = (body: string | null) => {
  const data = fieldsIn(fieldAt(parseUntrustedJson(body ?? ''), 'data'))
  return Object.entries(objectPages).map(([name, page]) => {
    const id = data[name]
    const isId = typeof id === 'string' || typeof id === 'number'
    return [
      labelOf(name),
      isId ? (
        <a href={link(page, id)}>
          <code>{id}</code>
        </a>
      ) : null,
    ] as const
  })
}

const CallFacts = ({ row }: { row: LoggedCallDetails }) => {
  const runId = runOf(row)
  return (
    <Facts
      rows={[
        ['Request id', <Id id={row.request_id} noun="the request id" />],
        ['Received', <Moment iso={row.at} dated />],
        ['Duration', <span class="num">{duration(row.duration_ms)}</span>],
        ...namedIn(row.response_body),
        ['Error', row.error_code === null ? null : <code>{row.error_code}</code>],
        ['Account', row.account],
        ['Credential', row.credential === null ? null : <WrappedText>{row.credential}</WrappedText>],
        ['Scenario', row.scenario === undefined ? null : <a href={link('scenarios', row.scenario)}>{row.scenario}</a>],
        ['Fault', faultText(row)],
        ['Run id', runId === undefined ? null : <a href={link('runs', runId)}>{runId}</a>],
      ]}
    />
  )
}

type Warning = LoggedCall['warnings'][number]

/** In the language of the page: the field, and the one that was meant, are values. */
function warningText({ message, field = '' }: Warning): string {
  const [said = '', guess] = message.split('; did you mean ')
  const own = t(`${said.replace(field, field && '{}')}${guess === undefined ? '' : '.'}`).replace('{}', () => field)
  return guess === undefined ? own : own.slice(0, -1) + t`; did you mean ${guess}`
}

const WarningsPanel = ({ warnings }: Pick<LoggedCallDetails, 'warnings'>) => (
  <Panel title="Warnings" tools={<span class="faint">Probable mistakes</span>}>
    <ul class="warnings">
      {warnings.map((warning) => {
        const own = warningText(warning)
        return (
          <li key={`${warning.code} ${own}`} lang={own === warning.message ? 'en' : undefined}>
            <code>{warning.code}</code> <Linked text={own} />
          </li>
        )
      })}
    </ul>
  </Panel>
)

/** A number that reads as another time than that of the sandbox's clock. The hint of a wrong time explains it already. */
const isOffClock = ({ request_headers, at, signature }: LoggedCallDetails) =>
  signature?.verdict !== 'bad_timestamp' &&
  Math.abs(Number(request_headers[requestHeaders.timestamp.toLowerCase()]) * 1000 - Date.parse(at)) > 60_000

const Doctor = ({ report, row }: { report: SignatureReport; row: LoggedCallDetails }) => (
  <Panel
    title="Signature doctor"
    tools={<Pill status={report.verdict} tone={report.verdict === 'valid' ? 'ok' : 'bad'} />}
  >
    {report.hint === null ? null : (
      <p class="hint-box" lang={said(report.hint) === report.hint ? 'en' : undefined}>
        <WrappedText>{said(report.hint)}</WrappedText>
      </p>
    )}
    <Code
      text={report.string_to_sign}
      label={
        report.string_to_sign.includes('\n')
          ? 'String to sign: timestamp.nonce.body'
          : 'String to sign: timestamp.nonce.body, all in one line'
      }
      noun="the string to sign"
    />
    {isOffClock(row) ? (
      <p class="faint">{requestHeaders.timestamp} is compared with real time, not with the sandbox's clock.</p>
    ) : null}
    <div class="hex-pair">
      <span class="step-name">{requestHeaders.signature} expected</span>
      <code class="hex">
        <WrappedText>{report.expected === '' ? 'All three headers are required' : report.expected}</WrappedText>
      </code>
      <span class="step-name">{requestHeaders.signature} received</span>
      <code class={`hex${report.received === report.expected ? '' : ' differs'}`}>
        <WrappedText>{report.received === '' ? 'None' : report.received}</WrappedText>
      </code>
    </div>
  </Panel>
)

const Warnings = ({ row: { warnings } }: { row: Pick<LoggedCall, 'warnings'> }) =>
  warnings.length === 0 ? null : (
    <span title={warnings.map(warningText).join(' ')}>
      <Pill status={warnings.length === 1 ? '1 warning' : t`${warnings.length} warnings`} tone="warning" />
    </span>
  )

const referenceOf = ({ external_id = '' }: LoggedCall) =>
  external_id && <Reference row={{ external_id, transaction_id: null }} />

/** With two decimals at least, like every amount; what is no amount, as the call has it. */
const amountOf = ({ amount, currency = '' }: LoggedCall) =>
  amount === undefined ? null : /^\d{1,15}(\.\d{1,18})? \w{3,5}$/.test(`${amount} ${currency}`) ? (
    <Money
      amount={amount.replace(/(?:\.(\d*))?$/, (_, cents = '') => `.${cents.padEnd(2, '0')}`)}
      currency={currency}
    />
  ) : (
    <WrappedText clamp>{`${amount} ${currency}`}</WrappedText>
  )

export const RequestsView = listView({
  source: 'GET /requests',
  title: 'Request log',
  noMatch: 'No request matches',
  watch: ['request', 'workspace'],
  filters: [
    {
      ...{ name: 'warnings', label: 'Warnings', choices: ['true', 'false'], chips: true },
      words: (choice) =>
        choice === 'true' ? 'With warnings' : choice === 'false' ? 'Without warnings' : statusName(choice, 'Requests'),
    },
    { name: 'status', label: 'HTTP status' },
    { name: 'error_code', label: 'Error code' },
    { name: 'method', label: 'Method', choices: ['GET', 'POST'] },
    { name: 'path', label: 'Path' },
    { name: 'account', label: 'Account' },
  ],
  table: {
    label: 'Requests',
    keyOf: (row) => row.request_id,
    at: (row) => row.at,
    columns: [
      { name: 'Status', card: 'badge', cell: (row) => <HttpStatus of={row} /> },
      {
        ...{ name: 'Request', card: 'title' },
        cell: (row) => (
          <RowLink href={link('requests', row.request_id)} id={row.request_id}>
            <WrappedText clamp>{`${row.method} ${row.path}`}</WrappedText>
            <OnMedium>
              {amountOf(row)} {referenceOf(row) || row.account}
            </OnMedium>
          </RowLink>
        ),
      },
      { name: 'Amount', alignEnd: true, spare: 'medium', cell: (row) => amountOf(row) ?? <None /> },
      { name: 'Reference', spare: 'medium', cell: (row) => referenceOf(row) || <None /> },
      {
        ...{ name: 'Problem', card: 'sub' },
        cell: (row) => (
          <>
            {[amountOf(row), referenceOf(row), row.account].map((part) => part && <OnCard>{part}</OnCard>)}{' '}
            {row.error_code === null ? null : <code>{row.error_code}</code>} <Fault of={row} /> <Warnings row={row} />
          </>
        ),
      },
      { name: 'Account', spare: 'medium', cell: (row) => row.account ?? <None /> },
      { name: 'Duration', alignEnd: true, spare: 'small', cell: (row) => <Duration ms={row.duration_ms} /> },
      { name: 'Time', alignEnd: true, card: 'aside', cell: (row) => <TimeOfDay iso={row.at} /> },
    ],
  },
  preview: RequestPreview,
  empty: () => (
    <NextStep title="No request yet" curl={(credential) => chargeCurl(credential)}>
      The requests of your app to the platform API appear on this page. This command sends two: one gets a token, and
      one creates a charge.
    </NextStep>
  ),
})
