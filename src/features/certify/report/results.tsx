/** The rules of a report as rows of the page of results. */
import type { Child } from 'hono/jsx/dom'
import {
  Code,
  Details,
  Head,
  Headers,
  link,
  Pill,
  Prose,
  type ResultRow,
  Results,
  sentence,
  t,
} from '../../../inside/pages.js'
import type { RuleReport } from './evidence.js'
import { type CertifyPage, onPage, type Report, resultWord, sourceText } from './rules.js'

const verdictTones = { passed: 'ok', failed: 'bad', incomplete: 'warning' } as const

const tabs = [
  ['Certify a receiver', 'Receiver', link('certify')],
  ['Certify a client', 'Client', link('certify', 'client')],
  ['Certify your ledger', 'Ledger', link('certify', 'books')],
] as const

interface CertifyHeadProps {
  title: (typeof tabs)[number][0]
  /** Nothing was certified yet without it. */
  report: (Pick<Report, 'verdict' | 'rules'> & { load?: unknown }) | null
}

/** `Passed` alone would say that everything was tested. */
const Verdict = ({ report: { verdict, rules, load } }: { report: NonNullable<CertifyHeadProps['report']> }) => {
  const skipped = rules.filter(({ result }) => result === 'skipped').length
  const isPart = load === undefined && verdict === 'passed' && skipped > 0
  const counts = t`Passed · ${rules.length - skipped} tested, ${skipped} skipped`
  const words = isPart ? counts : load ? `load test ${verdict}` : verdict
  return <Pill status={words} tone={isPart ? 'info' : verdictTones[verdict]} />
}

/** The head of the three pages, with links to the others. */
export const CertifyHead = ({ title, report }: CertifyHeadProps) => (
  <>
    <Head title={title} pill={report === null ? null : <Verdict report={report} />} />
    <nav class="tabs" aria-label="What to certify">
      {tabs.map(([page, label, href]) => (
        <a key={label} href={href} aria-current={page === title ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  </>
)

/** Subjects of rules, by the first part of their ids; any other part is its own word. */
const subjects: Readonly<Record<string, string>> = {
  accept: 'Accepted events',
  answer: 'Response times',
  answers: 'Responses',
  different: 'Similar events',
  duplicate: 'Duplicate events',
  durable: 'Restarts',
  effect: 'What the app did',
  missed: 'Missed events',
  production: 'Production mode',
  refund: 'Refunds',
  refuse: 'Rejected events',
  repeat: 'Repeated calls',
  sign: 'Signatures',
  token: 'Tokens',
  wait: 'Rate limits',
}

const groupOf = (rule: string): string => {
  const [subject = rule] = rule.split('.')
  return subjects[subject] ?? sentence(subject)
}

/** `found`: instead of what was observed, below the requirement. */
function ruleRow(rule: RuleReport, found: Child): ResultRow {
  const { id, result, observed, fix, check, reason = result === 'inconclusive' ? observed : undefined } = rule
  const isSaid = result === 'passed' || reason === observed || found !== null
  return {
    ...{ name: id, result: resultWord(rule), title: rule.requirement, reason },
    group: reason === undefined ? groupOf(id) : sentence(result),
    observed: isSaid ? undefined : observed,
    details: () => <RuleDetails rule={rule} found={found} />,
    issue: [isSaid ? observed : null, `Fix: ${fix}`, `Check: ${check}`, sourceText(rule.source), evidenceText(rule)],
  }
}

function evidenceText({ evidence }: RuleReport): string | null {
  if (evidence === null) return null
  const { request, answer } = evidence
  return [
    '```',
    `POST ${request.url}`,
    request.body,
    '',
    `${answer.status ?? answer.outcome} ${answer.body ?? ''}`,
    '```',
  ].join('\n')
}

/** Observation, fix, check, and what was sent beside what was answered. */
const RuleDetails = ({ rule, found }: { rule: RuleReport; found: Child }) => (
  <>
    {rule.result === 'passed' ? <p lang="en">{rule.observed}</p> : found}
    {rule.result === 'failed' ? (
      <p class="hint-box" lang="en">
        <Prose text={rule.fix} />
      </p>
    ) : null}
    <p class="faint" lang="en">
      Check: {rule.check} {sourceText(rule.source)}
    </p>
    {rule.evidence === null ? null : <Evidence evidence={rule.evidence} />}
  </>
)

const Evidence = ({ evidence: { request, answer } }: { evidence: NonNullable<RuleReport['evidence']> }) => (
  <Details summary="What was sent and answered">
    {() => (
      <div class="exchange">
        <div>
          <Headers headers={request.headers} label={t`Sent to ${request.url}`} />
          <Code text={request.body} label="Body" noun="the body" />
        </div>
        <div>
          <p>
            Response: {answer.status ?? answer.outcome} after {answer.duration_ms} ms
          </p>
          {answer.body === null || answer.body === '' ? (
            <p class="faint">The response has no body.</p>
          ) : (
            <Code text={answer.body} label="Response" noun="the response" />
          )}
        </div>
      </div>
    )}
  </Details>
)

interface RequirementsProps {
  page: CertifyPage
  report: Pick<Report, 'rules'>
  /** What a failed rule found, if the page shows it in another form than the report. */
  found?: (rule: RuleReport) => Child
  /** Added to the counts. */
  note?: string | undefined
  /** Requirements without a result. */
  left?: number | undefined
}

export const Requirements = ({ page, report, found, note, left }: RequirementsProps) => {
  const say = (text: string) => onPage(text, page)
  const shown = ({ observed, fix, check, reason, ...rule }: RuleReport): RuleReport => ({
    ...{ ...rule, observed: say(observed), fix: say(fix), check: say(check), reason: reason && say(reason) },
  })
  return (
    <Results
      title="Requirements"
      rows={report.rules.map((rule) => ruleRow(shown(rule), found?.(rule) ?? null))}
      {...{ note, left }}
    />
  )
}
