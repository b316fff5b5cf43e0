/** Tables of scenarios, and of their runs. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { RunStatus, StartedBy } from '../protocol/control/scenarios.js'
import type { Scenario, Step } from '../protocol/scenario/file.js'
import { json, sequence } from './columns.js'
import type { RunState, StepResult } from './run-state.js'

/** Uploaded scenarios; others come with the package or from a folder. */
export const scenarios = sqliteTable('scenarios', {
  name: text('name').primaryKey(),
  definition: json<Scenario>('definition').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
})

/** Armed scenarios. `accountSeq` is null if all accounts are meant; `remaining` is null if there is no limit. */
export const arms = sqliteTable('arms', {
  seq: sequence(),
  scenario: text('scenario').notNull(),
  accountSeq: integer('account_seq'),
  remaining: integer('remaining'),
  createdAtMs: integer('created_at_ms').notNull(),
})

/** A run stores a copy of its steps, because the scenario may change or be deleted while it runs. */
export const runs = sqliteTable('runs', {
  seq: sequence(),
  id: text('id').notNull().unique(),
  scenario: text('scenario').notNull(),
  status: text('status').notNull().$type<RunStatus>(),
  startedBy: text('started_by').notNull().$type<StartedBy>(),
  accountSeq: integer('account_seq').notNull(),
  subjectId: text('subject_id'),
  steps: json<Step[]>('steps').notNull(),
  results: json<StepResult[]>('results').notNull(),
  state: json<RunState>('state').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
  finishedAtMs: integer('finished_at_ms'),
})
