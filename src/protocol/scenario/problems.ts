/** What a scenario rehearses, for lists: the problem that an integration meets, and its steps in short. */
import { minuteMs, parseDuration } from '../../base/duration.js'
import { keysOf, rowAt } from '../../base/keys.js'
import { fieldsIn } from '../../base/unknown.js'
import type { Scenario, Step } from './file.js'

/** A wait after which a payment counts as late, and a pending withdrawal as slow. */
const longWaitMs = 10 * minuteMs

/** What a run says of the step that the matched call has done. */
export const createdByCall = 'created by the matched call'

/** Whether a receiver should refuse the webhooks of a run. Such a run is applied, and the app passes or fails by its answers. */
export const altersWebhooks = ({ steps }: { steps: readonly { step: string; params: unknown }[] }): boolean =>
  steps.some(({ step, params }) => step === 'webhooks' && fieldsIn(params).tamper !== undefined)

/** Steps that change the response to a call. */
const callFault = /^(respond|latency|disconnect)$/

/** Names and values of a scenario's steps. */
type Steps = readonly (readonly [name: string, value: unknown])[]

interface Problem {
  /** Heading of its scenarios. */
  title: string
  matches: (steps: Steps, scenario: Scenario) => boolean
}

const has = (steps: Steps, name: RegExp, field?: string) =>
  steps.some(([own, value]) => name.test(own) && (field === undefined || fieldsIn(value)[field] !== undefined))
const isLong = (duration: unknown) => (parseDuration(String(duration)) ?? 0) >= longWaitMs
const isSlow = (steps: Steps) => steps.some(([name, value]) => name === 'wait' && isLong(value))

/** In display order. A scenario that matches several rows belongs to the last of them. */
export const problems = {
  payment: {
    title: 'The payer pays late, pays a wrong amount, or not at all',
    matches: (steps) =>
      has(steps, /^cashin\.expire$/) ||
      has(steps, /^cashin\.pay$/, 'amount') ||
      steps.some(([name, value]) => name === 'expect' && fieldsIn(value).event === 'cashin.expired') ||
      (has(steps, /^cashin\.pay$/) && isSlow(steps)),
  },
  withdrawal: {
    title: 'A withdrawal fails, or stays pending',
    matches: (steps) => has(steps, /^cashout\.fail$/) || (has(steps, /^cashout\.confirm$/) && isSlow(steps)),
  },
  refund: { title: 'The money goes back', matches: (steps) => has(steps, /\.refund$/) },
  dispute: { title: 'The payer disputes a payment', matches: (steps) => has(steps, /^dispute\./) },
  response: { title: 'A request or its response gets lost', matches: (steps) => has(steps, /^disconnect$/) },
  error: { title: 'The API is slow, or responds with an error', matches: (steps) => has(steps, /^(respond|latency)$/) },
  delivery: { title: 'Webhooks arrive late, twice or out of order', matches: (steps) => has(steps, /^webhooks$/) },
  forgery: { title: 'A webhook is forged', matches: (steps) => has(steps, /^webhooks$/, 'tamper') },
  outcomes: { title: 'Your request chooses the outcome', matches: (_, { outcomes }) => outcomes !== undefined },
  none: { title: 'Everything works', matches: () => false },
} as const satisfies Record<string, Problem>

export const problemNames = keysOf(problems)
type ProblemName = keyof typeof problems

/** Steps with the defaults of the scenario's parameters filled in, as far as a whole value is one reference. */
function stepsOf({ steps = [], params = {} }: Scenario): Steps {
  const filled = (value: unknown) => {
    const name = typeof value === 'string' ? /^\$\{(\w+)\}$/.exec(value)?.[1] : undefined
    return name === undefined ? value : (rowAt(params, name) ?? value)
  }
  return steps.flatMap((step: Step) => Object.entries(step).map(([name, value]) => [name, filled(value)] as const))
}

export function problemOf(scenario: Scenario): ProblemName {
  const steps = stepsOf(scenario)
  return problemNames.filter((name) => problems[name].matches(steps, scenario)).at(-1) ?? 'none'
}

/** Parameters that tell steps of the same name apart. */
const tellingParams = /^(status|amount|duplicate|delay|reorder|tamper|before_response)$/

/**
 * The steps, each in a few words: `create cashin`, `wait 55m`, `cashin.pay`, `respond 502`. A fault stands after the
 * call that it affects. Expectations are omitted, except those that wait long for an event.
 */
export function outlineOf(scenario: Scenario): string[] {
  const steps = stepsOf(scenario)
  const isMoved = (at: number) => callFault.test(steps[at]?.[0] ?? '') && steps[at + 1]?.[0] === 'create'
  const ordered = steps.flatMap((step, at) => {
    if (isMoved(at)) return []
    const fault = steps[at - 1]
    return fault !== undefined && isMoved(at - 1) ? [step, fault] : [step]
  })
  const currency = steps
    .flatMap(([name, value]) => (name === 'create' ? Object.values(fieldsIn(value)) : []))
    .map((created) => fieldsIn(created).currency)
    .find((one) => one !== undefined)
  return ordered.flatMap(([name, value]) => {
    const { event, within } = fieldsIn(value)
    if (name === 'expect') return event !== undefined && isLong(within) ? [`event ${String(event)}`] : []
    return [`${name} ${noteOf(name, value, currency)}`.trim()]
  })
}

function noteOf(name: string, value: unknown, currency: unknown): string {
  if (typeof value !== 'object') return String(value)
  if (name === 'create') return Object.keys(fieldsIn(value)).find((key) => key !== 'as') ?? ''
  const [key, own] = Object.entries(fieldsIn(value)).find(([param]) => tellingParams.test(param)) ?? []
  if (key === undefined || String(own).startsWith('${')) return ''
  if (key === 'amount') return `${String(own)} ${String(currency ?? '')}`.trim()
  return key === 'status' ? String(own) : `${key} ${own === true ? '' : String(own)}`
}
