/** The client that is certified: a command that is run, or a function of the test suite. */
import { type ChildProcess, type IOType, type SpawnOptions, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { formatDuration } from '../../../inside/values.js'
import { type ProcessGroup, startGroup } from '../processes.js'

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
      return { failure: `it threw ${error instanceof Error ? error.message : String(error)}`, output: '' }
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
      const code = await exitCodeOf(file, child)
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

const exitCodeOf = (file: string, child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => reject(new NotCertifiable(startError(file, error))))
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })

const startError = (file: string, { code, message }: NodeJS.ErrnoException): string =>
  code === 'ENOENT' ? `command not found: ${file}` : `${file}: ${message}`
