/** Scenarios and their runs, as the control API shows them. */

export interface Arm {
  scenario: string
  account: string | null
  times: number | null
  armed_at: string
}

export interface Scenario {
  name: string
  title: string
  description: string | null
  origin: 'built-in' | 'folder' | 'uploaded'
  file?: string
  on: unknown
  times: number | null
  params: Record<string, string | number | boolean>
  step_count: number | null
  outcome_count: number | null
  armed: Arm[]
}

/** A step has one key: what it does. */
export type ScenarioStep = Record<string, unknown>

export interface ScenarioDetail extends Scenario {
  steps: ScenarioStep[] | null
  outcomes: { title: string; on: unknown; steps: ScenarioStep[] }[] | null
}

export interface RunStep {
  step: string
  status: string
  at: string | null
  detail: string | null
}

export interface Run {
  id: string
  scenario: string
  status: string
  started_by: 'run' | 'armed' | 'header'
  account: string
  steps: RunStep[]
  vars: Record<string, unknown>
  started_at: string
  finished_at: string | null
}
