/** Scenarios and their runs: listed, uploaded, armed, run, followed, canceled. */
import * as z from 'zod'
import { plainJson } from '../../base/json.js'
import { requireAccount } from '../../core/access/account.js'
import { armFields, armScenario, armsOf, disarmScenario } from '../../core/scenarios/arms.js'
import { deleteScenario, listScenarios, requireScenario, uploadScenario } from '../../core/scenarios/library.js'
import { cancelRun } from '../../core/scenarios/runner.js'
import { listRuns, type Run, requireRun, runFields } from '../../core/scenarios/runs.js'
import type { LibraryEntry } from '../../core/scenarios/source-port.js'
import { startRun } from '../../core/scenarios/start.js'
import { walk } from '../../core/scheduler/walk.js'
import type { Workspace } from '../../core/workspace/workspace.js'
import { ApiError } from '../../protocol/api/errors.js'
import { bool, text, whole } from '../../protocol/api/fields.js'
import { paramValue } from '../../protocol/scenario/steps.js'
import { bodyText, receive, requireContentType } from '../receive.js'
import { knownQuery, paged, pageOf, readBody } from './params.js'
import type { AdminCall, AdminRoute } from './route.js'

function summary(ws: Workspace, { scenario, origin, file }: LibraryEntry) {
  const { name, title, description, on, times, params, steps, outcomes } = scenario
  return {
    name,
    title: title ?? name,
    description: description ?? null,
    origin,
    ...(file === undefined || origin === 'built-in' ? {} : { file }),
    on: on ?? null,
    times: times ?? null,
    params: params ?? {},
    step_count: steps?.length ?? null,
    outcome_count: outcomes?.length ?? null,
    armed: armsOf(ws.db, name).map((arm) => armFields(ws.db, arm)),
  }
}

const inFull = (ws: Workspace, entry: LibraryEntry) => ({
  ...summary(ws, entry),
  settle: entry.scenario.settle ?? 'auto',
  steps: entry.scenario.steps ?? null,
  outcomes: entry.scenario.outcomes ?? null,
})

const list = ({ ws }: AdminCall) =>
  ws.unit(() => ({ data: listScenarios(ws).map((entry) => summary(ws, entry)), next: null }))

const one = ({ ws, params }: AdminCall) => ws.unit(() => inFull(ws, requireScenario(ws, params.name ?? '')))

/** 422 INVALID_VALUE with `details.mistakes`: line, column, path and what would be right, of the first ones; `more` counts the others. */
async function upload({ host, ws, env, request }: AdminCall) {
  const received = await receive(request, env.held)
  if (received.fault !== null) throw received.fault
  requireContentType(request.headers, ['application/yaml', 'application/json'])
  const read = host.readScenario(bodyText(received.bytes))
  if (read.mistakes === null) {
    const { scenario } = read
    return ws.unit((unit) => inFull(ws, uploadScenario(unit, scenario)))
  }
  const { mistakes, more } = read
  const [first] = mistakes
  const others = mistakes.length - 1 + more
  const place =
    first === undefined
      ? ''
      : `line ${first.line}, column ${first.column}: ${first.path === '' ? '' : `${first.path}: `}`
  throw new ApiError(
    'INVALID_VALUE',
    { field: 'scenario', mistakes, more },
    { message: `The scenario has a mistake in ${place}${first?.message}${others > 0 ? ` (and ${others} more)` : ''}` },
  )
}

const remove = ({ ws, params }: AdminCall) =>
  ws.unit((unit) => {
    const name = params.name ?? ''
    deleteScenario(unit, name)
    disarmScenario(unit, name)
    return null
  })

const armBody = z.strictObject({ times: whole(1, 1_000_000).nullable().optional(), account: text().optional() })

async function arm({ ws, params, body }: AdminCall) {
  const { times, account } = readBody(armBody, body)
  return ws.unit((unit) => {
    const accountSeq = account === undefined ? null : requireAccount(unit.db, account).seq
    return armFields(unit.db, armScenario(unit, params.name ?? '', times ?? null, accountSeq))
  })
}

