/** Sends thousands of inputs, generated from the schemas, to every endpoint and control route, and as scenario files: no fault, no slow response, no growing heap. */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { scenarioJsonSchema } from '../../src/protocol/scenario/file.js'
import { built } from '../support/built.js'
import { chanceOf } from '../support/chance.js'
import { note, seedOf, timeShare } from '../support/figures.js'
import { answersAsPlanned, type Caller, type Input, openCaller, slowMs } from '../support/fuzz/caller.js'
import { openCorpus } from '../support/fuzz/corpus.js'
import { type FuzzRoute, fuzzRoutes } from '../support/fuzz/routes.js'
import { jsonOf } from '../support/fuzz/shapes.js'
import { control } from '../support/http.js'
import { type Running, startForTest, withoutProgress } from '../support/program.js'

const each = Number(process.env.FUZZ_EACH ?? 20_000)
/** Each takes half of the inputs, because one process uses one core. */
const sandboxes = 2
const sideBySide = 6
const seed = seedOf('FUZZ_SEED')

const upload: FuzzRoute = {
  name: 'upload',
  method: 'POST',
  path: '/_sandbox/scenarios',
  auth: 'none',
  body: null,
  query: null,
  isPage: false,
}
const runRoute: FuzzRoute = { ...upload, name: 'run', path: '/_sandbox/scenarios/fuzzed/run' }
const plain: FuzzRoute = { ...upload, name: 'health', method: 'GET', path: '/_sandbox/health' }
const plainInput: Input = { route: plain.name, path: plain.path, body: null }

interface Trial {
  sandbox: Running
  caller: Caller
  chance: () => number
  /** Calls that the sandbox answers only after the requested time. Nothing waits for them, and the next reset aborts them. */
  late: { calls: Promise<string[]>[]; end: AbortController }
}

async function startTrial(nth: number): Promise<Trial> {
  const inside = join(import.meta.dirname, '../support/soak/inside.mjs')
  const sandbox = await startForTest(['--no-rate-limits'], { ipc: true, env: { NODE_OPTIONS: `--import ${inside}` } })
  const chance = chanceOf(seed + nth)
  const late = { calls: [], end: new AbortController() }
  return { sandbox, chance, caller: await openCaller(sandbox.url, chance), late }
}

async function heapMb({ child, url }: Running): Promise<number> {
  await control(url)('POST', '/reset')
  child.send('')
  const [{ heapMb }] = await once(child, 'message')
  return heapMb
}

/** A response is slow if it takes longer than this many plain responses at the same time. */
const plainTimes = 20

/** Makes a call. Repeats a slow one beside a plain call, because a busy machine, chaos or a scenario may have delayed it. */
async function checkInput(
  caller: Caller,
  route: FuzzRoute,
  input: Input,
  slowest: Slowest,
): Promise<{ reported: Reported; faults: string[] }> {
  const reported = await caller.call(route, input)
  let { tookMs } = reported
  let plainMs = Number.POSITIVE_INFINITY
  const isSlow = () => tookMs > slowMs && (plainMs === Number.POSITIVE_INFINITY || tookMs > plainTimes * plainMs)
  for (let again = 0; again < 5 && isSlow(); again++) {
    await pause(300)
    await caller.endFaults()
    plainMs = Math.min(plainMs, (await caller.call(plain, plainInput)).tookMs)
    tookMs = Math.min(tookMs, (await caller.call(route, input)).tookMs)
  }
  if (tookMs > slowest.ms) Object.assign(slowest, { ms: tookMs, what: `${route.name} ${input.body?.slice(0, 100)}` })
  const about = `${route.method} ${input.path.slice(0, 300)} ${input.body?.slice(0, 2000)}`
  const slow = isSlow() ? [`${about}: ${tookMs.toFixed()} ms`] : []
  return { reported, faults: reported.fault === null ? slow : [`${about}: ${reported.status} ${reported.fault}`] }
}
type Reported = Awaited<ReturnType<Caller['call']>>
interface Slowest {
  ms: number
  what: string
}

type One = (trial: Trial, at: number) => Promise<string[]>

/** Spreads `count` inputs over the sandboxes and returns all faults. */
async function runInputs(count: number, name: string, one: One): Promise<string[]> {
  note(`FUZZ_SEED=${seed}`)
  await built()
  const trials = await Promise.all(Array.from({ length: sandboxes }, (_, nth) => startTrial(nth)))
  const faults = await Promise.all(trials.map((trial) => part(Math.ceil(count / sandboxes), trial, name, one)))
  await Promise.all(trials.map(({ caller }) => caller.close()))
  return faults.flat()
}

