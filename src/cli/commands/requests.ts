/** `payments-sandbox requests`: the request log, and why a signature was rejected. */
import type { Command } from 'commander'
import { indentedJson } from '../../base/json.js'
import type { LoggedCall, LoggedCallDetails } from '../../client/types/control.js'
import { type Endpoint, endpointNames, endpoints } from '../../protocol/platform/endpoints.js'
import { callSteps, tokenCall } from '../../protocol/platform/shell-calls.js'
import { accountNamed, type CommandUsages, credentialOf, type Sandbox } from '../command.js'
import { Failure } from '../errors.js'
import { defineList, type ListCommand } from '../lists.js'
import { bold, type Column, dim, formatFields, paint, replaceControls, shortTime } from '../terminal/style.js'

const paintStatus = (value: string, text: string) => paint(value < '4' ? 'green' : value < '5' ? 'yellow' : 'red', text)

const at: Column<LoggedCall> = {
  title: 'AT',
  of: (row) => row.at,
  short: shortTime,
  paint: (_value, text) => dim(text),
}
const id: Column<LoggedCall> = { title: 'ID', of: (row) => row.request_id }
const status: Column<LoggedCall> = { title: 'STATUS', of: (row) => row.status, paint: paintStatus, align: 'right' }

const paintIfAny = (value: string, text: string) => (value === '-' ? text : paint('yellow', text))

const columns: readonly Column<LoggedCall>[] = [
  at,
  status,
  { title: 'METHOD', of: (row) => row.method },
  { title: 'PATH', of: (row) => row.path },
  id,
  { title: 'ERROR', of: (row) => row.error_code },
  { title: 'FAULTS', of: faultsOf, paint: paintIfAny },
  {
    title: 'WARNINGS',
    of: ({ warnings }) => [...new Set(warnings.map(({ code }) => code))].join(', ') || null,
    paint: paintIfAny,
  },
  { title: 'ACCOUNT', of: (row) => row.account },
  { title: 'TOOK', of: (row) => `${row.duration_ms} ms`, align: 'right' },
]

/** The scenario, or chaos, and what it did to the call: the status alone does not show that the response was dropped. */
function faultsOf({ scenario, chaos, requested_error: requested, faults = [] }: LoggedCall): string | null {
  const cause = scenario ?? (chaos !== undefined ? 'chaos' : requested !== undefined ? 'requested' : null)
  const effects = faults.filter((fault) => !fault.startsWith('run: ')).join(', ')
  return cause === null || effects === '' ? cause : `${cause}: ${effects}`
}

const warned: readonly Column<LoggedCall>[] = [
  at,
  status,
  { title: 'CALL', of: (row) => `${row.method} ${row.path}` },
  id,
  { title: 'WARNINGS', of: ({ warnings }) => warnings.map(({ message }) => message).join(' ') },
]

const list: ListCommand<LoggedCall, LoggedCallDetails> = {
  path: '/_sandbox/requests',
  columns,
  empty: 'no API calls yet',
  filters: {
    status: 'filter by HTTP status',
    error_code: 'filter by error code',
    method: 'filter by method: GET or POST',
    path: 'filter by path, without the query',
    account: 'filter by account',
  },
  switches: {
    warnings: {
      help: 'show only calls with warnings about probable mistakes',
      columns: warned,
      empty: 'no API calls with warnings',
    },
  },
  matchesChange: (change) => change.type === 'request',
  idOf: (row) => row.request_id,
  format: formatCall,
  itemActions: {
    curl: {
      help: 'print a curl command that repeats the call',
      async run(sandbox, id) {
        const command = await curlOf(sandbox, await sandbox.call('GET /requests/{id}', { params: { id } }))
        return [{ command }, `${command}\n`]
      },
    },
    replay: {
      help: 'repeat the call with a new token and signature',
      async run(sandbox, id) {
        const replayed = await sandbox.call('POST /requests/{id}/replay', { params: { id } })
        return [replayed, formatCall(replayed)]
      },
    },
  },
}

