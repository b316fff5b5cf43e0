/** `payments-sandbox scenario run`: runs scenarios one after the other, tells each step as it happens, and writes a JUnit report. */
import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { nearest } from '../core/suggest.js'
import { type Connection, connect, print, repeatable, type Sandbox, talks } from './connection.js'
import { didYouMean, exitCodes, Failure, UsageError } from './errors.js'
import { junit } from './junit.js'
import { untilTold } from './lists.js'
import { startProgress } from './progress.js'
import { scenarioPath } from './scenario.js'
import { bold, dim, harmless, paint, paintState } from './style.js'

export interface Run {
  id: string
  scenario: string
  status: 'running' | 'passed' | 'failed' | 'canceled'
  steps: { step: string; status: string; at: string | null; detail?: unknown }[]
  vars?: Record<string, unknown>
}

/** A finished run and how long it took, in real milliseconds. */
export interface Ran {
  run: Run
  tookMs: number
}

interface Flags extends Connection {
  id?: string
  account?: string
  fastForward?: boolean
  param: string[]
  junit?: string
}

export function defineScenarioRun(command: Command): void {
  talks(command)
    .description('run scenarios, one after the other; exit code 1 when one does not pass')
    .argument('<name|file...>', 'names, or YAML and JSON files')
    .option('--id <id>', 'the object that it is about, where it does not make one itself')
    .option('--account <username>', 'for whom')
    .option('--fast-forward', 'move the clock instead of waiting')
    .addOption(repeatable('--param <key=value>', 'override a parameter'))
    .option('--junit <file>', 'write the results as JUnit XML')
    .action(runAll)
}

async function runAll(targets: string[], flags: Flags): Promise<void> {
  const sandbox = connect(flags)
  const done: Ran[] = []
  const stop = new AbortController()
  await untilTold(stop, async (signal) => {
    for (const target of targets) {
      done.push(await runOne(sandbox, target, flags, signal))
      if (signal.aborted) break
    }
  })
  if (flags.junit !== undefined) write(flags.junit, junit(done))
  const [first] = done
  if (flags.json === true)
    print(
      flags,
      targets.length === 1 && first !== undefined ? first.run : { data: done.map(({ run }) => run), next: null },
      () => '',
    )
  else if (done.length > 1) process.stdout.write(summary(done))
  if (done.some(({ run }) => run.status !== 'passed') || done.length < targets.length)
    process.exitCode = exitCodes.refused
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new Failure(`${file} cannot be written (${error instanceof Error ? error.message : String(error)})`)
  }
}

const isFile = (target: string) => /\.(ya?ml|json)$/i.test(target) || target.includes('/')

/** A file is uploaded for the run only, so that it hides no built-in scenario afterwards. */
async function runOne(sandbox: Sandbox, target: string, flags: Flags, signal: AbortSignal): Promise<Ran> {
  const startedMs = performance.now()
  const name = isFile(target) ? await upload(sandbox, target) : target
  try {
    const body = {
      ...(flags.id === undefined ? {} : { id: flags.id }),
      ...(flags.account === undefined ? {} : { account: flags.account }),
      ...(flags.fastForward === true ? { fast_forward: true } : {}),
      ...(flags.param.length === 0 ? {} : { params: await parameters(sandbox, name, flags.param) }),
    }
    const begun = await sandbox.call<Run>('POST', scenarioPath(name, '/run'), body)
    const run = await watch(sandbox, begun, flags, signal)
    return { run, tookMs: performance.now() - startedMs }
  } finally {
    if (isFile(target)) await sandbox.call('DELETE', scenarioPath(name)).catch(() => undefined)
  }
}

async function upload(sandbox: Sandbox, file: string): Promise<string> {
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`)
  const { readScenarioFile, mistakeLine } = await import('../platform/node/scenario-files.js')
  const read = readScenarioFile(file)
  if (read.mistakes !== null) throw new Failure(read.mistakes.map(mistakeLine).join('\n'))
  await sandbox.call('POST', '/_sandbox/scenarios', read.scenario)
  return read.scenario.name
}

/** `key=value` words; a value gets the type of the parameter's default. */
async function parameters(sandbox: Sandbox, name: string, pairs: readonly string[]): Promise<Record<string, unknown>> {
  const { params = {} } = await sandbox.call<{ params?: Record<string, unknown> }>('GET', scenarioPath(name))
  const known = Object.keys(params)
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
      if (key === '') throw new UsageError(`--param takes key=value, not ${JSON.stringify(pair)}`)
      if (known.includes(key)) return [key, typedLike(params[key], value)]
      const guess = nearest(key, known)
      const there = known.length === 0 ? ', which has none' : `; it has ${known.join(', ')}`
      throw new UsageError(`${key} is no parameter of ${name}${guess === null ? there : didYouMean(guess)}`)
    }),
  )
}

function typedLike(example: unknown, value: string): unknown {
  if (typeof example === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value)
  if (typeof example === 'boolean' && /^(true|false)$/.test(value)) return value === 'true'
  return value
}

/** Asks until it is over, and prints each step once it is done. */
async function watch(sandbox: Sandbox, begun: Run, flags: Flags, signal: AbortSignal): Promise<Run> {
  const progress = startProgress(begun.scenario)
  const say = (text: string) => {
    progress.clear()
    if (flags.json !== true) process.stdout.write(text)
  }
  say(`${bold(begun.scenario)} ${dim(begun.id)}\n`)
  let run = begun
  let told = 0
  for (let waitMs = 5; ; waitMs = Math.min(waitMs * 2, 250)) {
    const done = run.steps.filter(({ status }) => status !== 'pending' && status !== 'running' && status !== 'waiting')
    for (const step of done.slice(told)) say(stepLine(step))
    told = Math.max(told, done.length)
    if (run.status !== 'running') break
    if (signal.aborted) {
      run = await sandbox
        .call<Run>('DELETE', `/_sandbox/runs/${run.id}`)
        .then((gone) => gone ?? { ...run, status: 'canceled' })
      break
    }
    const next = run.steps[told]
    if (next !== undefined) progress.say(`${run.scenario}: ${next.step}`)
    await pause(waitMs, undefined, { signal }).catch(() => undefined)
    run = await sandbox.call<Run>('GET', `/_sandbox/runs/${run.id}`)
  }
  progress.stop()
  say(`  ${paintState(run.status)}\n`)
  return run
}

const signs: Record<string, string> = { passed: '✓', done: '✓', ok: '✓', failed: '✗', skipped: '-', canceled: '-' }

function stepLine({ step, status, detail }: Run['steps'][number]): string {
  const colour = status === 'failed' ? 'red' : status === 'skipped' || status === 'canceled' ? 'dim' : 'green'
  const more = inWords(detail)
  return `  ${paint(colour, signs[status] ?? '·')} ${harmless(step)}${more === '' ? '' : `  ${status === 'failed' ? harmless(more) : dim(harmless(more))}`}\n`
}

export const inWords = (detail: unknown): string =>
  detail === null || detail === undefined ? '' : typeof detail === 'string' ? detail : JSON.stringify(detail)

function summary(done: readonly Ran[]): string {
  const failed = done.filter(({ run }) => run.status !== 'passed')
  const tookMs = done.reduce((sum, { tookMs: own }) => sum + own, 0)
  const head =
    failed.length === 0
      ? paint('green', `all ${done.length} passed`)
      : paint('red', `${failed.length} of ${done.length} did not pass`)
  return `\n${head} ${dim(`in ${(tookMs / 1000).toFixed(1)} s`)}${failed.map(({ run }) => `\n  ${run.scenario} ${dim(run.id)}`).join('')}\n`
}
