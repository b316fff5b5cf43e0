/** The rules of a report as rows of the page of results. */
import type { Child } from 'hono/jsx/dom'
import {
  Both,
  Code,
  Details,
  Head,
  Headers,
  link,
  Pill,
  type ResultRow,
  Results,
  Said,
  said,
  sentence,
  t,
} from '../../../inside/pages.js'
import type { RuleReport } from './evidence.js'
import { type CertifyPage, groupOf, onPage, type Report, resultWord, sourceText } from './rules.js'

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
  /** The form is about a load test, which the report may not be. */
  isLoad?: boolean
}

/** `Passed` alone would say that everything was tested. */
const Verdict = ({
  report,
  isLoad,
}: Pick<CertifyHeadProps, 'isLoad'> & { report: NonNullable<CertifyHeadProps['report']> }) => {
  const { verdict, rules, load } = report
  const skipped = rules.filter(({ result }) => result === 'skipped').length
  const isPart = load === undefined && verdict === 'passed' && skipped > 0
  const counts = t`Passed · ${rules.length - skipped} tested, ${skipped} skipped`
  const failed = isLoad && verdict === 'failed' ? 'requirements failed' : verdict
  const words = isPart ? counts : load ? `load test ${verdict}` : failed
  return <Pill status={words} tone={isPart ? 'info' : verdictTones[verdict]} />
}

/** The head of the three pages, with links to the others. */
export const CertifyHead = ({ title, report, isLoad = false }: CertifyHeadProps) => (
  <>
    <Head title={title} pill={report === null ? null : <Verdict {...{ report, isLoad }} />} />
    <nav class="tabs" aria-label="What to certify">
      {tabs.map(([page, label, href]) => (
        <a key={label} href={href} aria-current={page === title ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  </>
)

/** `found`: instead of what was observed, below the requirement. */
function ruleRow(rule: RuleReport, page: CertifyPage, found: Child): ResultRow {
  const say = (text: string) => new Both(onPage(text, page, said), onPage(text, page))
  const { id, result, evidence } = rule
  const [observed, fix, check] = [say(rule.observed), say(rule.fix), say(rule.check)]
  const source = sourceText(rule.source)
  const reason = rule.reason ?? (result === 'inconclusive' ? rule.observed : undefined)
  const isSaid = result === 'passed' || reason === rule.observed || found !== null
  return {
    ...{ name: id, result: resultWord(rule), title: rule.requirement },
    ...(reason === undefined ? { group: groupOf(id) } : { group: sentence(result), reason: say(reason) }),
    observed: isSaid ? undefined : observed,
    // Observation, fix, check, and what was sent beside what was answered.
    details: () => (
      <>
        {result === 'passed' ? (
          <p>
            <Said text={observed} />
          </p>
        ) : (
          found
        )}
        {result === 'failed' && (
          <p class="hint-box">
            <Said text={fix} />
          </p>
        )}
        <p class="faint">
          Check: <Said text={check} /> <span lang="en">{source}</span>
        </p>
        {evidence && <Evidence {...evidence} />}
      </>
    ),
    issue: [
      observed.english,
      `Fix: ${fix.english}`,
      `Check: ${check.english}`,
      source,
      evidence && issueText(evidence),
    ],
  }
}

const issueText = ({ request, answer }: NonNullable<RuleReport['evidence']>) =>
  `\`\`\`\nPOST ${request.url}\n${request.body}\n\n${answer.status ?? answer.outcome} ${answer.body ?? ''}\n\`\`\``

const Evidence = ({ request, answer }: NonNullable<RuleReport['evidence']>) => (
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

export const Requirements = ({ page, report, found, note, left }: RequirementsProps) => (
  <Results
    title="Requirements"
    rows={report.rules.map((rule) => ruleRow(rule, page, found?.(rule) ?? null))}
    {...{ note, left }}
  />
)
