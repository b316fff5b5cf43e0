/** Warnings of Node, such as of a leak of listeners, in this process and in every process that it starts. They fail the test. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Features of Node that are used on purpose, old code in packages of others, and a variable that a test sets on purpose. */
const expected = /\b(Experimental|Deprecation)Warning\b|NODE_TLS_REJECT_UNAUTHORIZED/

const own: string[] = []
process.on('warning', ({ name, message, stack }) => own.push(stack ?? `${name}: ${message}`))

const file = join(tmpdir(), `sandbox-test-warnings-${process.pid}`)

/** Lets Node append the warnings of processes that this one starts to a file instead of printing them. */
export function collectWarnings(): void {
  process.env.NODE_REDIRECT_WARNINGS = file
}

/** The warnings since the last call. */
export function takeWarnings(): string[] {
  const started = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  rmSync(file, { force: true })
  return [...own.splice(0), ...started.filter((line) => /^\(\S{1,80}:\d{1,9}\) /.test(line))].filter(
    (text) => !expected.test(text),
  )
}
