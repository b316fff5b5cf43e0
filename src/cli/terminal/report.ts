/** Formats errors for people and programs, with their exit codes. */
import { fieldsIn } from '../../base/unknown.js'
import { SandboxError, UnreachableError } from '../../client/errors.js'
import { errorEnvelope } from '../../protocol/platform/errors.js'
import { requestHeaders } from '../../protocol/platform/headers.js'
import { UnusableFile } from '../../runtime/node/files/input.js'
import { exitCodes, Failure, NoSandbox, UsageError } from '../errors.js'
import { paint, replaceControls } from './style.js'

/** Writes the error to standard error, and with `json` the sandbox's error also to standard output. Returns the exit code. */
export function report(error: unknown, json: boolean): number {
  const [code, lines] = describe(error)
  process.stderr.write(lines.map((line) => `${line}\n`).join(''))
  if (json && error instanceof SandboxError) {
    const { code: name, message, group, retryable, details } = error
    process.stdout.write(`${JSON.stringify(errorEnvelope({ code: name, message, group, retryable, details }))}\n`)
  }
  return code
}

function describe(error: unknown): [code: number, lines: string[]] {
  const lineOf = (text: string) => [`payments-sandbox: ${replaceControls(text)}`]
  if (error instanceof UsageError) return [exitCodes.usage, lineOf(error.message)]
  if (error instanceof Failure || error instanceof UnusableFile) return [exitCodes.failed, lineOf(error.message)]
  if (error instanceof UnreachableError) {
    const flag = error instanceof NoSandbox ? error.flag : '--url'
    const remedy = `start one with payments-sandbox start, or name another with ${flag}`
    return [exitCodes.unreachable, lineOf(`${error.message}; ${remedy}`)]
  }
  if (error instanceof SandboxError)
    return [
      exitCodes.failed,
      [...lineOf(`${error.code}: ${error.message}`), ...detailLines(error.details, error.message), ...tokenHint(error)],
    ]
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return [exitCodes.failed, ['payments-sandbox: unexpected error; please report it', ...trace.split('\n')]]
}

/** The sandbox names the header that it requires; the command line has a flag for it. */
const tokenHint = ({ code, details }: SandboxError): string[] =>
  code === 'UNAUTHORIZED' && details.header === requestHeaders.adminToken
    ? ['  set --admin-token or PAYMENTS_SANDBOX_ADMIN_TOKEN']
    : []

/** Details that the message does not contain, one line each, as are mistakes in a file. */
function detailLines(details: Record<string, unknown>, message: string): string[] {
  return Object.entries(details).flatMap(([name, value]) => {
    if (value === null || value === undefined || message.includes(messageForm(value))) return []
    if (Array.isArray(value) && value.some((item) => typeof item === 'object'))
      return value.map((item) => `  ${replaceControls(mistakeText(item))}`)
    if (typeof value === 'object' && !Array.isArray(value))
      return Object.values(value).every((one) => message.includes(String(one))) ? [] : [line(name, objectLine(value))]
    return [line(name, Array.isArray(value) ? value.join(', ') : String(value))]
  })
}

/** The form in which a message contains it, so that a list is not printed twice. */
const messageForm = (value: unknown) => (Array.isArray(value) ? value.join(', ') : String(value))

const line = (name: string, text: string) => `  ${paint('dim', `${name}:`, process.stderr)} ${replaceControls(text)}`

const objectLine = (value: object): string =>
  Object.entries(value)
    .filter(([, one]) => one !== null)
    .map(([name, one]) => `${name} ${typeof one === 'object' ? JSON.stringify(one) : String(one)}`)
    .join(', ')

function mistakeText(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item)
  const { line, column, path, message, ...rest } = fieldsIn(item)
  if (message === undefined) return objectLine(item)
  const place = line === undefined || line === null ? '' : `${String(line)}:${String(column ?? 1)}: `
  const more = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`
  return `${place}${path === undefined || path === '' ? '' : `${String(path)}: `}${String(message)}${more}`
}
