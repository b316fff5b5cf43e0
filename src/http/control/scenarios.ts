/** Scenarios and their runs: list, upload, arm, run, follow, cancel. */
import { didYouMean } from '../../base/text.js'
import { requireAccount } from '../../core/auth/account.js'
import { advanceClock } from '../../core/clock/advance.js'
import {
  armedScenarioFields,
  armedScenariosOf,
  armScenario,
  deleteScenario,
  disarmScenario,
  findScenario,
  listScenarios,
  requireScenario,
  unknownScenario,
  uploadScenario,
} from '../../core/scenarios/arms.js'
import { listRuns, type Run, requireRun, runFields } from '../../core/scenarios/runs.js'
import { cancelRun, startRun } from '../../core/scenarios/start.js'
import type { LibraryEntry } from '../../core/unit/ports.js'
import type { Unit, Workspace } from '../../core/unit/unit.js'
import { scenarioRoutes } from '../../protocol/control/scenarios.js'
import { ApiError, invalid } from '../../protocol/platform/errors.js'
import { bodyLimits } from '../../protocol/platform/limits.js'
import { scenarioJsonSchema } from '../../protocol/scenario/file.js'
import { outlineOf, problemOf } from '../../protocol/scenario/problems.js'
import type { Env, Host } from '../host.js'
import { bodyText, receiveBody, requireContentType } from '../messages.js'
import { type CallContext, type ControlCall, type Handlers, pagedByName, pageFrom, rangeOf } from './routes.js'

function summary(ws: Workspace, { scenario, origin, file }: LibraryEntry) {
  const { name, title, description, on, times, params, steps, outcomes } = scenario
  return {
    name,
    title: title ?? name,
    description: description ?? null,
    problem: problemOf(scenario),
    origin,
    ...(file === undefined || origin === 'built-in' ? {} : { file }),
    on: on ?? null,
    times: times ?? null,
    params: params ?? {},
    step_count: steps?.length ?? null,
    outcome_count: outcomes?.length ?? null,
    outline: outlineOf(scenario),
    armed: armedScenariosOf(ws.db, name).map((arm) => armedScenarioFields(ws.db, arm)),
  }
}

const scenarioDetails = (ws: Workspace, entry: LibraryEntry, host: Host) => ({
  ...summary(ws, entry),
  settle: entry.scenario.settle ?? 'auto',
  steps: entry.scenario.steps ?? null,
  outcomes: entry.scenario.outcomes ?? null,
  yaml: host.writeScenario(entry.scenario),
})

type Routes = typeof scenarioRoutes

async function readText({ host, env, request }: CallContext) {
  const received = await receiveBody(request, env.memoryShare, bodyLimits.scenarioBytes)
  if (received.error !== null) throw received.error
  requireContentType(request.headers, ['application/yaml', 'application/json'])
  return host.readScenario(bodyText(received.bytes))
}

/**
 * Uploads a scenario. Throws 422 INVALID_VALUE: `details.mistakes` has line, column, path and correction of the first
 * mistakes, and `more` is the number of the others.
 */
async function uploadText(call: CallContext) {
  const { host, ws } = call
  const read = await readText(call)
  if (read.mistakes === null) {
    const { scenario } = read
    return ws.unit((unit) => scenarioDetails(ws, uploadScenario(unit, scenario), host))
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
    `The scenario has a mistake in ${place}${first?.message}${others > 0 ? ` (and ${others} more)` : ''}`,
  )
}

/** Responds when the run has finished if `wait` is set (the default with `fast_forward`), otherwise immediately. */
async function runScenario({ ws, env, params, body: options }: ControlCall<Routes['runScenario']>) {
  const { scenario } = requireScenario(ws, params.name)
  const started = await ws.unit((unit) =>
    startRun(unit, scenario, { id: options.id, params: options.params, account: options.account }),
  )
  const hasFinished = () => requireRun(ws.db, started.id).status !== 'running'
  if (options.fast_forward === true) {
    const isAwaited = options.wait !== false
    const waitOptions = isAwaited ? { waitMs: longestWaitMs, onDisconnect: env.onDisconnect } : { waitMs: null }
    const advanced = advanceClock(ws, () => ({ until: hasFinished }), waitOptions)
    if (isAwaited) await advanced
    else void advanced.catch(() => undefined)
  } else if (options.wait === true) await whenFinished(ws, started, hasFinished, env)
  return ws.unit((unit) => runFields(unit.db, requireRun(unit.db, started.id)))
}

