/** `payments-sandbox compare`: compares recordings of the platform with the sandbox. Needs no running sandbox. */
import type { Command } from 'commander'
import { addJsonFlag, type CommandUsages, exitCodes, Failure, UsageError, withProgress } from '../../inside/commands.js'
import { configOf } from '../../inside/control.js'
import {
  checkOutputs,
  type Output,
  type OutputKindName,
  readInputFile,
  UnusableFile,
  writeOutput,
} from '../../inside/node.js'
import { fieldsIn } from '../../inside/values.js'
import type { Accepted } from './judge/accept.js'
import { compareRoutes } from './routes.js'

interface Flags {
  accept?: string
  writeProfile?: string
  config?: string
  junit?: string
  markdown?: string
  json?: boolean
}

export const usages: CommandUsages = {
  compare: {
    jsonOutputs: [{ route: compareRoutes.compare }],
    examples: {
      'payments-sandbox compare recording.har': 'show the differences between the platform and the sandbox',
      'payments-sandbox compare recording.har --write-profile platform.yaml':
        'write a configuration file that makes the sandbox behave like the platform; use it with start --config',
      'payments-sandbox compare recording.har --accept accepted.yaml --junit compare.xml':
        'fail in CI if there are differences that are not accepted',
    },
  },
}

export function define(command: Command): void {
  addJsonFlag(
    command
      .description(
        'compare recordings of the platform (HAR 1.2) with the sandbox; exit code 0: no difference, 1: differences, 2: cannot run',
      )
      .argument('<files...>', 'recordings')
      .option(
        '--accept <file>',
        'YAML file that lists known differences, each with verdict, call, path, reason and date',
      )
      .option('--write-profile <file>', 'write a configuration file that makes the sandbox respond like the recordings')
      .option('--config <file>', 'settings of the sandbox to compare with (default: the standard settings)')
      .option('--junit <file>', 'write the findings as JUnit XML')
      .option('--markdown <file>', 'write the report as Markdown'),
  ).action((files: string[], flags: Flags) => asUsage(() => run(files, flags)))
}

async function run(files: readonly string[], flags: Flags): Promise<void> {
  checkOutputs(outputsOf(flags))
  const { accept, isPassed } = await import('./judge/accept.js')
  const accepted = flags.accept === undefined ? [] : await readAccepted(flags.accept)
  const base = flags.config === undefined ? {} : await settingsIn(flags.config)
  const { compareFiles } = await import('./node.js')
  const all = await withProgress('comparing', () => compareFiles(files, configOf(base)))
  const { report, stale } = accept(all, accepted)
  const text = await import('./report/text.js')
  const { profileOf } = await import('./judge/calibrate.js')
  const { stringify } = await import('yaml')
  const raw = flags.config === undefined ? {} : await rawSettings(flags.config)
  const contents: Partial<Record<OutputKindName, () => string>> = {
    junit: () => text.junitText(report, stale),
    comparison: () => text.markdownText(report, stale),
    profile: () =>
      `# Profile of the platform, from recordings. Use it with: payments-sandbox start --config FILE\n${stringify(profileOf(report, raw))}`,
  }
  for (const output of outputsOf(flags)) await writeOutput(output, contents[output.kind]?.() ?? '')
  const isJson = flags.json === true
  process.stdout.write(isJson ? `${JSON.stringify(report)}\n` : text.terminalText(report, stale))
  process.exitCode = isPassed(report, stale) ? exitCodes.done : exitCodes.failed
}

const outputsOf = ({ junit, markdown, writeProfile }: Flags): Output[] => [
  ...(junit === undefined ? [] : [{ file: junit, kind: 'junit', flag: '--junit' } as const]),
  ...(markdown === undefined ? [] : [{ file: markdown, kind: 'comparison', flag: '--markdown' } as const]),
  ...(writeProfile === undefined ? [] : [{ file: writeProfile, kind: 'profile', flag: '--write-profile' } as const]),
]

async function readAccepted(file: string): Promise<Accepted[]> {
  const { parseAccepted } = await import('./judge/accept.js')
  const accepted = parseAccepted(await readYamlFile('acceptList', file))
  if ('accepted' in accepted) return accepted.accepted
  throw new UsageError(accepted.mistakes.map((mistake) => `${file}: ${mistake}`).join('\n'))
}

const settingsIn = async (file: string) => (await import('../../cli/settings/config-file.js')).readConfigFile(file)
const rawSettings = async (file: string) => fieldsIn(await readYamlFile('configuration', file))

async function readYamlFile(kind: 'acceptList' | 'configuration', file: string): Promise<unknown> {
  const { parse } = await import('yaml')
  const text = readInputFile(kind, file).toString('utf8')
  try {
    return parse(text, { maxAliasCount: 100 })
  } catch (error) {
    throw new UsageError(
      `${file} is not YAML: ${error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : ''}`,
    )
  }
}

/** If a file cannot be read or written, the comparison cannot run: exit code 2. */
async function asUsage(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw error instanceof UnusableFile || error instanceof Failure ? new UsageError(error.message) : error
  }
}