export const usages: CommandUsages = {
  requests: {
    jsonOutputs: [
      { route: 'listRequests' },
      { route: 'readRequest', when: 'with an ID' },
      { shape: 'repeated', when: 'with --curl' },
      { route: 'replayRequest', when: 'with --replay' },
      { description: 'a row of the list for each call', when: 'with --follow' },
    ],
    examples: {
      'payments-sandbox requests --error-code INVALID_SIGNATURE': 'list calls with a rejected signature',
      'payments-sandbox requests req_0000005knz76yb29nrft':
        'show headers, bodies, and the reason for a rejected signature',
      'payments-sandbox requests req_0000005knz76yb29nrft --curl': 'print a curl command that repeats the call',
      'payments-sandbox requests req_0000005knz76yb29nrft --replay': 'repeat the call with a new token and signature',
      'payments-sandbox requests --warnings':
        'list calls with probable mistakes, such as an unknown field or a new token for each call',
      'payments-sandbox requests --follow': 'print each new call',
    },
  },
}

export const define = (command: Command) => defineList(command, list)

function formatCall(call: LoggedCallDetails): string {
  const { signature } = call
  return [
    formatFields([
      ['id', call.request_id],
      ['at', call.at],
      ['call', `${call.method} ${call.path}`],
      ['status', call.status],
      ['error', call.error_code],
      ['account', call.account],
      ['credential', call.credential],
      ['took', `${call.duration_ms} ms`],
      ['scenario', call.scenario],
      ['chaos', call.chaos?.join(', ')],
      ['requested error', call.requested_error],
      ['faults', call.faults?.join(', ')],
    ]),
    call.warnings.length === 0
      ? ''
      : `\n${bold('Warnings')}\n${formatFields(call.warnings.map(({ code, message }) => [code, message]))}`,
    signature === undefined
      ? ''
      : `\n${bold('Signature')}\n${formatFields([
          ['verdict', signature.verdict],
          ['hint', signature.hint],
          ['string signed', signature.string_to_sign],
          ['expected', signature.expected],
          ['received', signature.received],
        ])}`,
    headers('Request headers', call.request_headers),
    body('Request body', call.request_body ?? ''),
    headers('Response headers', call.response_headers),
    body('Response', indentedJson(call.response_body ?? '')),
  ].join('')
}

const headers = (title: string, all: Record<string, string>) =>
  Object.keys(all).length === 0 ? '' : `\n${bold(title)}\n${formatFields(Object.entries(all))}`

/** Prints a body unformatted, because a signature covers each space. */
const body = (title: string, text: string) => (text === '' ? '' : `\n${bold(title)}\n${replaceControls(text)}\n`)

// Formats a logged call as curl commands, with a new token and signature.

/** Throws `Failure` for a call with files, which are not stored. */
export async function curlOf(sandbox: Sandbox, call: LoggedCallDetails): Promise<string> {
  // The address of a workspace has a path, with which the logged path begins.
  const base = new URL(sandbox.url).pathname
  const fullPath = call.path.startsWith(`${base}/`) ? call.path.slice(base.length) : call.path
  const path = fullPath.split('?')[0]
  const name = endpointNames.find((one) => endpoints[one].path === path && endpoints[one].method === call.method)
  const endpoint: Endpoint | undefined = name === undefined ? undefined : endpoints[name]
  if (endpoint?.input === 'multipart')
    throw new Failure(`call ${call.request_id} had files, which the request log does not store`)
  const account = await accountNamed(sandbox, call.account ?? undefined)
  const signingCredential =
    account.credentials.find(({ client_id }) => client_id === call.credential) ?? credentialOf(account)
  const credential = {
    clientId: signingCredential.client_id,
    clientSecret: signingCredential.client_secret,
    signingKey: signingCredential.signing_key,
  }
  if (endpoint?.auth === 'basic') return tokenCall(sandbox.url, credential)
  const { method, request_body } = call
  return callSteps(sandbox.url, credential, {
    method,
    path: fullPath,
    signed: endpoint?.hmac === true,
    body: request_body ?? '',
  })
}
