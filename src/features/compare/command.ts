/** `payments-sandbox compare`: compares recordings of the platform with the sandbox. Needs no running sandbox. */
import type { Command } from 'commander'
import {
  asUsage,
  type CommandUsages,
  exitCodes,
  Failure,
  reportWriter,
  UsageError,
  withProgress,
} from '../../inside/commands.js'
import { configOf } from '../../inside/control.js'
import { readInputFile } from '../../inside/node.js'
import { fieldsIn } from '../../inside/values.js'
import { type Accepted, accept, isPassed, parseAccepted } from './judge/accept.js'
import type { Comparison } from './judge/comparison.js'
import { junitText, markdownText, terminalText } from './report/text.js'
import { compareRoutes } from './routes.js'

interface Flags {
  accept?: string
  config?: string
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

interface Compared {
  report: Comparison
  stale: readonly Accepted[]
  /** The keys of the configuration to compare with. */
  base: Record<string, unknown>
}

const writer = reportWriter<Compared>([
  {
    ...{ flag: '--write-profile <file>', kind: 'profile' },
    help: 'write a configuration file that makes the sandbox respond like the recordings',
    text: profileText,
  },
  {
    ...{ flag: '--junit <file>', kind: 'junit', help: 'write the findings as JUnit XML' },
    text: ({ report, stale }) => junitText(report, stale),
  },
  {
    ...{ flag: '--markdown <file>', kind: 'comparison', help: 'write the report as Markdown' },
    text: ({ report, stale }) => markdownText(report, stale),
  },
])

async function profileText({ report, base }: Compared): Promise<string> {
  const { profileOf } = await import('./judge/calibrate.js')
  const { stringify } = await import('yaml')
  return `# Profile of the platform, from recordings. Use it with: payments-sandbox start --config FILE\n${stringify(profileOf(report, base))}`
}

export function define(command: Command): void {
  command
    .description(
      'compare recordings of the platform (HAR 1.2) with the sandbox; exit code 0: no difference, 1: differences, 2: cannot run',
    )
    .argument('<files...>', 'recordings')
    .option('--accept <file>', 'YAML file that lists known differences, each with verdict, call, path, reason and date')
    .option('--config <file>', 'settings of the sandbox to compare with (default: the standard settings)')
  writer.addFlags(command).action((files: string[], flags: Flags) => asUsage(() => run(files, flags), Failure))
}

async function run(files: readonly string[], flags: Flags): Promise<void> {
  await writer.check(flags)
  const accepted = flags.accept === undefined ? [] : await readAccepted(flags.accept)
  const [settings, base] = flags.config === undefined ? [{}, {}] : await settingsIn(flags.config)
  const { compareFiles } = await import('./node.js')
  const all = await withProgress('comparing', () => compareFiles(files, configOf(settings)))
  const { report, stale } = accept(all, accepted)
  await writer.write(flags, { report, stale, base }, () => terminalText(report, stale))
  process.exitCode = isPassed(report, stale) ? exitCodes.done : exitCodes.failed
}

async function readAccepted(file: string): Promise<Accepted[]> {
  const accepted = parseAccepted(await readYamlFile('acceptList', file))
  if ('accepted' in accepted) return accepted.accepted
  throw new UsageError(accepted.mistakes.map((mistake) => `${file}: ${mistake}`).join('\n'))
}

/** The settings of a file, and its keys as they stand there. */
async function settingsIn(file: string) {
  const { readConfigFile } = await import('../../cli/settings/config-file.js')
  return [await readConfigFile(file), fieldsIn(await readYamlFile('configuration', file))] as const
}

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
