/** The results of a test on one page: how many of each kind, what failed and why, and the rest, grouped and folded. */
import { type Child, useRef } from 'hono/jsx/dom'
import { capitalized } from '../../base/text.js'
import { Both, both, language, t } from '../language.js'
import { Button } from './forms/controls.js'
import { Panel } from './layout.js'
import { copyToClipboard, Pill, Prose, type Tone, WrappedText } from './text.js'

/** In the order of the bar; the color of each. */
const resultTones = {
  failed: 'bad',
  different: 'warning',
  warning: 'warning',
  inconclusive: 'warning',
  passed: 'ok',
  equal: 'ok',
  skipped: 'calm',
  'to do': undefined,
} as const
type ResultName = keyof typeof resultTones
// The keys are those of the table.
const resultNames = Object.keys(resultTones) as ResultName[]

export interface ResultRow {
  /** As reports on the command line name it. */
  name: string
  result: ResultName
  /** Instead of the result in the pill, and its color. */
  kind?: { status: string; tone: Tone } | undefined
  title: string | Both
  /** What was seen, unless the title says it. */
  observed?: Both | undefined
  /** Rows of one subject are folded together. */
  group: string
  /** What its rows have in common: rows that ask for action are then in groups too, of which the first is open. */
  meaning?: Both | undefined
  /** Why it has no verdict: its group shows each reason once. */
  reason?: Both | undefined
  /** Instead of the name, at the end of the row. */
  aside?: Child
  details: () => Child
  /** What a maintainer needs, for an issue. */
  issue?: readonly (string | null | undefined)[]
}

interface ResultsProps {
  title: string
  rows: readonly ResultRow[]
  /** Added to the counts. */
  note?: string | undefined
  /** Rows whose result is not known yet. */
  left?: number | undefined
  children?: Child
}

/** On a screen where the explanations of all failures are longer than anybody scrolls, only the first one is open. */
const isPhone = () => matchMedia('(max-width: 35rem)').matches

const titleOf = ({ title }: ResultRow) => (title instanceof Both ? title : both(title))
const keyOf = (row: ResultRow) => `${row.name} ${titleOf(row).english}`

const isBad = ({ result }: ResultRow) => ['failed', 'different', 'warning'].includes(result)

const orderOf = ({ result }: ResultRow) => resultNames.indexOf(result)

type Counts = readonly (readonly [name: ResultName, count: number])[]

const countsOf = (rows: readonly ResultRow[], left = 0): Counts =>
  resultNames
    .map((name) => [name, name === 'to do' ? left : rows.filter(({ result }) => result === name).length] as const)
    .filter(([, count]) => count > 0)

const toneOf = ({ result, kind }: ResultRow): Tone | undefined => kind?.tone ?? resultTones[result]

/** The parts of the bar by color. */
const barOf = (rows: readonly ResultRow[], left = 0) =>
  [...new Set(Object.values(resultTones))]
    .map((tone) => [tone, tone === undefined ? left : rows.filter((row) => toneOf(row) === tone).length] as const)
    .filter(([, count]) => count > 0)

/** `2 failed, 1 warning, 12 passed` */
const countsText = (counts: Counts) =>
  counts
    .map(([name, count]) => (name === 'warning' && count > 1 ? t`${count} warnings` : `${count} ${t(name)}`))
    .join(', ')

export const Results = ({ title, rows, note = '', left, children }: ResultsProps) => {
  const bad = rows.filter(isBad)
  const others = rows.filter((row) => !isBad(row)).toSorted((one, other) => orderOf(one) - orderOf(other))
  const counts = countsOf(rows, left)
  const text = countsText(counts)
  return (
    <Panel
      title={title}
      flush
      tools={
        <>
          <span class="faint" role="status">
            <WrappedText>{[text, t(note)].filter((part) => part !== '').join(' · ')}</WrappedText>
          </span>
          {bad.length === 0 ? null : <CopyIssue heading={`${t(title)}: ${text}`} rows={bad} />}
        </>
      }
    >
      <div class="result-bar" aria-hidden="true">
        {barOf(rows, left).map(([tone, count]) => (
          <span key={tone} class={tone} style={`flex-grow: ${count}`} />
        ))}
      </div>
      <ul class="messages results">
        {bad.some(({ meaning }) => meaning !== undefined)
          ? groupsIn(bad)
          : bad.map((row, index) => <Row key={keyOf(row)} row={row} opened={index === 0 || !isPhone()} />)}
        {children}
        {groupsIn(others)}
      </ul>
    </Panel>
  )
}

/** What a report says, in English where the language of the page has no words for it. */
export const Said = ({ text: { own, english }, before = '' }: { text: Both; before?: string }) => (
  <bdi class="said" lang={own === english ? 'en' : language}>
    <Prose text={before + own} />
  </bdi>
)

const groupsIn = (rows: readonly ResultRow[]) =>
  [...new Set(rows.map(({ group }) => group))].map((group, index) => {
    const own = rows.filter((row) => row.group === group)
    return <Group key={group} group={group} rows={own} opened={index === 0 && own.some(isBad)} />
  })

interface GroupProps {
  group: string
  rows: readonly ResultRow[]
  opened: boolean
}

const Group = ({ group, rows, opened }: GroupProps) => (
  <li>
    <details open={useRef(opened).current === true}>
      <summary>
        <strong>
          {group}
          {rows[0]?.meaning === undefined ? null : <Said text={rows[0].meaning} />}
          {[...new Map(rows.map(({ reason }) => [reason?.english, reason] as const))].map(([english, reason]) => {
            const count = rows.filter((row) => row.reason?.english === english).length
            return reason === undefined ? null : (
              <Said key={english} text={reason} before={count === 1 ? '' : `${count} × `} />
            )
          })}
        </strong>
        <span class="faint push">{countsText(countsOf(rows))}</span>
      </summary>
      <ul class="messages">
        {rows.map((row, index) => (
          <Row key={keyOf(row)} row={row} opened={opened && (index === 0 || !isPhone())} />
        ))}
      </ul>
    </details>
  </li>
)

const Row = ({ row, opened = false }: { row: ResultRow; opened?: boolean }) => {
  const { name, result, kind, observed, aside = <code>{name}</code>, details } = row
  const { own, english } = titleOf(row)
  // Set once: what the user folds stays folded.
  const wasOpened = useRef(opened)
  return (
    <li>
      <details open={wasOpened.current === true}>
        <summary>
          <Pill {...(kind ?? { status: result, tone: resultTones[result] })} />
          <strong>
            <span lang={own === english ? 'en' : language}>
              <Prose text={own} />
            </span>
            {observed === undefined ? null : <Said text={observed} />}
          </strong>
          <span class="push">{aside}</span>
        </summary>
        {details()}
      </details>
    </li>
  )
}

interface CopyIssueProps {
  heading: string
  rows: readonly ResultRow[]
}

/** What failed as Markdown, for an issue of the tested side. */
const CopyIssue = ({ heading, rows }: CopyIssueProps) => {
  const text = [
    `## ${heading}`,
    ...rows.map((row) =>
      [`### ${capitalized(row.result)}: ${titleOf(row).english} (\`${row.name}\`)`, ...(row.issue ?? [])]
        .filter(Boolean)
        .join('\n\n'),
    ),
  ].join('\n\n')
  return <Button onClick={() => copyToClipboard(text, 'the failures as an issue')}>Copy as issue</Button>
}
