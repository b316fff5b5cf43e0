/** What an error looks like to the person or program that ran the command, and the exit code that goes with it. */
import { exitCodes, Failure, UsageError } from './errors.js'
import { harmless } from './style.js'

/** Writes the error to standard error (with `--json` also as JSON to standard output) and answers the exit code. */
export function report(error: unknown, _json: boolean): number {
  const [code, lines] = told(error)
  process.stderr.write(lines.map((line) => `${harmless(line)}\n`).join(''))
  return code
}

function told(error: unknown): [code: number, lines: string[]] {
  const said = (text: string) => [`payments-sandbox: ${text}`]
  if (error instanceof UsageError) return [exitCodes.usage, said(error.message)]
  if (error instanceof Failure) return [exitCodes.refused, said(error.message)]
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return [exitCodes.refused, [`payments-sandbox: unexpected error; please report it`, ...trace.split('\n')]]
}
