/** One call of the journal, and what the signature doctor says of it. */
import type { Credential, LoggedCallInFull, SignatureReport } from '../../client/types/control.js'
import { callHeaders } from '../../protocol/platform/headers.js'
import { tokenPath } from '../../protocol/platform/shell.js'
import { apiCurl, tokenCurl } from '../curl.js'
import { Code, Headers } from '../parts/code.js'
import { Id } from '../parts/copy.js'
import { Facts, Head, Loaded, Panel } from '../parts/layout.js'
import { HttpStatus, Moment, Pill, Said, Took } from '../parts/text.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'

export const RequestView = ({ id }: { id: string }) => {
  const query = useQuery('GET /requests/{id}', { params: { id } }, [])
  return (
    <Loaded of={query}>
      {(row) => (
        <>
          <Head
            title={`${row.method} ${row.path}`}
            heading={
              <>
                <Said>{`${row.method} ${row.path}`}</Said> <HttpStatus status={row.status} />
              </>
            }
            crumb={{ href: link('journal'), text: 'Journal' }}
          />
          <div class="columns">
            <div class="column wide">
              {row.warnings.length === 0 ? null : <Warnings warnings={row.warnings} />}
              {row.signature === undefined ? null : <Doctor report={row.signature} />}
              <Again row={row} />
              <Panel title="Request">
                <Headers headers={row.request_headers} label="Headers" />
                {row.request_body === null ? (
                  <p class="faint">No body.</p>
                ) : (
                  <Code text={row.request_body} label="Body" what="the request body" />
                )}
              </Panel>
              <Panel title="Answer">
                <Headers headers={row.response_headers} label="Headers" />
                {row.response_body === null ? (
                  <p class="faint">No body.</p>
                ) : (
                  <Code text={row.response_body} label="Body" what="the answer" />
                )}
              </Panel>
            </div>
            <div class="column">
              <Panel title="Details">
                <CallFacts row={row} />
              </Panel>
            </div>
          </div>
        </>
      )}
    </Loaded>
  )
}

/** A command that makes the call again: with the credential that made it, or the first one that may. */
const Again = ({ row }: { row: LoggedCallInFull }) => {
  const accounts = useQuery('GET /accounts', {}, ['account', 'workspace'])
  const credentials = accounts.data?.data.flatMap((account) => account.credentials) ?? []
  const credential =
    credentials.find(({ client_id }) => client_id === row.credential) ?? credentials.find(({ active }) => active)
  const command = credential === undefined ? null : commandOf(row, credential)
  return command === null ? null : (
    <Panel title="Again">
      <Code text={command} label="Terminal" what="the command" />
    </Panel>
  )
}

/** Null where the call had files, which are not kept. */
function commandOf({ method, path, request_headers, request_body, signature }: LoggedCallInFull, by: Credential) {
  if (path === tokenPath) return tokenCurl(by)
  if (request_headers['content-type']?.startsWith('multipart/')) return null
  const signed = signature !== undefined || callHeaders.signature.toLowerCase() in request_headers
  return apiCurl(by, { method, path, signed, body: request_body ?? '' })
}

const CallFacts = ({ row }: { row: LoggedCallInFull }) => (
  <Facts
    rows={[
      ['request_id', <Id id={row.request_id} what="the request id" />],
      ['at', <Moment iso={row.at} />],
      ['took', <Took ms={row.duration_ms} />],
      ['error', row.error_code === null ? null : <code>{row.error_code}</code>],
      ['account', row.account],
      ['credential', row.credential === null ? null : <Said>{row.credential}</Said>],
      ['scenario', row.scenario === undefined ? null : <a href={link('scenarios', row.scenario)}>{row.scenario}</a>],
      ['faults', row.faults === undefined ? null : row.faults.join(', ')],
    ]}
  />
)

const Warnings = ({ warnings }: Pick<LoggedCallInFull, 'warnings'>) => (
  <Panel title="Warnings" tools={<span class="faint">Probable mistakes</span>}>
    <ul class="warnings">
      {warnings.map(({ code, message }) => (
        <li key={`${code} ${message}`}>
          <code>{code}</code> <Said>{message}</Said>
        </li>
      ))}
    </ul>
  </Panel>
)

const Doctor = ({ report }: { report: SignatureReport }) => (
  <Panel
    title="Signature doctor"
    tools={<Pill status={report.verdict} tone={report.verdict === 'valid' ? 'ok' : 'bad'} />}
  >
    {report.hint === null ? null : (
      <p class="hint-box">
        <Said>{report.hint}</Said>
      </p>
    )}
    <Code text={report.string_to_sign} label="What had to be signed: timestamp.nonce.body" what="the string to sign" />
    <div class="hex-pair">
      <span class="step-name">X-Signature that was expected</span>
      <code class="hex">
        <Said>{report.expected === '' ? 'It needs all three headers' : report.expected}</Said>
      </code>
      <span class="step-name">X-Signature that came</span>
      <code class={`hex${report.received === report.expected ? '' : ' differs'}`}>
        <Said>{report.received === '' ? 'None' : report.received}</Said>
      </code>
    </div>
  </Panel>
)
