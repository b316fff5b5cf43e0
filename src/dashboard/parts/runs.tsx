/** Runs of scenarios: as rows, and step by step. */

import type { Run } from '../../client/types/control.js'
import { link } from '../store/route.js'
import { Icon, type IconName } from './icon.js'
import { RowLink, ShortId, type TableSpec } from './table.js'
import { Moment, Pill, WrappedText } from './text.js'

/** A passed run skips only steps that the matched call has done. */
const doneOf = ({ status: ofRun, steps }: Run) =>
  ofRun === 'passed' ? steps.length : steps.filter(({ status }) => status === 'passed').length

export const runTable: TableSpec<Run> = {
  label: 'Runs',
  keyOf: (row) => row.id,
  columns: [
    {
      ...{ name: 'Scenario', card: 'title' },
      cell: (row) => (
        <RowLink href={link('runs', row.id)}>
          {row.scenario} <ShortId id={row.id} />
        </RowLink>
      ),
    },
    { name: 'Status', card: 'badge', cell: (row) => <Pill status={row.status} of="run" /> },
    {
      ...{ name: 'Steps', card: 'sub' },
      cell: (row) => (
        <span class="num faint">
          {doneOf(row)} of {row.steps.length} steps
        </span>
      ),
    },
    { name: 'Started', alignEnd: true, card: 'aside', cell: (row) => <Moment iso={row.started_at} /> },
  ],
}

const icons: Record<string, IconName> = { passed: 'check', failed: 'close', running: 'play', canceled: 'close' }

/** Writes a value in one line, as in a scenario file. */
function asLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(asLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${name}: ${asLine(inner)}`)
    .join(', ')} }`
}

const Params = ({ of }: { of: unknown }) =>
  of === null || of === undefined || JSON.stringify(of) === '{}' ? null : (
    <code class="run-params">
      <WrappedText>{asLine(of)}</WrappedText>
    </code>
  )

export const RunSteps = ({ steps }: { steps: Run['steps'] }) => (
  <ol class="timeline run-steps">
    {steps.map((step, index) => (
      <li key={String(index)} class={step.status}>
        <span class="timeline-icon">
          <Icon name={icons[step.status] ?? 'status'} />
        </span>
        <span class="timeline-at">{step.at === null ? '' : <Moment iso={step.at} />}</span>
        <div class="timeline-body">
          <p>
            <code>{step.step}</code> <Params of={step.params} />{' '}
            {step.status === 'passed' ? null : <Pill status={step.status} />}
          </p>
          {step.detail === null ? null : (
            <p class="faint">
              <WrappedText>{step.detail}</WrappedText>
            </p>
          )}
        </div>
      </li>
    ))}
  </ol>
)
