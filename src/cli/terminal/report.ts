/** What an error looks like to the person or program that ran the command, and the exit code that goes with it. */
import { fieldsIn } from '../../base/unknown.js'
import { SandboxError, UnreachableError } from '../../client/errors.js'
import { errorEnvelope } from '../../protocol/platform/errors.js'
import { callHeaders } from '../../protocol/platform/headers.js'
import { UnusableFile } from '../../runtime/node/files/unusable.js'
import { exitCodes, Failure, UsageError } from '../errors.js'
import { harmless, paint } from './style.js'

/** Writes the error to standard error (what the sandbox said also as JSON to standard output with `json`) and answers the exit code. */
export function report(error: unknown, json: boolean): number {
  const [code, lines] = told(error)
  process.stderr.write(lines.map((line) => `${line}\n`).join(''))
  if (json && error instanceof SandboxError) {
    const { code: name, message, group, retryable, details } = error
    process.stdout.write(`${JSON.stringify(errorEnvelope({ code: name, message, group, retryable, details }))}\n`)
  }
  return code
}

function told(error: unknown): [code: number, lines: string[]] {
  const said = (text: string) => [`payments-sandbox: ${harmless(text)}`]
  if (error instanceof UsageError) return [exitCodes.usage, said(error.message)]
  if (error instanceof Failure || error instanceof UnusableFile) return [exitCodes.refused, said(error.message)]
  if (error instanceof UnreachableError)
    return [
      exitCodes.unreachable,
      said(`${error.message}; start one with payments-sandbox start, or name another with --url`),
    ]
  if (error instanceof SandboxError)
    return [
      exitCodes.refused,
      [...said(`${error.code}: ${error.message}`), ...detailLines(error.details, error.message), ...wayIn(error)],
    ]
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return [exitCodes.refused, ['payments-sandbox: unexpected error; please report it', ...trace.split('\n')]]
}

/** The sandbox names the header that it wants; here it is a flag. */
const wayIn = ({ code, details }: SandboxError): string[] =>
  code === 'UNAUTHORIZED' && details.header === callHeaders.adminToken
    ? ['  give it with --admin-token, or as PAYMENTS_SANDBOX_ADMIN_TOKEN']
    : []

/** Details that the message does not tell already: one line each, mistakes in a file one line each. */
function detailLines(details: Record<string, unknown>, message: string): string[] {
  return Object.entries(details).flatMap(([name, value]) => {
    if (value === null || value === undefined || message.includes(shownIn(value))) return []
    if (Array.isArray(value) && value.some((item) => typeof item === 'object'))
      return value.map((item) => `  ${harmless(mistake(item))}`)
    if (typeof value === 'object' && !Array.isArray(value))
      return Object.values(value).every((one) => message.includes(String(one))) ? [] : [line(name, briefly(value))]
    return [line(name, Array.isArray(value) ? value.join(', ') : String(value))]
  })
}

/** As a message would have it: a list is not printed twice. */
const shownIn = (value: unknown) => (Array.isArray(value) ? value.join(', ') : String(value))

const line = (name: string, text: string) => `  ${paint('dim', `${name}:`, process.stderr)} ${harmless(text)}`

/** An object in one line that a person can read. */
const briefly = (value: object): string =>
  Object.entries(value)
    .filter(([, one]) => one !== null)
    .map(([name, one]) => `${name} ${typeof one === 'object' ? JSON.stringify(one) : String(one)}`)
    .join(', ')

function mistake(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item)
  const { line, column, path, message, ...rest } = fieldsIn(item)
  if (message === undefined) return briefly(item)
  const place = line === undefined || line === null ? '' : `${String(line)}:${String(column ?? 1)}: `
  const more = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`
  return `${place}${path === undefined || path === '' ? '' : `${String(path)}: `}${String(message)}${more}`
}