const longestWaitMs = 10 * 60_000

/** Resolves when the run has finished, the caller disconnects, or the wait is over. */
function whenFinished(ws: Workspace, started: Run, hasFinished: () => boolean, env: Env): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      cancel()
      unsubscribe()
      stopWatching?.()
      resolve()
    }
    const cancel = ws.callAfter(longestWaitMs, finish)
    const unsubscribe = ws.bus.subscribe((change) => {
      if (
        (change.type === 'run' && change.id === started.id && change.status !== 'running') ||
        (change.type === 'workspace' && (change.status === 'reset' || change.status === 'closed'))
      )
        finish()
    })
    const stopWatching = env.onDisconnect?.(finish)
    if (hasFinished()) finish()
  })
}

function listRunsOf({ ws, query }: ControlCall<Routes['listRuns']>) {
  const { limit, rowLimit, belowSeq } = rangeOf(query)
  return ws.unit((unit) => {
    const { scenario = null, status = null } = query
    const runs = listRuns(unit.db, { scenario, status, belowSeq, limit: rowLimit })
    if (scenario !== null && runs.length === 0) requireKnownScenario(unit, scenario)
    return pageFrom(runs, limit, (row) => runFields(unit.db, row))
  })
}

/** Throws 422 INVALID_VALUE if neither a scenario nor a run of a deleted scenario has this name. */
function requireKnownScenario(unit: Unit, scenario: string): void {
  if (findScenario(unit, scenario) !== undefined) return
  const anyRun = { scenario, status: null, belowSeq: Number.MAX_SAFE_INTEGER, limit: 1 }
  if (listRuns(unit.db, anyRun).length > 0) return
  const { guess } = unknownScenario(unit, scenario)
  const hint = guess === null ? {} : { did_you_mean: guess }
  throw invalid('scenario', `is not the name of a scenario${didYouMean(guess)}`, hint)
}

export const scenarioHandlers: Handlers<Routes> = {
  listScenarios: ({ ws, query }) =>
    ws.unit(() => {
      const { data, next } = pagedByName(listScenarios(ws), query, ({ scenario }) => scenario.name)
      return { data: data.map((entry) => summary(ws, entry)), next }
    }),
  uploadScenario: uploadText,
  validateScenario: async (call) => {
    const read = await readText(call)
    return read.mistakes === null ? { mistakes: [], more: 0 } : { mistakes: read.mistakes, more: read.more }
  },
  readScenarioSchema: () =>
    new Response(JSON.stringify(scenarioJsonSchema(), null, 2), {
      headers: { 'Content-Type': scenarioRoutes.readScenarioSchema.mediaType },
    }),
  readScenario: ({ host, ws, params }) => ws.unit(() => scenarioDetails(ws, requireScenario(ws, params.name), host)),
  deleteScenario: ({ ws, params }) =>
    ws.unit((unit) => {
      deleteScenario(unit, params.name)
      disarmScenario(unit, params.name)
      return null
    }),
  runScenario,
  armScenario: ({ ws, params, body: { times = null, account } }) =>
    ws.unit((unit) => {
      const accountSeq = account === undefined ? null : requireAccount(unit.db, account).seq
      return armedScenarioFields(unit.db, armScenario(unit, params.name, times, accountSeq))
    }),
  disarmScenario: ({ ws, params, query: { account } }) =>
    ws.unit((unit) => {
      requireScenario(ws, params.name)
      const seq = account === undefined ? undefined : requireAccount(unit.db, account).seq
      return { scenario: params.name, disarmed: disarmScenario(unit, params.name, seq) }
    }),
  listRuns: listRunsOf,
  readRun: ({ ws, params }) => ws.unit((unit) => runFields(unit.db, requireRun(unit.db, params.id))),
  cancelRun: ({ ws, params }) => ws.unit((unit) => runFields(unit.db, cancelRun(unit, requireRun(unit.db, params.id)))),
}
