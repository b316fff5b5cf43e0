/** The client that is certified: a command that is run, or a function of the test suite. */
import { type StdioOptions, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { formatDuration } from '../../base/duration.js'

/** How one run of the client ended. */
export interface ProgramEnd {
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
export type OutputTo = 'terminal' | 'standard error' | 'report'

const inputAndOutputs: Record<OutputTo, StdioOptions> = {
  terminal: 'inherit',
  'standard error': ['inherit', 2, 'inherit'],
  report: ['ignore', 'pipe', 'pipe'],
}

/** Number of characters that are kept from the end of the output. */
const keptChars = 4000

/** Throws `NotCertifiable` if the command cannot be started. A command that takes longer than `timeoutMs` is killed and has failed. */
export function commandProgram(
  [file = '', ...args]: readonly string[],
  { outputTo, timeoutMs }: { outputTo: OutputTo; timeoutMs: number | null },
): ClientProgram {
  return async (variables) => {
    const child = spawn(file, args, { stdio: inputAndOutputs[outputTo], env: { ...process.env, ...variables } })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-keptChars)
      })
    const forward = (signal: NodeJS.Signals) => child.kill(signal)
    // The terminal sends it to the command too, which decides when it ends.
    const wait = () => {}
    process.on('SIGTERM', forward).on('SIGINT', wait)
    let isLate = false
    const late = () => {
      isLate = true
      child.kill('SIGKILL')
    }
    const timer = timeoutMs === null ? undefined : setTimeout(late, timeoutMs)
    try {
      const code = await new Promise<number>((resolve, reject) => {
        child.once('error', (error: NodeJS.ErrnoException) => reject(new NotCertifiable(startError(file, error))))
        child.once('close', (ended, signal) =>
          resolve(ended ?? 128 + (signal === null ? 0 : constants.signals[signal])),
        )
      })
      const failure = isLate ? `it did not end within ${formatDuration(timeoutMs ?? 0)}` : `it exited with code ${code}`
      return { failure: code === 0 && !isLate ? null : failure, output }
    } finally {
      clearTimeout(timer)
      process.off('SIGTERM', forward).off('SIGINT', wait)
    }
  }
}

const startError = (file: string, { code, message }: NodeJS.ErrnoException): string =>
  code === 'ENOENT' ? `command not found: ${file}` : `${file}: ${message}`