function disarm({ ws, params, query }: AdminCall) {
  knownQuery(query, ['account'])
  const account = query.get('account')
  const name = params.name ?? ''
  return ws.unit((unit) => {
    requireScenario(ws, name)
    const seq = account === null ? undefined : requireAccount(unit.db, account).seq
    return { scenario: name, disarmed: disarmScenario(unit, name, seq) }
  })
}

const runBody = z.strictObject({
  id: z.union([z.string(), z.number()], 'must be a string').optional(),
  params: z.record(z.string(), paramValue()).optional(),
  account: text().optional(),
  fast_forward: bool().optional(),
  wait: bool().optional(),
})

/** Answers when the run is over where `wait` is set, which it is with `fast_forward` unless said otherwise; else at once. */
async function run({ ws, params, body, request }: AdminCall) {
  const wish = readBody(runBody, plainJson(body) as Record<string, unknown>)
  const { scenario } = requireScenario(ws, params.name ?? '')
  const id = wish.id === undefined ? undefined : String(wish.id)
  const started = await ws.unit((unit) => startRun(unit, scenario, { id, params: wish.params, account: wish.account }))
  const over = () => requireRun(ws.db, started.id).status !== 'running'
  if (wish.fast_forward === true) {
    const walked = walk(ws, () => ({ until: over }))
    if (wish.wait !== false) await walked
    else void walked.catch(() => undefined)
  } else if (wish.wait === true) await whenOver(ws, started, over, request.signal)
  return ws.unit((unit) => runFields(unit.db, requireRun(unit.db, started.id)))
}

const longestWaitMs = 10 * 60_000

/** Resolves when the run is over, or the caller has gone, or has waited long enough. */
function whenOver(ws: Workspace, started: Run, over: () => boolean, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      cancel()
      unsubscribe()
      resolve()
    }
    const cancel = ws.alarm(longestWaitMs, finish)
    const unsubscribe = ws.bus.subscribe((change) => {
      if (
        (change.type === 'run' && change.id === started.id && change.status !== 'running') ||
        (change.type === 'workspace' && (change.status === 'reset' || change.status === 'closed'))
      )
        finish()
    })
    signal.addEventListener('abort', finish)
    if (over()) finish()
  })
}

function runs({ ws, query }: AdminCall) {
  knownQuery(query, ['scenario', 'status', 'limit', 'after'])
  const { limit, beforeSeq } = pageOf(query)
  return ws.unit((unit) => {
    const filter = { scenario: query.get('scenario'), status: query.get('status'), beforeSeq, limit: limit + 1 }
    return paged(listRuns(unit.db, filter), limit, (row) => runFields(unit.db, row))
  })
}

const oneRun = ({ ws, params }: AdminCall) =>
  ws.unit((unit) => runFields(unit.db, requireRun(unit.db, params.id ?? '')))

const cancel = ({ ws, params }: AdminCall) =>
  ws.unit((unit) => runFields(unit.db, cancelRun(unit, requireRun(unit.db, params.id ?? ''))))

const base = '/_sandbox/scenarios'

export const scenarioRoutes: readonly AdminRoute[] = [
  { method: 'GET', path: base, title: 'Scenarios: built-in, from the folder, uploaded', handle: list },
  { method: 'POST', path: base, title: 'Upload a scenario, YAML or JSON', input: 'raw', handle: upload },
  { method: 'GET', path: `${base}/:name`, title: 'One scenario with its steps', handle: one },
  { method: 'DELETE', path: `${base}/:name`, title: 'Delete an uploaded scenario', handle: remove },
  { method: 'POST', path: `${base}/:name/run`, title: 'Run a scenario', describeBody: () => runBody, handle: run },
  {
    method: 'POST',
    path: `${base}/:name/arm`,
    title: 'Let a scenario catch the integrator’s own calls',
    describeBody: () => armBody,
    handle: arm,
  },
  { method: 'DELETE', path: `${base}/:name/arm`, title: 'Disarm a scenario', queryNames: ['account'], handle: disarm },
  {
    method: 'GET',
    path: '/_sandbox/runs',
    title: 'Runs, newest first',
    queryNames: ['scenario', 'status', 'limit', 'after'],
    handle: runs,
  },
  { method: 'GET', path: '/_sandbox/runs/:id', title: 'One run, step by step', handle: oneRun },
  { method: 'DELETE', path: '/_sandbox/runs/:id', title: 'Cancel a run', handle: cancel },
]
