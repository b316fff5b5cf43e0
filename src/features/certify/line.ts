/** Runs a command line of the integrator and returns what it prints. */
import { Socket } from 'node:net'
import { startGroup } from './process-group.js'

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
    child.once('exit', (code) => setTimeout(end, outputGraceMs, code).unref())
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
