/** Starts programs of the integrator: in a process group of their own, so that everything they start can be stopped with them; command lines of which the output is read; and the client that is certified. */
import { type ChildProcess, type IOType, type SpawnOptions, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { exitCodeOf, watchProcessEnd } from '../../inside/node.js'
import { formatDuration, messageOf } from '../../inside/values.js'

interface ProcessGroup {
  child: ChildProcess
  /** Sends a signal to every process of the group. */
  kill(signal: NodeJS.Signals): void
}

/** Time for a program to end after a signal, before it is killed. */
const endGraceMs = 2000

/**
 * A signal to this process stops the group, and so does the end of this process. When the program has ended, kills what it
 * left running, because such a process could keep its output open; `leaves` is for a program that starts others, which go
 * on if it succeeded.
 */
function startGroup(
  file: string,
  args: readonly string[],
  { leaves = false, ...options }: SpawnOptions & { leaves?: boolean },
): ProcessGroup {
  // Windows has no process groups.
  const hasGroup = process.platform !== 'win32'
  const child = spawn(file, args, { ...options, detached: hasGroup })
  const kill = (signal: NodeJS.Signals) => {
    if (child.pid === undefined) return
    try {
      if (hasGroup) process.kill(-child.pid, signal)
      else child.kill(signal)
    } catch {
      // The group has ended.
    }
  }
  const killAll = () => kill('SIGKILL')
  let timer: ReturnType<typeof setTimeout> | undefined
  const unwatch = watchProcessEnd(killAll, (signal) => {
    kill(signal)
    timer ??= setTimeout(killAll, endGraceMs)
  })
  const stopWatching = () => {
    clearTimeout(timer)
    unwatch()
  }
  child.once('error', stopWatching)
  child.once('exit', (code) => {
    if (!leaves || code !== 0) killAll()
    stopWatching()
  })
  return { child, kill }
}

/** Shorter than the timeout of a receiver, so a command that hangs delays the run no longer than a receiver does. */
const longestMs = 9000
const outputGraceMs = 500

/** Runs a command that restarts the receiver. If it succeeds, what it leaves running is the receiver. */
export const runRestart = async (line: string): Promise<void> => void (await runLine(line, {}, true))

/** Resolves to standard output; rejects with standard error if the exit code is not 0. */
export function runLine(line: string, variables: Record<string, string> = {}, leaves = false): Promise<string> {
  const { child, kill } = startGroup(line, [], {
    shell: true,
    leaves,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
  })
  const timer = setTimeout(kill, longestMs, 'SIGTERM')
  const output: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  return new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    const end = (code: number | null) =>
      code === 0 ? resolve(output.stdout) : reject(new Error(failureText(code, output.stderr)))
    child.once('close', end)
    // A daemon that left the group may keep the output open, so the exit of the command itself counts.
    // One more turn, so that output that has arrived is read even if the timer is late.
    child.once('exit', (code) => setTimeout(() => setImmediate(end, code), outputGraceMs).unref())
  }).finally(() => {
    clearTimeout(timer)
    // What is left running may print on, which must neither be collected nor keep this process from ending.
    for (const stream of [child.stdout, child.stderr]) {
      stream?.removeAllListeners('data').resume()
      if (stream instanceof Socket) stream.unref()
    }
  })
}

const shownChars = 300

/** Says the exit code, and the end of what the command wrote to standard error. */
const failureText = (code: number | null, stderr: string): string =>
  `the command ${code === null ? 'was stopped' : `exited with code ${code}`}${stderr.trim() === '' ? '' : `: ${stderr.trim().slice(-shownChars)}`}`

/** Runs the command with a transaction id as its last argument, in this environment. */
export const runForTransaction =
  (line: string, environment: Readonly<Record<string, string>>) =>
  (transactionId: string): Promise<string> =>
    /^\w{1,100}$/.test(transactionId)
      ? runLine(`${line} ${transactionId}`, { ...environment, TRANSACTION_ID: transactionId })
      : Promise.reject(new Error(`${JSON.stringify(transactionId)} is not a transaction id`))

/** How one run of the client ended. */
interface ProgramEnd {
  /** Why it failed; null if it succeeded. */
  failure: string | null
  /** The last lines that it printed, if they were read. */
  output: string
}

/** Runs the client once, with the environment variables that lead to the sandbox. */
export type ClientProgram = (variables: Readonly<Record<string, string>>) => Promise<ProgramEnd>

/** The client cannot be certified; the message is one sentence for the user. */
export class NotCertifiable extends Error {}

/** Runs a function of the test suite; an exception counts as a failure. */
export const functionProgram =
  (work: (variables: Readonly<Record<string, string>>) => unknown): ClientProgram =>
  async (variables) => {
    try {
      await work(variables)
      return { failure: null, output: '' }
    } catch (error) {
      return { failure: `it threw ${messageOf(error)}`, output: '' }
    }
  }

/** Where the output of a command goes: it is shown, shown on standard error, or only its end is kept. */
type OutputTo = 'terminal' | 'standard error' | 'report'

const inputAndOutputs: Record<OutputTo, (IOType | number)[]> = {
  terminal: ['inherit', 'inherit', 'inherit'],
  'standard error': ['inherit', 2, 'inherit'],
  report: ['ignore', 'pipe', 'pipe'],
}

/** Number of characters that are kept from the end of the output. */
const keptChars = 4000

interface CommandOptions {
  outputTo: OutputTo
  /** A command that takes longer is stopped and has failed; null: there is no limit. */
  timeoutMs: number | null
  /** Whether the command is stopped with everything that it started, and gets no input. */
  ownGroup: boolean
}

/** Throws `NotCertifiable` if the command cannot be started. */
export function commandProgram(
  [file = '', ...args]: readonly string[],
  { outputTo, timeoutMs, ownGroup }: CommandOptions,
): ClientProgram {
  return async (variables) => {
    const stdio = inputAndOutputs[outputTo]
    const env = { ...process.env, ...variables }
    const { child, kill } = ownGroup
      ? startGroup(file, args, { stdio: ['ignore', ...stdio.slice(1)], env })
      : startInTerminal(file, args, { stdio, env })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-keptChars)
      })
    let isLate = false
    const late = () => {
      isLate = true
      kill('SIGKILL')
    }
    const timer = timeoutMs === null ? undefined : setTimeout(late, timeoutMs)
    try {
      const code = await exitCodeOf(child, file, NotCertifiable)
      const failure = isLate ? `it did not end within ${formatDuration(timeoutMs ?? 0)}` : `it exited with code ${code}`
      return { failure: code === 0 && !isLate ? null : failure, output }
    } finally {
      clearTimeout(timer)
    }
  }
}

function startInTerminal(file: string, args: readonly string[], options: SpawnOptions): ProcessGroup {
  const child = spawn(file, args, options)
  const kill = (signal: NodeJS.Signals) => void child.kill(signal)
  // The terminal sends it to the command too, which decides when it ends.
  const wait = () => {}
  process.on('SIGTERM', kill).on('SIGINT', wait)
  const stopWatching = () => void process.off('SIGTERM', kill).off('SIGINT', wait)
  child.once('error', stopWatching).once('close', stopWatching)
  return { child, kill }
}
