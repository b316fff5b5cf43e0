/** Writes the report of a command: as text or JSON to standard output, and to each file that a flag names. */
import { type Command, Option } from 'commander'
import { UnusableFile } from '../../runtime/node/files/input.js'
import { checkOutputs, type OutputKindName, writeOutput } from '../../runtime/node/files/output.js'
import { addJsonFlag } from '../connection.js'
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
