/** Sorts scenarios into groups for lists. */
import { fieldsIn } from '../../base/unknown.js'
import type { Scenario } from './file.js'
import { isFault } from './steps.js'

/** In display order. */
export const scenarioSubjects = [
  'cashin',
  'cashout',
  'transfer',
  'conversion',
  'wallet',
  'dispute',
  'webhooks',
  'answers',
  'mixed',
] as const
export type ScenarioSubject = (typeof scenarioSubjects)[number]

const isSubject = (name: string): name is ScenarioSubject => scenarioSubjects.some((one) => one === name)

/** The group of a scenario: by its faults, if it has any; otherwise by the object that it intercepts or creates. */
export function subjectOfScenario({ on, steps = [], outcomes = [] }: Scenario): ScenarioSubject {
  if (new Set(outcomes.map((outcome) => outcome.on.operation)).size > 1) return 'mixed'
  const all = [...steps, ...outcomes.flatMap((outcome) => outcome.steps)].flatMap((step) => Object.entries(step))
  const names = all.map(([name]) => name)
  if (names.includes('webhooks')) return 'webhooks'
  if (names.some((name) => name.startsWith('dispute.'))) return 'dispute'
  if (names.some(isFault)) return 'answers'
  const interceptedOperation = on?.operation ?? outcomes[0]?.on.operation
  const createdKinds = all.flatMap(([name, value]) => (name === 'create' ? Object.keys(fieldsIn(value)) : []))
  const acted = names.map((name) => name.split('.')[0] ?? '')
  return (
    [...(interceptedOperation === undefined ? [] : [interceptedOperation]), ...createdKinds, ...acted].find(
      isSubject,
    ) ?? 'answers'
  )
}
