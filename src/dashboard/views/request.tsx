/** One call of the journal, and what the signature doctor says of it. */
import type { LoggedCallInFull, SignatureReport } from '../../client/types/control.js'
import { Code } from '../parts/code.js'
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
              {row.signature === undefined ? null : <Doctor report={row.signature} />}
              <Panel title="Request">
                {row.request_body === null ? (
                  <p class="faint">No body.</p>
                ) : (
                  <Code text={row.request_body} label="Body" what="the request body" />
                )}
              </Panel>
              <Panel title="Answer">
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
