/** Every endpoint, every control route and the scenario files with thousands of inputs after their schemas: no fault, nothing slow, nothing that grows. */
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
/** Each with half of the inputs: one process is busy on one core. */
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
const runIt: FuzzRoute = { ...upload, name: 'run', path: '/_sandbox/scenarios/fuzzed/run' }
const plain: FuzzRoute = { ...upload, name: 'health', method: 'GET', path: '/_sandbox/health' }
const plainInput: Input = { route: plain.name, path: plain.path, body: null }

interface Trial {
  sandbox: Running
  caller: Caller
  chance: () => number
  /** Answers that are on their way for as long as was asked for: nobody waits for them, and with the next beginning they are given up. */
  late: { calls: Promise<string[]>[]; end: AbortController }
}

async function started(nth: number): Promise<Trial> {
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

/** What is slow takes longer than so many plain answers at the same time. */
const plainTimes = 20

/** Asked again where it took long, and the plainest call along with it: a busy machine may have held it up. */
async function tried(
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

/** So many inputs, a part of them for each sandbox. */
async function throughout(count: number, name: string, one: One): Promise<string[]> {
  note(`FUZZ_SEED=${seed}`)
  await built()
  const trials = await Promise.all(Array.from({ length: sandboxes }, (_, nth) => started(nth)))
  const faults = await Promise.all(trials.map((trial) => part(Math.ceil(count / sandboxes), trial, name, one)))
  await Promise.all(trials.map(({ caller }) => caller.close()))
  return faults.flat()
}

/** Some side by side; every so many of them it begins anew and has to be well. */
async function part(count: number, trial: Trial, name: string, one: One): Promise<string[]> {
  const { sandbox, caller } = trial
  const faults: string[] = []
  const startMb = await heapMb(sandbox)
  await caller.renew()
  const rest = 5000
  const hasTime = timeShare(2)
  let done = 0
  while (done < count && hasTime() && faults.length < 20) {
    const end = Math.min(done + rest, count)
    const worker = async () => {
      while (done < end && hasTime() && faults.length < 20) faults.push(...(await one(trial, done++)))
    }
    await Promise.all(Array.from({ length: sideBySide }, worker))
    faults.push(...(await givenUp(trial)))
    if ((await control(sandbox.url)('GET', '/ledger')).body.balanced !== true) faults.push('the ledger is not balanced')
    for (const { name } of (await control(sandbox.url)('GET', '/workspaces')).body.data)
      if (name !== 'default') await control(sandbox.url)('DELETE', `/workspaces/${encodeURIComponent(name)}`)
    for (const { name } of (await control(sandbox.url)('GET', '/snapshots')).body.data)
      await control(sandbox.url)('DELETE', `/snapshots/${encodeURIComponent(name)}`)
    const nowMb = await heapMb(sandbox)
    await caller.renew()
    note(`fuzz: ${done} of ${count} ${name}, heap ${startMb.toFixed()} → ${nowMb.toFixed()} MB`)
    if (nowMb > 2 * startMb + 30) faults.push(`its heap has grown from ${startMb} to ${nowMb} MB`)
  }
  const said = withoutProgress(sandbox.errors())
  if (said !== '') faults.push(`it said: ${said.slice(0, 2000)}`)
  return faults
}

async function givenUp({ late }: Trial): Promise<string[]> {
  late.end.abort()
  late.end = new AbortController()
  return (await Promise.all(late.calls.splice(0))).flat()
}

/** What begins anew comes seldom, so that there is something to go wrong. */
const isRare = ({ name, isPage }: FuzzRoute) => isPage || /reset|restore/i.test(name)

test(`${each} inputs for each of ${fuzzRoutes.length} routes`, async () => {
  const corpus = openCorpus()
  const slowest: Slowest = { ms: 0, what: '' }
  const counts: Record<string, number> = {}
  const inputs = new Map(fuzzRoutes.map(({ name }) => [name, 0]))
  const faults = await throughout(each * fuzzRoutes.length, 'inputs', async (trial, at) => {
    const route = fuzzRoutes[at % fuzzRoutes.length]
    if (route === undefined || (isRare(route) && trial.chance() > 0.05)) return []
    const input = trial.caller.invent(route, corpus.of(route.name))
    inputs.set(route.name, (inputs.get(route.name) ?? 0) + 1)
    if (answersAsPlanned(route)) {
      trial.late.calls.push(answeredLate(trial, route, input))
      return []
    }
    const { reported, faults } = await tried(trial.caller, route, input, slowest)
    corpus.look(input, reported)
    counts[reported.status] = (counts[reported.status] ?? 0) + 1
    return faults
  })
  if (process.env.FUZZ_KEEP === '1') corpus.save()
  const least = Math.min(...fuzzRoutes.filter((route) => !isRare(route)).map(({ name }) => inputs.get(name) ?? 0))
  note(
    `fuzz: at least ${least} inputs for each of ${fuzzRoutes.length} routes (a twentieth where all begins anew, or the answer is a page), answers ${JSON.stringify(counts)}, ${corpus.size()} different ones, the slowest ${slowest.ms.toFixed()} ms: ${slowest.what}`,
  )
  expect(faults).toEqual([])
})

/** What is wrong with it, if it comes before it is given up. */
async function answeredLate({ caller, late: { end } }: Trial, route: FuzzRoute, input: Input): Promise<string[]> {
  const about = `${route.method} ${input.path.slice(0, 300)} ${input.body?.slice(0, 2000)}`
  try {
    const { fault } = await caller.call(route, input, end.signal)
    return fault === null ? [] : [`${about}: ${fault}`]
  } catch (error) {
    return end.signal.aborted ? [] : [`${about}: ${String(error)}`]
  }
}

/** The same file as YAML, where it is JSON at all. */
function asYaml(text: string): string {
  try {
    return stringify(JSON.parse(text))
  } catch {
    return text
  }
}

test(`${each} scenario files after their schema`, async () => {
  const schema = scenarioJsonSchema()
  const slowest: Slowest = { ms: 0, what: '' }
  let [files, accepted, run] = [0, 0, 0]
  const faults = await throughout(each, 'scenario files', async ({ caller, chance }) => {
    const shape = { schema, chance, ids: ['pix-paid', 'charge'], wrong: chance() < 0.5 ? 0.01 : 0.1 }
    const text = jsonOf(shape).replace(/^\{("name":"(?:\\.|[^"\\])*",?)?/, '{"name":"fuzzed",')
    const isYaml = chance() < 0.5
    const input = {
      route: 'upload',
      path: upload.path,
      body: isYaml ? asYaml(text) : text,
      type: isYaml ? 'application/yaml' : 'application/json',
    }
    const { reported, faults } = await tried(caller, upload, input, slowest)
    files++
    if (reported.status !== 200) return faults
    accepted++
    if (chance() > 0.3) return faults
    run++
    const running = { route: 'run', path: runIt.path, body: '{"fast_forward":true}' }
    return [...faults, ...(await tried(caller, runIt, running, slowest)).faults.map((fault) => `${text}: ${fault}`)]
  })
  note(
    `fuzz: ${files} scenario files, ${accepted} accepted, ${run} run, the slowest ${slowest.ms.toFixed()} ms: ${slowest.what}`,
  )
  expect(faults).toEqual([])
})
