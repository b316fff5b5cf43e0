/** `payments-sandbox doctor`: reports problems, their causes, and how to fix them. */

import type { Command } from 'commander'
import manifest from '../../../package.json' with { type: 'json' }
import type { ClockReading, Fidelity, Health, Ledger, WebhookSummary } from '../../client/types/control.js'
import { fidelityText } from '../../protocol/control/fidelity-text.js'
import type { Diagnosis } from '../../protocol/control/outputs.js'
import { signatureErrors } from '../../protocol/platform/endpoints.js'
import { outcomeWords } from '../../protocol/platform/failures.js'
import {
  addConnectionFlags,
  type CommandUsages,
  type ConnectionFlags,
  connect,
  print,
  type Sandbox,
} from '../command.js'
import { exitCodes } from '../errors.js'
import { paint, replaceControls } from '../terminal/style.js'

type Finding = Diagnosis['findings'][number]

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`
const maxExamined = 200
const maxHintsPerKind = 3

export const usages: CommandUsages = {
  doctor: {
    jsonOutputs: [{ shape: 'diagnosis' }],
    examples: { 'payments-sandbox doctor': 'check the sandbox and recent deliveries' },
  },
}

export function define(command: Command): void {
  addConnectionFlags(command).action(async (flags: ConnectionFlags) => {
    const sandbox = connect(flags)
    const health = await sandbox.call('GET /health')
    const findings = [
      checkVersion(health),
      checkFidelity(await sandbox.call('GET /fidelity')),
      checkClock(await sandbox.call('GET /clock')),
      checkLedger(await sandbox.call('GET /ledger')),
      await checkWebhooks(sandbox),
      await checkSignatures(sandbox),
    ]
    const diagnosis = { healthy: findings.every(({ verdict }) => verdict !== 'wrong'), findings }
    print<Diagnosis>(flags, diagnosis, formatDiagnosis)
    if (!diagnosis.healthy) process.exitCode = exitCodes.failed
  })
}

function checkVersion({ version, workspace, database_driver }: Health): Finding {
  const detail = `payments-sandbox ${version}, workspace ${workspace}; the database is writable (driver: ${database_driver})`
  return version === manifest.version
    ? { check: 'sandbox', verdict: 'ok', detail, hints: [] }
    : {
        check: 'sandbox',
        verdict: 'note',
        detail,
        hints: [`this command line has version ${manifest.version}; update the older of the two`],
      }
}

const checkFidelity = (figures: Fidelity): Finding => ({
  check: 'fidelity',
  verdict: figures.divergence === 'unknown' ? 'note' : 'ok',
  detail: fidelityText(figures),
  hints: [],
})

function checkClock({ now, mode, due, next_due }: ClockReading): Finding {
  const late = next_due !== null && Date.parse(next_due) < Date.parse(now) - 5000
  const detail = `${now}, ${mode}; ${due} due${next_due === null ? '' : `, the next at ${next_due}`}`
  if (mode === 'realtime' && late)
    return { check: 'clock', verdict: 'wrong', detail, hints: ['due jobs do not run; restart the sandbox'] }
  const hints =
    mode === 'manual' && due > 0
      ? ['the clock is frozen; payments-sandbox clock advance --until idle runs the due jobs']
      : []
  return { check: 'clock', verdict: 'ok', detail, hints }
}

function checkLedger({ balanced, accounts }: Ledger): Finding {
  const owners = new Set(accounts.map(({ username }) => username)).size
  return balanced
    ? {
        check: 'ledger',
        verdict: 'ok',
        detail: `balanced: every balance of ${counted(owners, 'account')} equals the sum of its postings`,
        hints: [],
      }
    : {
        check: 'ledger',
        verdict: 'wrong',
        detail: 'a balance differs from the sum of its postings',
        hints: [
          'this is a bug in the sandbox; please report it with the output of payments-sandbox transactions --json',
        ],
      }
}

async function checkWebhooks(sandbox: Sandbox): Promise<Finding> {
  const page = (status: WebhookSummary['status']) =>
    sandbox.call('GET /webhooks', { query: { status, limit: maxExamined } })
  const [failed, pending] = [(await page('failed')).data, (await page('pending')).data]
  const withoutUrl = failed.filter((event) => event.url === null)
  const failing = [...failed.filter((event) => event.url !== null), ...pending.filter((event) => event.attempts > 0)]
  const noted =
    withoutUrl.length === 0
      ? []
      : [
          `${counted(withoutUrl.length, 'event')} had no webhook URL; set a postback_url (payments-sandbox listen does), then run payments-sandbox webhooks redeliver ${withoutUrl[0]?.id}`,
        ]
  if (failing.length === 0)
    return {
      check: 'webhooks',
      verdict: withoutUrl.length === 0 ? 'ok' : 'note',
      detail: withoutUrl.length === 0 ? 'no failed deliveries' : 'no failed deliveries to a webhook URL',
      hints: noted,
    }
  const reasons = await Promise.all(failing.slice(0, maxHintsPerKind).map((event) => reasonOf(sandbox, event)))
  return {
    check: 'webhooks',
    verdict: 'wrong',
    detail: `${failing.length} not delivered`,
    hints: [...reasons, ...noted],
  }
}

const advice: Record<string, string> = {
  ...outcomeWords,
  tls: `${outcomeWords.tls}; add a private CA with NODE_EXTRA_CA_CERTS`,
}

async function reasonOf(sandbox: Sandbox, { id, event, url }: WebhookSummary): Promise<string> {
  const last = (await sandbox.call('GET /webhooks/{id}', { params: { id } })).attempts.at(-1)
  const response = last?.status === null || last?.status === undefined ? '' : `the response was ${last.status}`
  const why = response || (advice[last?.outcome ?? ''] ?? 'not tried yet')
  return `${event} ${id} to ${url}: ${why}`
}

async function checkSignatures(sandbox: Sandbox): Promise<Finding> {
  const pages = await Promise.all(
    signatureErrors.map((error_code) => sandbox.call('GET /requests', { query: { error_code, limit: maxExamined } })),
  )
  const rejected = pages.flatMap(({ data }) => data)
  if (rejected.length === 0)
    return { check: 'signatures', verdict: 'ok', detail: 'no call was rejected because of its signature', hints: [] }
  const hints = await Promise.all(
    rejected.slice(0, maxHintsPerKind).map(async ({ request_id, error_code, path }) => {
      const { signature } = await sandbox.call('GET /requests/{id}', { params: { id: request_id } })
      return `${error_code} at ${path}: ${signature?.hint ?? 'no hint'} (payments-sandbox requests ${request_id})`
    }),
  )
  return { check: 'signatures', verdict: 'wrong', detail: `${counted(rejected.length, 'call')} rejected`, hints }
}

const signs = { ok: paint('green', '✓'), note: paint('yellow', '!'), wrong: paint('red', '✗') }

function formatDiagnosis({ findings }: Diagnosis): string {
  return findings
    .map(({ check, verdict, detail, hints }) =>
      [
        `${signs[verdict]} ${check.padEnd(10)}  ${replaceControls(detail)}`,
        ...hints.map((hint) => `  ${' '.repeat(10)}  → ${replaceControls(hint)}`),
      ].join('\n'),
    )
    .join('\n')
    .concat('\n')
}
