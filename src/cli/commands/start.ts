/** `payments-sandbox start`: its flags come from the table of settings. The implementation is loaded when the command runs. */

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { type Command, type Help, Option } from 'commander'
import manifest from '../../../package.json' with { type: 'json' }
import { systemRandom } from '../../base/crypto.js'
import { randomText } from '../../base/random.js'
import type { Ready } from '../../protocol/control/outputs.js'
import { defaultPort, variableOf } from '../../protocol/settings/process.js'
import { program } from '../../runtime/node/program.js'
import { type CommandUsages, type Composition, formatExamples, type Usage } from '../command.js'
import { logFileOf, markVariable, processAt, saveRecord } from '../detached.js'
import { Failure } from '../errors.js'
import { resolveSettings } from '../settings/resolve.js'
import {
  addSettingFlags,
  flagOf,
  flagsOf,
  helpOf,
  negatedVariableOf,
  type Settings,
  setting,
  settingNames,
} from '../settings/settings.js'
import { prepareFolder } from '../state-folder.js'
import { banner, startWarnings } from '../terminal/start-output.js'

const startUsage: Usage = {
  jsonOutputs: [{ shape: 'ready' }],
  hidesExamples: true,
  examples: {
    'payments-sandbox start': `start in memory, on port ${defaultPort}`,
    'payments-sandbox start --db sandbox.sqlite': 'store the state in a file',
    'payments-sandbox start --port 0 --clock manual --seed ci --json':
      'start for tests: a free port, a manual clock, the same ids every time',
    'payments-sandbox start --detach --port 0': 'start in the background; payments-sandbox stop ends the sandbox',
    'payments-sandbox start --snapshot golden.json': 'start from a snapshot file',
    'payments-sandbox start --config sandbox.yaml': 'read settings and accounts from a file',
  },
}

export const usages: CommandUsages = { start: startUsage }

export function define(command: Command, { routes }: Composition): void {
  addSettingFlags(command)
  command
    .option('--detach', 'run in the background until payments-sandbox stop')
    .option('--help-config', 'show more flags, file settings, variables, examples')
    .addHelpOption(new Option('-h, --help').hideHelp())
    .configureHelp({ ...command.configureHelp(), formatHelp: shortHelp })
    .action(async (flags: { detach?: true; helpConfig?: true }, self: Command) => {
      if (flags.helpConfig === true) {
        process.stdout.write(configHelp(self.createHelp()))
        return
      }
      const resolved = await resolveSettings(flagsOf(self), process.env)
      if (flags.detach === true) {
        await startDetached(resolved.settings)
        return
      }
      const { runSandbox } = await import('../run-sandbox.js')
      await runSandbox(resolved, routes)
    })
}

/** Fits a screen of 30 lines: an example and the flags, one line each. */
function shortHelp(command: Command, helper: Help): string {
  const options = helper
    .visibleOptions(command)
    .map((option): [string, string] => [helper.optionTerm(option), helper.optionDescription(option)])
  return `Usage: ${helper.commandUsage(command)}\nstart a sandbox, for example: payments-sandbox start --db sandbox.sqlite\n${formatItems(options, helper)}\n`
}

function formatItems(items: readonly (readonly [term: string, text: string])[], helper: Help): string {
  const width = Math.max(...items.map(([term]) => term.length))
  return items.map(([term, text]) => helper.formatItem(term, width, text, helper)).join('\n')
}

/** What `--help` has no room for. */
function configHelp(helper: Help): string {
  helper.prepareContext({ helpWidth: process.stdout.columns ?? 80 })
  const rare = settingNames.filter((name) => setting(name).isRare)
  const only = settingNames.filter((name) => setting(name).fileOnly)
  return [
    'Each flag of start is also an environment variable and a key of the',
    'configuration file. Flags override variables, variables override the file.',
    `--webhook-url is ${variableOf('webhook_url')} and webhook_url.`,
    `--no-rate-limits is ${negatedVariableOf('rate_limits')}=1 and`,
    '"rate_limits: false". An unknown variable with the prefix PAYMENTS_SANDBOX_',
    'is an error. payments-sandbox settings lists the values of a running sandbox.',
    '',
    'Flags that start --help does not list:',
    formatItems(
      rare.map((name) => [`${flagOf(name)} ${setting(name).placeholder}`, helpOf(name)]),
      helper,
    ),
    '',
    'Only in the configuration file:',
    formatItems(
      only.map((name) => [name, helpOf(name)]),
      helper,
    ),
    '',
    formatExamples(startUsage),
    '',
  ].join('\n')
}

/** Prints the output of `start` when the sandbox is ready. Throws `Failure` with the error of a failed start. */
async function startDetached(settings: Settings): Promise<void> {
  const mark = randomText(systemRandom().stream('detached'), 12)
  prepareFolder()
  const child = launch(mark)
  const ready = await readyLine(child, mark)
  await saveRecord({
    base_url: ready.base_url,
    pid: child.pid ?? 0,
    mark,
    db: settings.db,
    log: logFileOf(mark),
    started_at: (await processAt(ready).catch(() => null))?.started_at ?? new Date().toISOString(),
    ...(ready.admin_token === undefined ? {} : { admin_token: ready.admin_token }),
  }).catch((error: unknown) => {
    // Without its record, `stop` could not find it.
    child.kill()
    throw error
  })
  startWarnings(settings)
  child.stdout?.destroy()
  child.unref()
  const stop = `  It runs in the background. Stop it with ${program.typed} stop --url ${ready.base_url}\n\n`
  process.stdout.write(settings.json ? `${JSON.stringify(ready)}\n` : banner(ready, settings, manifest.version) + stop)
}

function launch(mark: string): ChildProcess {
  const [file, ...fixedArgs] = program.command()
  const args = process.argv.slice(2).filter((word) => word !== '--detach' && word !== '--json')
  const log = openSync(logFileOf(mark), 'w', 0o600)
  const child = spawn(file, [...fixedArgs, ...args, '--json'], {
    detached: true,
    stdio: ['ignore', 'pipe', log],
    env: { ...process.env, [markVariable]: mark },
  })
  closeSync(log)
  return child
}

function readyLine(child: ChildProcess, mark: string): Promise<Ready> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (text.includes('\n')) resolve(JSON.parse(text))
    })
    child.once('error', reject)
    child.once('close', () => {
      const errorText = readFileSync(logFileOf(mark), 'utf8')
        .trim()
        .replace(/^payments-sandbox: /, '')
      rmSync(logFileOf(mark), { force: true })
      reject(
        new Failure(errorText === '' ? 'the sandbox exited before it was ready, without an error message' : errorText),
      )
    })
  })
}
