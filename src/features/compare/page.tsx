/** The page that compares a recording with the sandbox: drop a file; findings are shown by verdict. */
import type { Comparison } from '../../inside/client.js'
import {
  Both,
  both,
  Code,
  control,
  coverageText,
  Details,
  divergenceText,
  Empty,
  Facts,
  type Failed,
  Failure,
  FileDrop,
  Head,
  Panel,
  Pill,
  Prose,
  type ResultRow,
  Results,
  Said,
  said,
  t,
  useQuery,
  useState,
  useWork,
} from '../../inside/pages.js'
import { leftOutText, passes, valueText, verdictNames, verdicts } from './judge/verdicts.js'

type Found = Comparison['findings'][number]

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const recordCommand = 'payments-sandbox record --target https://api.example.com --out calls.har'

export const CompareView = () => {
  const { result, error, busy, run } = useWork<{ name: string; report: Comparison }>('comparison')
  const [name, setName] = useState('')
  const compare = (file: File) => {
    setName(file.name)
    return run(async () => ({
      name: file.name,
      report: await control.call('POST', '/compare', await file.text(), { contentType: 'application/json' }),
    }))
  }
  const choose = {
    label: 'Recording',
    accept: '.har,application/json',
    disabled: false,
    choose: (file: File) => void compare(file),
  }
  const start = busy ? <Running name={name} /> : <Start drop={choose} error={error} name={name} />
  return (
    <>
      <Head
        title="Comparison with the platform"
        pill={result === null ? null : <Difference report={result.report} />}
      />
      <Panel flush={busy}>
        {result === null ? start : <FileDrop {...choose} name={result.name} button="Choose another file" />}
      </Panel>
      {result === null ? null : <Report report={result.report} />}
      <Fidelity />
    </>
  )
}

const Running = ({ name }: { name: string }) => (
  <div role="status">
    <Empty title={t`Comparing ${name}…`}>
      Repeats its calls in a temporary sandbox, and compares every response and webhook.
    </Empty>
  </div>
)

interface StartProps {
  drop: Pick<Parameters<typeof FileDrop>[0], 'label' | 'accept' | 'disabled' | 'choose'>
  error: Failed | null
  /** Of the file that could not be compared. */
  name: string
}

/** How to get a recording, and what a comparison is for. */
const Start = ({ drop, error, name }: StartProps) => (
  <ol class="steps narrow">
    <li>
      <span class="step-name">Record the calls of your app to the platform</span>
      <Code text={recordCommand} label="Terminal" noun="the command" />
      <span class="hint">A HAR export of a browser or a proxy works too.</span>
    </li>
    <li>
      <span class="step-name">Choose the recording</span>
      <FileDrop {...drop} name={error === null ? undefined : name} tone="primary" button="Choose a HAR file" />
      {error === null ? null : error.code === 'INVALID_VALUE' ? (
        <div class="failure" role="alert">
          <p>{error.message}</p>
        </div>
      ) : (
        <Failure error={error} />
      )}
    </li>
    <li>
      <span class="step-name">Configure the sandbox like the platform</span>
      <span class="hint">
        The findings name the settings that make the sandbox answer as the platform does, where a setting exists.
      </span>
    </li>
  </ol>
)

/** What is known of the sandbox itself: the figures that the sidebar leads to. */
const Fidelity = () => {
  const { data } = useQuery('GET /fidelity', {}, ['workspace'])
  return data === undefined ? null : (
    <Panel title="How close is the sandbox to the platform?">
      <p class="hint">
        <Prose text="Figures of the recordings that come with the sandbox, not of your file. A rule is a sentence of the documentation, or an assumption. `payments-sandbox probe` finds the rules that differ." />
      </p>
      <Facts
        rows={[
          ['Rules with a probe', coverageText(data)],
          [
            'Rules that differ',
            data.divergence === 'unknown'
              ? 'Unknown: no recording of the real platform comes with it'
              : divergenceText(data),
          ],
        ]}
      />
    </Panel>
  )
}

const Difference = ({ report: { findings } }: { report: Comparison }) => (
  <Pill {...(findings.every(isEqual) ? { status: 'equal', tone: 'ok' } : { status: 'different', tone: 'warning' })} />
)

const Report = ({ report }: { report: Comparison }) => (
  <Results
    title="Findings"
    rows={verdictNames.flatMap((verdict) => rowsOf(report.findings.filter((one) => one.verdict === verdict)))}
    note={t`Compared: ${[
      report.exchanges === 1 ? t('1 call') : t`${report.exchanges} calls`,
      report.webhooks === 0 ? '' : report.webhooks === 1 ? t('1 webhook') : t`${report.webhooks} webhooks`,
      report.fields === 1 ? t('1 field') : t`${report.fields} fields`,
    ]
      .filter(Boolean)
      .join(', ')}`}
  >
    {report.findings.length === 0 ? <li>No difference.</li> : null}
    {report.left_out.map((one) => (
      <li key={one.reason} class="faint">
        <p>
          <Said text={new Both(leftOutText(one, said), leftOutText(one))} />
        </p>
      </li>
    ))}
  </Results>
)

const isEqual = ({ verdict }: Found) => passes(verdict)

