/** A command line of the integrator's, which answers a question by what it prints. */
import { spawn } from 'node:child_process'

/** A command that says nothing holds up the run no longer than a receiver would. */
const longestMs = 9000
const lastWordsMs = 500

/** Resolves to what it prints; rejects with what it complained about where it does not end with 0. */
export function runLine(line: string, variables: Record<string, string> = {}): Promise<string> {
  const child = spawn(line, {
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
    timeout: longestMs,
  })
  const said: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text
    })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    const end = (code: number | null) =>
      code === 0 ? resolve(said.stdout) : reject(new Error(said.stderr || `it ended with ${code}`))
    child.once('close', end)
    // What it leaves running may hold its output open: its own end is what counts.
    child.once('exit', (code) => setTimeout(end, lastWordsMs, code).unref())
  })
}

/** The same about one transaction, whose id is its last argument. */
export const runAbout =
  (line: string) =>
  (transactionId: string): Promise<string> =>
    /^\w{1,100}$/.test(transactionId)
      ? runLine(`${line} ${transactionId}`, { TRANSACTION_ID: transactionId })
      : Promise.reject(new Error(`${JSON.stringify(transactionId)} is no id`))
