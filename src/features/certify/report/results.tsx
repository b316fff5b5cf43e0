/** The results of a certification in a list: each requirement, what was observed, the fix and the evidence. */
import type { Certificate } from '../../../inside/client.js'
import { Code, Headers, Pill, Prose, WrappedText } from '../../../inside/pages.js'
import { groupLine, onPage, results, resultWord, sourceText } from './rules.js'

type Rule = Certificate['rules'][number]

/** A result from the stream, shown until the report arrives. */
export interface LiveResult {
  rule: string
  status: string
  observed: string
  blocked_by?: string
}

/** Of results and verdicts. */
export const tones: Record<string, 'ok' | 'bad' | 'calm' | 'warning'> = {
  passed: 'ok',
  failed: 'bad',
  warning: 'warning',
  inconclusive: 'warning',
  incomplete: 'warning',
  skipped: 'calm',
}

export function formatCounts(
  report: { rules: readonly Pick<Rule, 'result'>[] } | null,
  live: readonly LiveResult[],
): string {
  const all = report === null ? live.map(({ status }) => status) : report.rules.map(({ result }) => result)
  if (all.length === 0) return ''
  return results.map((result) => `${all.filter((one) => one === result).length} ${result}`).join(', ')
}

export const LiveRow = ({ result }: { result: LiveResult }) => (
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
        <Pill status="inconclusive" tone={tones.inconclusive} />
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
          <Pill status={rule.result} tone={tones[resultWord(rule)]} />
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
            <Prose text={onPage(rule.fix)} />
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
