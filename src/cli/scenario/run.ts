/** `payments-sandbox scenario run`: runs scenarios one after the other, prints each step, and writes a JUnit report. */
import type { Command } from 'commander'
import { nearest } from '../../base/nearest.js'
import { checkOutput, type Output, writeOutput } from '../../runtime/node/files/output.js'
import { addConnectionFlags, type Connection, connect, repeatableFlag, type Sandbox } from '../connection/connection.js'
import { didYouMean, exitCodes, UsageError } from '../errors.js'
import { junit } from '../terminal/junit.js'
import { dim } from '../terminal/style.js'
import { untilInterrupted } from '../watch/lists.js'
import { isFile, uploadFile } from './upload.js'
import { junitCase, type RunPosition, runLine, summary, type TimedRun, watch } from './watch.js'

interface Flags extends Connection {
  id?: string
  account?: string
  fastForward?: boolean
  wait?: boolean
  param: string[]
  junit?: string
}

export function defineScenarioRun(command: Command): void {
  addConnectionFlags(command)
    .description('run scenarios one after the other; exits with 1 if one does not pass')
    .argument('<name|file...>', 'scenario names, or YAML and JSON files')
    .option('--id <id>', 'object to use, if the scenario does not create one')
    .option('--account <username>', 'account that owns the created objects (default: the first account)')
    .option('--fast-forward', 'advance the clock instead of waiting')
    .option('--wait', 'wait until the run ends, even if a manual clock stands still')
    .addOption(repeatableFlag('--param <key=value>', 'override a parameter'))
    .option('--junit <file>', 'write the results as JUnit XML')
    .action(runAll)
}

async function runAll(targets: string[], flags: Flags): Promise<void> {
  const report: Output | null = flags.junit === undefined ? null : { file: flags.junit, kind: 'junit', flag: '--junit' }
  if (report !== null) checkOutput(report)
  const sandbox = connect(flags)
  const done: TimedRun[] = []
  const stop = new AbortController()
  await untilInterrupted(stop, async (signal) => {
    for (const [at, target] of targets.entries()) {
      const finishedRun = await runOne(sandbox, target, flags, { at, of: targets.length }, signal)
      done.push(finishedRun)
      if (flags.json !== true && targets.length > 1) process.stdout.write(runLine(finishedRun))
      if (signal.aborted) break
    }
  })
  if (report !== null) await writeOutput(report, junit('scenarios', done.map(junitCase)))
  const [first] = done
  if (flags.json === true) {
    const answer =
      targets.length === 1 && first !== undefined ? first.run : { data: done.map(({ run }) => run), next: null }
    process.stdout.write(`${JSON.stringify(answer)}\n`)
  } else if (done.length > 1) process.stdout.write(summary(done))
  if (flags.json !== true && flags.fastForward === true)
    process.stdout.write(dim(`the clock of the sandbox is now at ${(await sandbox.call('GET /clock')).now}\n`))
  if (done.some(({ run }) => run.status !== 'passed') || done.length < targets.length)
    process.exitCode = exitCodes.failed
}

async function runOne(
  sandbox: Sandbox,
  target: string,
  flags: Flags,
  position: RunPosition,
  signal: AbortSignal,
): Promise<TimedRun> {
  const startedMs = performance.now()
  const { name, isNew, restorePrevious } = isFile(target)
    ? await uploadFile(sandbox, target)
    : { name: target, isNew: false, restorePrevious: async () => {} }
  try {
    const body = {
      ...(flags.id === undefined ? {} : { id: flags.id }),
      ...(flags.account === undefined ? {} : { account: flags.account }),
      ...(flags.fastForward === true ? { fast_forward: true } : {}),
      ...(flags.param.length === 0 ? {} : { params: await parameters(sandbox, name, flags.param) }),
    }
    const startedRun = await sandbox.call('POST /scenarios/{name}/run', { params: { name }, body })
    const write = flags.json === true || position.of > 1 ? () => {} : (line: string) => process.stdout.write(line)
    const run = await watch(sandbox, startedRun, write, signal, position, flags.wait === true)
    if (isFile(target))
      write(
        dim(
          isNew
            ? `  ${name} was deleted after the run; scenario arm ${target} stores it\n`
            : `  ${name} was already stored in the sandbox and is unchanged\n`,
        ),
      )
    return { run, tookMs: performance.now() - startedMs }
  } finally {
    await restorePrevious()
  }
}

/** Parses `key=value` arguments; a value gets the type of the parameter's default. */
async function parameters(sandbox: Sandbox, name: string, pairs: readonly string[]): Promise<Values> {
  const { params } = await sandbox.call('GET /scenarios/{name}', { params: { name } })
  const known = Object.keys(params)
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
      if (key === '') throw new UsageError(`--param must be key=value, not ${JSON.stringify(pair)}`)
      if (known.includes(key)) return [key, parseLike(params[key], value)]
      const guess = nearest(key, known)
      const knownText = known.length === 0 ? ', which has no parameters' : `; use one of ${known.join(', ')}`
      throw new UsageError(`${key} is not a parameter of ${name}${guess === null ? knownText : didYouMean(guess)}`)
    }),
  )
}

type Values = Record<string, string | number | boolean>

function parseLike(example: unknown, value: string): string | number | boolean {
  if (typeof example === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value)
  if (typeof example === 'boolean' && /^(true|false)$/.test(value)) return value === 'true'
  return value
}
