/** Writes the report of a command: to standard output, and to each file that a flag names, such as JUnit XML. */
import { type Command, Option } from 'commander'
import { UnusableFile } from '../../runtime/node/files/input.js'
import { checkOutputs, type OutputKindName, writeOutput } from '../../runtime/node/files/output.js'
import { addJsonFlag } from '../command.js'
import { UsageError } from '../errors.js'

/** A file beside the report. */
interface ReportFile<Reported> {
  flag: string
  help: string
  kind: OutputKindName
  text(reported: Reported): string | Promise<string>
}

/** `Reported` is the report with what its files need besides. */
export function reportWriter<Reported extends { report: object }>(files: readonly ReportFile<Reported>[]) {
  const optionOf = ({ flag, help }: ReportFile<Reported>) => new Option(flag, help)
  const outputsOf = (flags: object) =>
    files.flatMap((row) => {
      const file: unknown = Reflect.get(flags, optionOf(row).attributeName())
      return typeof file === 'string' ? [{ ...row, file, flag: optionOf(row).long ?? row.flag }] : []
    })
  const writeFiles = (flags: object, reported: Reported) =>
    asUsage(async () => {
      for (const output of outputsOf(flags)) await writeOutput(output, await output.text(reported))
    })
  return {
    addFlags(command: Command): Command {
      addJsonFlag(command)
      for (const row of files) command.addOption(optionOf(row))
      return command
    },
    /** Throws `UsageError` for a file that cannot be written. Called before the work, because that can take minutes. */
    check: (flags: object) => asUsage(() => checkOutputs(outputsOf(flags))),
    writeFiles,
    async write(flags: object, reported: Reported, text: () => string | Promise<string>): Promise<void> {
      await writeFiles(flags, reported)
      const isJson = Reflect.get(flags, 'json') === true
      process.stdout.write(isJson ? `${JSON.stringify(reported.report)}\n` : await text())
    },
  }
}

/** A file that cannot be read or written, and each of these errors, is wrong usage (exit code 2): there is no result. */
export async function asUsage<T>(
  work: () => T | Promise<T>,
  ...kinds: (new (
    ...args: never[]
  ) => Error)[]
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isUsage = error instanceof Error && [UnusableFile, ...kinds].some((kind) => error instanceof kind)
    throw isUsage ? new UsageError(error.message) : error
  }
}

export interface JunitCase {
  className: string
  name: string
  tookMs?: number
  failure?: { message: string; text: string }
  /** Why there is no result. */
  error?: string
  /** Why it was not tested. */
  skipped?: string
  output?: string
}

/** A report of one suite; `output` belongs to the suite as a whole. */
export function junit(suite: string, cases: readonly JunitCase[], output?: string): string {
  const failed = cases.filter(({ failure }) => failure !== undefined).length
  const errors = cases.filter(({ error }) => error !== undefined).length
  const skipped = cases.filter((one) => one.skipped !== undefined).length
  const timed = cases.flatMap(({ tookMs }) => tookMs ?? [])
  const time = timed.length === 0 ? '' : timeOf(timed.reduce((sum, tookMs) => sum + tookMs, 0))
  const counts = `tests="${cases.length}" failures="${failed}" errors="${errors}" skipped="${skipped}"${time}`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="payments-sandbox" ${counts}>`,
    `  <testsuite name="${escaped(suite)}" ${counts}>`,
    ...cases.map(caseText),
    ...(output === undefined ? [] : [`    <system-out>${escaped(output)}</system-out>`]),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const timeOf = (ms: number) => ` time="${(ms / 1000).toFixed(3)}"`

function caseText({ className, name, tookMs, failure, error, skipped, output }: JunitCase): string {
  const time = tookMs === undefined ? '' : timeOf(tookMs)
  const parts = [
    failure && `<failure message="${escaped(failure.message)}">${escaped(failure.text)}</failure>`,
    error === undefined ? undefined : `<error message="${escaped(error)}"/>`,
    skipped === undefined ? undefined : `<skipped message="${escaped(skipped)}"/>`,
    output === undefined ? undefined : `<system-out>${escaped(output)}</system-out>`,
  ].filter((part) => part !== undefined)
  const head = `    <testcase classname="${escaped(className)}" name="${escaped(name)}"${time}`
  return parts.length === 0 ? `${head}/>` : `${head}>${parts.join('')}</testcase>`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** XML 1.0 forbids most control characters, escaped ones included. */
export const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML forbids
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)

/** A text within one cell of a Markdown table. */
export const markdownCell = (text: string): string =>
  text
    .replace(/[\r\n]+/g, ' ')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
