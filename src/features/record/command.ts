/** `payments-sandbox record`: records calls and webhooks of a platform as a HAR file, without secrets and personal data. */
import { once } from 'node:events'
import type { Command } from 'commander'
import {
  bold,
  type CommandUsages,
  dim,
  Failure,
  portNumber,
  UsageError,
  untilInterrupted,
} from '../../inside/commands.js'
import { checkOutput, UnusableFile } from '../../inside/node.js'
import { codeOf } from '../../inside/values.js'
import { recordingOutput, requireFile } from './file/recording-file.js'
import { openRecorder, type Recorder, type Totals } from './proxy/recorder.js'

interface Flags {
  target: string
  out: string
  port: string
  webhooksPort?: string
  forwardTo?: string
  json?: boolean
}

export const usages: CommandUsages = {
  record: {
    jsonOutputs: [{ shape: 'recording', description: 'one line at the start, and one line at the end' }],
    examples: {
      'payments-sandbox record --target https://api.example.com --out calls.har':
        'record the calls of an app that uses the printed URL as its base URL',
      'payments-sandbox record --target https://api.example.com --out all.har --webhooks-port 0 --forward-to http://localhost:3000/webhooks':
        'also record the webhooks that a tunnel sends to the second port, and forward them to the app',
    },
  },
}

export function define(command: Command): void {
  command
    .requiredOption('--target <url>', 'base URL of the platform')
    .requiredOption('--out <file>', 'HAR file to write; an existing recording is replaced')
    .option('--port <number>', 'port for the calls of your app (default: any free port)', '0')
    .option('--webhooks-port <number>', 'port for the webhooks of the platform; requires --forward-to')
    .option('--forward-to <url>', 'URL of your webhook receiver')
    .option('--json', 'print JSON')
    .action(record)
}

const graceMs = 2000

async function record(flags: Flags): Promise<void> {
  const { out, webhooksPort, forwardTo } = flags
  const target = urlOf('--target', flags.target)
  if (target.search !== '' || target.hash !== '') throw new UsageError('--target must not have a query or a fragment')
  if ((webhooksPort === undefined) !== (forwardTo === undefined))
    throw new UsageError('--webhooks-port and --forward-to must be given together')
  const webhooks =
    webhooksPort === undefined || forwardTo === undefined
      ? null
      : { port: portNumber('--webhooks-port', webhooksPort), forwardTo: urlOf('--forward-to', forwardTo) }
  const port = portNumber('--port', flags.port)
  requireFile(out)
  checkOutput(recordingOutput(out))
  const onFault = (message: string) => void process.stderr.write(`payments-sandbox: ${message}\n`)
  await untilInterrupted(new AbortController(), async (signal) => {
    const recorder = await openRecorder({ target, file: out, port, webhooks, now: Date.now, onFault }).catch(fail)
    welcome(recorder, target, flags)
    if (!signal.aborted) await once(signal, 'abort')
    summarize(await recorder.close(graceMs), flags)
  })
}

function urlOf(flag: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${flag} must be an http:// or https:// URL, not ${text}`)
  // The URL is not printed, because it contains a password.
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`${flag} must not contain a user name or password`)
  return url
}

function fail(error: unknown): never {
  const code = codeOf(error)
  if (error instanceof UnusableFile || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error
  throw new Failure(`cannot listen (${code}); choose another --port or --webhooks-port`)
}

function welcome({ url, webhooksUrl }: Recorder, target: URL, { out, forwardTo, json }: Flags): void {
  if (json === true)
    return void process.stdout.write(`${JSON.stringify({ event: 'ready', url, webhooks_url: webhooksUrl })}\n`)
  const hooks = webhooksUrl === null ? '' : `${bold('webhooks ')} ${webhooksUrl} → ${forwardTo ?? ''}\n`
  process.stdout.write(
    `${bold('recording')} ${url} → ${target.href}\n${hooks}${bold('file     ')} ${out}\n${dim('press Ctrl-C to stop')}\n`,
  )
}

function summarize({ exchanges, webhooks, omitted, masked }: Totals, { out, json }: Flags): void {
  if (json === true)
    return void process.stdout.write(
      `${JSON.stringify({ event: 'stopped', file: out, exchanges, webhooks, omitted, masked })}\n`,
    )
  const omission = omitted === 0 ? '' : `; ${omitted} exchanges or parts of them are left out`
  const masks = masked === 0 ? '' : `; ${masked} values are masked, because they look random`
  process.stdout.write(`\n${out}: ${exchanges} calls, ${webhooks} webhooks${omission}${masks}\n`)
}
