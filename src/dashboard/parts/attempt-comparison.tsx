/** Two attempts of one webhook side by side: what was sent, what came back, and where they differ. */
import { useState } from 'hono/jsx/dom'
import type { WebhookAttempt } from '../../client/types/control.js'
import { outcomeWords } from '../../protocol/platform/outcomes.js'
import { duration } from '../format.js'
import { Select } from './forms/controls.js'
import { Table } from './table.js'
import { WrappedText } from './text.js'

/** Every field of an attempt as text. Headers stand under their own names. */
const fieldsOf = (attempt: WebhookAttempt): Record<string, string> => ({
  Time: attempt.at.replace('T', ' ').replace('Z', ''),
  Outcome: outcomeWords[attempt.outcome],
  'HTTP status': String(attempt.status ?? 'none'),
  Duration: duration(attempt.duration_ms),
  Response: attempt.response_body ?? '',
  ...attempt.request_headers,
})

export const AttemptComparison = ({ attempts }: { attempts: readonly WebhookAttempt[] }) => {
  const numbers = attempts.map(({ number }) => String(number))
  const [pair, choose] = useState<readonly string[]>(numbers.slice(-2))
  const [left = {}, right = {}] = pair.map((one) => {
    const found = attempts.find(({ number }) => String(number) === one)
    return found === undefined ? {} : fieldsOf(found)
  })
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  const value = (side: Record<string, string>, name: string) => (
    <span class={left[name] === right[name] ? 'faint' : ''}>
      <WrappedText>{side[name] ?? ''}</WrappedText>
    </span>
  )
  return (
    <>
      <div class="row">
        {['First', 'Second'].map((side, index) => (
          <Select
            key={side}
            accessibleName={`${side} attempt`}
            value={pair[index] ?? ''}
            choices={numbers.map((number) => [number, `Attempt ${number}`] as const)}
            choose={(chosen) => choose(pair.map((one, at) => (at === index ? chosen : one)))}
          />
        ))}
        <span class="faint">{names.filter((name) => left[name] !== right[name]).length} fields differ</span>
      </div>
      <Table
        label="Comparison of two attempts"
        keyOf={(name) => name}
        rows={names}
        columns={[
          { name: 'Field', cell: (name) => name },
          { name: `Attempt ${pair[0]}`, cell: (name) => value(left, name) },
          { name: `Attempt ${pair[1]}`, cell: (name) => value(right, name) },
        ]}
      />
    </>
  )
}
