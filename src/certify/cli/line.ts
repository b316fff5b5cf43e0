/** Runs a command line of the integrator and returns what it prints. */
import { spawn } from 'node:child_process'

/** Shorter than the timeout of a receiver, so a command that hangs delays the run no longer than a receiver does. */
const longestMs = 9000
const outputGraceMs = 500

/** Resolves to standard output; rejects with standard error if the exit code is not 0. */
export function runLine(line: string, variables: Record<string, string> = {}): Promise<string> {
  const child = spawn(line, {
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
    timeout: longestMs,
  })
  const output: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    const end = (code: number | null) =>
      code === 0 ? resolve(output.stdout) : reject(new Error(output.stderr || `the command exited with code ${code}`))
    child.once('close', end)
    // A background process may keep the output open, so the exit of the command itself counts.
    child.once('exit', (code) => setTimeout(end, outputGraceMs, code).unref())
  })
}

/** Runs the command with a transaction id as its last argument. */
export const runForTransaction =
  (line: string) =>
  (transactionId: string): Promise<string> =>
    /^\w{1,100}$/.test(transactionId)
      ? runLine(`${line} ${transactionId}`, { TRANSACTION_ID: transactionId })
      : Promise.reject(new Error(`${JSON.stringify(transactionId)} is not a transaction id`))