/** Runs inputs in parallel. After every 5,000 the sandbox is reset and checked: ledger, heap and error output. */
async function part(count: number, trial: Trial, name: string, one: One): Promise<string[]> {
  const { sandbox, caller } = trial
  const faults: string[] = []
  const startMb = await heapMb(sandbox)
  await caller.renew()
  const perReset = 5000
  const hasTime = timeShare(2)
  let done = 0
  while (done < count && hasTime() && faults.length < 20) {
    const end = Math.min(done + perReset, count)
    const worker = async () => {
      while (done < end && hasTime() && faults.length < 20) faults.push(...(await one(trial, done++)))
    }
    await Promise.all(Array.from({ length: sideBySide }, worker))
    faults.push(...(await abortLate(trial)))
    if ((await control(sandbox.url)('GET', '/ledger')).body.balanced !== true) faults.push('the ledger is not balanced')
    for (const { name } of (await control(sandbox.url)('GET', '/workspaces')).body.data)
      if (name !== 'default') await control(sandbox.url)('DELETE', `/workspaces/${encodeURIComponent(name)}`)
    for (const { name } of (await control(sandbox.url)('GET', '/snapshots')).body.data)
      await control(sandbox.url)('DELETE', `/snapshots/${encodeURIComponent(name)}`)
    const nowMb = await heapMb(sandbox)
    await caller.renew()
    note(`fuzz: ${done} of ${count} ${name}, heap ${startMb.toFixed()} → ${nowMb.toFixed()} MB`)
    if (nowMb > 2 * startMb + 30) faults.push(`the heap has grown from ${startMb} to ${nowMb} MB`)
  }
  const output = withoutProgress(sandbox.errors())
  if (output !== '') faults.push(`error output: ${output.slice(0, 2000)}`)
  return faults
}

async function abortLate({ late }: Trial): Promise<string[]> {
  late.end.abort()
  late.end = new AbortController()
  return (await Promise.all(late.calls.splice(0))).flat()
}

/** Resets and restores are rare, so that there is a state that can break. */
const isRare = ({ name, isPage }: FuzzRoute) => isPage || /reset|restore/i.test(name)

test(`${each} inputs for each of ${fuzzRoutes.length} routes cause no fault, no slow response and no growing heap`, async () => {
  const corpus = openCorpus()
  const slowest: Slowest = { ms: 0, what: '' }
  const counts: Record<string, number> = {}
  const inputs = new Map(fuzzRoutes.map(({ name }) => [name, 0]))
  const faults = await runInputs(each * fuzzRoutes.length, 'inputs', async (trial, at) => {
    const route = fuzzRoutes[at % fuzzRoutes.length]
    if (route === undefined || (isRare(route) && trial.chance() > 0.05)) return []
    const input = trial.caller.invent(route, corpus.of(route.name))
    inputs.set(route.name, (inputs.get(route.name) ?? 0) + 1)
    if (answersAsPlanned(route)) {
      trial.late.calls.push(checkLate(trial, route, input))
      return []
    }
    const { reported, faults } = await checkInput(trial.caller, route, input, slowest)
    corpus.look(input, reported)
    counts[reported.status] = (counts[reported.status] ?? 0) + 1
    return faults
  })
  if (process.env.FUZZ_KEEP === '1') corpus.save()
  const least = Math.min(...fuzzRoutes.filter((route) => !isRare(route)).map(({ name }) => inputs.get(name) ?? 0))
  note(
    `fuzz: at least ${least} inputs for each of ${fuzzRoutes.length} routes (a twentieth for resets, restores and pages), responses by status ${JSON.stringify(counts)}, ${corpus.size()} different ones, the slowest ${slowest.ms.toFixed()} ms: ${slowest.what}`,
  )
  expect(faults).toEqual([])
})

/** Returns the faults of a late response, or none if the call is aborted first. */
async function checkLate({ caller, late: { end } }: Trial, route: FuzzRoute, input: Input): Promise<string[]> {
  const about = `${route.method} ${input.path.slice(0, 300)} ${input.body?.slice(0, 2000)}`
  try {
    const { fault } = await caller.call(route, input, end.signal)
    return fault === null ? [] : [`${about}: ${fault}`]
  } catch (error) {
    return end.signal.aborted ? [] : [`${about}: ${String(error)}`]
  }
}

/** Converts JSON to YAML; returns a text that is not JSON unchanged. */
function asYaml(text: string): string {
  try {
    return stringify(JSON.parse(text))
  } catch {
    return text
  }
}

test(`${each} scenario files generated from their schema cause no fault, no slow response and no growing heap`, async () => {
  const schema = scenarioJsonSchema()
  const slowest: Slowest = { ms: 0, what: '' }
  let [files, accepted, run] = [0, 0, 0]
  const faults = await runInputs(each, 'scenario files', async ({ caller, chance }) => {
    const shape = { schema, chance, ids: ['pix-paid', 'charge'], wrong: chance() < 0.5 ? 0.01 : 0.1 }
    const text = jsonOf(shape).replace(/^\{("name":"(?:\\.|[^"\\])*",?)?/, '{"name":"fuzzed",')
    const isYaml = chance() < 0.5
    const input = {
      route: 'upload',
      path: upload.path,
      body: isYaml ? asYaml(text) : text,
      type: isYaml ? 'application/yaml' : 'application/json',
    }
    const { reported, faults } = await checkInput(caller, upload, input, slowest)
    files++
    if (reported.status !== 200) return faults
    accepted++
    if (chance() > 0.3) return faults
    run++
    const runInput = { route: 'run', path: runRoute.path, body: '{"fast_forward":true}' }
    return [
      ...faults,
      ...(await checkInput(caller, runRoute, runInput, slowest)).faults.map((fault) => `${text}: ${fault}`),
    ]
  })
  note(
    `fuzz: ${files} scenario files, ${accepted} accepted, ${run} run, the slowest ${slowest.ms.toFixed()} ms: ${slowest.what}`,
  )
  expect(faults).toEqual([])
})