/** In one language: sentences without a translation keep the others in English. */
function bothOf(...english: readonly string[]): Both {
  const own = english.map(said)
  const isKnown = own.every((text, at) => text !== english[at])
  return new Both((isKnown ? own : english).join(' '), english.join(' '))
}

/** `absent` is a word; other values are JSON. */
const shownValue = (one: Found, side: 'platform' | 'sandbox') => t(valueText(one, side))

/** Longest value in a title; a longer one stands in the details. */
const titleChars = 40
function inTitle(one: Found, side: 'platform' | 'sandbox'): Both {
  const text = valueText(one, side)
  if (text.length <= titleChars) return both(text)
  if (typeof one[side] === 'object') return both(Array.isArray(one[side]) ? 'a list' : 'an object')
  return both`${text.slice(0, titleChars - 1)}…`
}

const titleOf = (one: Found): Both =>
  isEqual(one)
    ? bothOf(one.about)
    : both`\`${one.path}\`: ${inTitle(one, 'platform')} on the platform, ${inTitle(one, 'sandbox')} in the sandbox`

const tones = { passed: 'ok', warning: 'warning', failed: 'bad' } as const

type Alike = readonly [Found, ...Found[]]

function alike(findings: readonly Found[], keyOf: (one: Found) => string): Alike[] {
  const groups = new Map<string, [Found, ...Found[]]>()
  for (const one of findings) {
    const same = groups.get(keyOf(one))
    if (same === undefined) groups.set(keyOf(one), [one])
    else same.push(one)
  }
  return [...groups.values()]
}

/** Findings that read the same, for example of several calls, are one row. */
const rowsOf = (findings: readonly Found[]): ResultRow[] =>
  alike(findings, (one) => `${titleOf(one).english}\n${one.about}`).map(rowOf)

function rowOf(same: Alike): ResultRow {
  const [one] = same
  const { title: group, kind: status, meaning: about, outcome } = verdicts[one.verdict]
  const [meaning, kind] = [bothOf(about), { status, tone: tones[outcome] }]
  const places = same.reduce((sum, { places }) => sum + places, 0)
  const aside = (
    <span class="faint">
      {same.length === 1 ? null : `${t`${same.length} findings`} · `}
      {places === 1 ? '1 place' : t`${places} places`}
    </span>
  )
  const details = () =>
    alike(same, ({ platform, sandbox, absent, documented, setting, value }) =>
      JSON.stringify([platform, sandbox, absent, documented, setting, value]),
    ).map((all) => <FindingDetails key={`${all[0].call} ${all[0].path}`} all={all} />)
  const row = { group, meaning, kind, aside, details, name: `${one.call} ${one.path}`, title: titleOf(one) }
  if (isEqual(one)) return { ...row, result: 'equal' }
  const observed = bothOf(one.about)
  const issues = same.flatMap((each) => [
    each === one ? null : `\`${each.call} ${each.path}\``,
    `Platform: \`${valueText(each, 'platform')}\``,
    `Sandbox: \`${valueText(each, 'sandbox')}\``,
  ])
  return { ...row, result: 'different', observed, issue: [observed.english, about, ...issues, one.documented] }
}

/** Other calls of a finding that are listed. */
const mostCalls = 12

const Place = ({ one: { call, path, places, exchange, calls } }: { one: Found }) => {
  const others = calls.filter((other) => other !== call)
  return (
    <p class="faint">
      <code>
        {call} {path}
      </code>
      , {places === 1 ? t`in entry ${exchange} of the recording` : t`first in entry ${exchange} of the recording`}
      {others.length === 0 ? null : (
        <>
          . Also in:{' '}
          <code>{[...others.slice(0, mostCalls), ...(others.length > mostCalls ? ['…'] : [])].join(', ')}</code>
        </>
      )}
    </p>
  )
}

/** A longer value is folded. */
const maxOpenChars = 400

/** A value that is too long for a title is indented, below its side. */
const Value = ({ label, text }: { label: string; text: string }) => {
  const code = () => <Code {...{ label, text }} noun="the value" />
  if (text.length <= titleChars)
    return (
      <p>
        {t(label)}: <code>{text}</code>
      </p>
    )
  return text.length <= maxOpenChars ? code() : <Details summary={label}>{code}</Details>
}

/** The places of findings with the same values, then these. */
const FindingDetails = ({ all }: { all: Alike }) => {
  const [one] = all
  return (
    <>
      {all.map((each) => (
        <Place key={`${each.call} ${each.path}`} one={each} />
      ))}
      {isEqual(one) ? null : (
        <>
          <div class="exchange">
            <Value label="Platform" text={shownValue(one, 'platform')} />
            <Value label="Sandbox" text={shownValue(one, 'sandbox')} />
          </div>
          {one.documented === null ? null : (
            <p class="faint">
              Documented: <Said text={bothOf(one.documented)} />
            </p>
          )}
        </>
      )}
      {one.setting === null || one.value === null || one.value === undefined ? null : (
        <p class="hint-box">
          Set in your configuration:{' '}
          <code>
            {one.setting}: {shown(one.value)}
          </code>
        </p>
      )}
    </>
  )
}
