/** The generated parts of docs/interface.md, which repeat the tables of the platform API. */
import { secondMs } from '../../base/duration.js'
import { keysOf } from '../../base/keys.js'
import { code, codes, markdownTable, withParts } from '../../base/markdown.js'
import { capitalized } from '../../base/text.js'
import type { Basis } from '../../protocol/platform/basis.js'
import { networkNames, networks } from '../../protocol/platform/currencies.js'
import { errorsOf } from '../../protocol/platform/endpoint-errors.js'
import { type Endpoint, type EndpointName, endpointNames, endpoints } from '../../protocol/platform/endpoints.js'
import { type ErrorRow, errorCatalogue, errorCodes } from '../../protocol/platform/errors.js'
import { eventNames, eventTable } from '../../protocol/platform/events.js'
import { cashoutFailureCodes, cashoutFailures, reasons } from '../../protocol/platform/failures.js'
import { emulatedInterfaceText } from '../../protocol/platform/interface-version.js'
import { limitTable } from '../../protocol/platform/limit-table.js'
import { webhookRetryDelaysMs } from '../../protocol/platform/limits.js'
import { objectKinds, statusesOf, type TransitionRow, transitions } from '../../protocol/platform/transitions.js'
import { extensions } from './assumptions.js'
import { requestTable, responseTable } from './field-table.js'
import { jsonSchema } from './json-schema.js'
import { requestSchemaName, responseSchemaName } from './paths.js'
import { eventSchemaName, webhookParameters } from './webhooks.js'

/** Returns the page with its generated parts up to date. */
export function interfacePage(page: string): string {
  return withParts(page, 'docs/interface.md', {
    version: `${capitalized(emulatedInterfaceText)}.`,
    currencies: currencyTable(),
    networks: networkTable(),
    'cashin response': responseTable(responseOf('cashin')),
    payer: requestTable(requestOf('cashin'), 'payer'),
    split: requestTable(requestOf('cashin'), 'split'),
    statuses: statusTable(),
    transitions: transitionTable(),
    endpoints: endpointTable(),
    token: endpointPart('token'),
    cashin: endpointPart('cashin'),
    'other endpoints': endpointNames.filter(hasNoSection).map(endpointSection).join('\n\n'),
    'signed routes': signedRoutes(),
    'webhook headers': webhookHeaderTable(),
    retries: retryTable(),
    events: eventList(),
    payloads: eventNames.map(payloadSection).join('\n\n'),
    failures: markdownTable(
      ['`error_code`', 'Meaning'],
      cashoutFailureCodes.map((name) => [code(name), cashoutFailures[name].meaning]),
    ),
    reasons: reasonTable(),
    errors: errorTable(),
    limits: limitRows(),
    amounts: amountTable(),
  })
}

const sourceOf = (basis: Basis) => (basis === 'assumed' ? 'assumed' : 'documented')

const currencyTable = () =>
  markdownTable(
    ['Currency', 'Type', 'Payment method', 'Chains', 'Withdrawal networks'],
    extensions()['x-currencies'].map((row) => [
      code(row.currency),
      code(row.type),
      code(row.payment_method),
      codes(row.chains),
      codes(row.networks),
    ]),
  )

const networkTable = () =>
  markdownTable(
    ['Network', 'Kind', 'Label in events', 'Source of the label'],
    networkNames.map((name) => {
      const { layer2, label, labelBasis } = networks[name]
      return [code(name), layer2 ? 'second layer' : 'chain', code(label), sourceOf(labelBasis)]
    }),
  )

const statusTable = () =>
  markdownTable(
    ['Object', 'Statuses'],
    objectKinds.map((kind) => [code(kind), codes(statusesOf(kind))]),
  )

const movesOf = ({ moves }: TransitionRow): string[] => moves.map(([from, to, amount]) => `${from} → ${to}: ${amount}`)

/** The transition of the charge that follows when a dispute is lost or confirmed. */
const linkedTo = ({ next }: TransitionRow): TransitionRow[] =>
  next === undefined ? [] : transitions.filter(({ object, on }) => object === next[0] && on === next[1])

const transitionTable = () =>
  markdownTable(
    ['Object', 'From', 'Step', 'To', 'Money', 'Event', 'Source'],
    transitions.map((row: TransitionRow) => [
      code(row.object),
      row.from === null ? '(new)' : code(row.from),
      code(row.on),
      code(row.to),
      [...movesOf(row), ...linkedTo(row).flatMap((linked) => [`then ${code(linked.on)}:`, ...movesOf(linked)])].join(
        '<br>',
      ),
      [row, ...linkedTo(row)]
        .flatMap(({ event }) => event ?? [])
        .map(code)
        .join(', '),
      sourceOf(row.basis),
    ]),
  )

const requestOf = (name: EndpointName) => jsonSchema(endpoints[name].request, 'input', requestSchemaName(name))
const responseOf = (name: EndpointName) => jsonSchema(endpoints[name].response, 'output', responseSchemaName(name))

/** The token endpoint and the charge have sections of their own. */
const hasNoSection = (name: EndpointName) => name !== 'token' && name !== 'cashin'

const endpointTable = () =>
  markdownTable(
    ['Method and path', 'Purpose', 'Authorization', 'Signed', 'Source of the path'],
    endpointNames.map((name) => {
      const { method, path, title, auth, hmac, basis }: Endpoint = endpoints[name]
      return [code(`${method} ${path}`), title, auth, hmac === true ? 'yes' : 'no', sourceOf(basis)]
    }),
  )

const inputs: Record<Endpoint['input'], string> = {
  json: 'JSON body',
  query: 'query parameters',
  multipart: '`multipart/form-data`',
  none: 'none',
}

const endpointSection = (name: EndpointName) =>
  `#### ${endpoints[name].method} ${endpoints[name].path}\n\n${endpointPart(name)}`

function endpointPart(name: EndpointName): string {
  const endpoint: Endpoint = endpoints[name]
  const { about, hmac, input } = endpoint
  const where = name === 'token' ? 'the body' : '`data`'
  const request = input === 'none' ? [] : [`Request fields:\n\n${requestTable(requestOf(name))}`]
  const response =
    name === 'cashin'
      ? 'The fields of `data` are listed in [§2.2](#section-2-2).'
      : `Response fields in ${where}:\n\n${responseTable(responseOf(name))}`
  const facts = [
    `- Request: ${inputs[input]}`,
    `- Signature headers: ${hmac === true ? 'required' : 'not used'}`,
    `- Success: HTTP ${endpoint.status}`,
    `- Errors: ${codes(errorsOf(endpoint))}`,
  ]
  return [about, facts.join('\n'), ...request, response].join('\n\n')
}

const signedRoutes = () =>
  endpointNames
    .filter((name) => 'hmac' in endpoints[name])
    .map((name) => `- ${code(`${endpoints[name].method} ${endpoints[name].path}`)}`)
    .join('\n')

function webhookHeaderTable(): string {
  const headers = Object.values(webhookParameters()).map(({ name = '', description = '', example }) => [
    code(name),
    description,
    code(String(example)),
  ])
  return markdownTable(
    ['Header', 'Content', 'Example'],
    [[code('Content-Type'), 'Type of the body.', code('application/json')], ...headers],
  )
}

/** Attempt 1 is sent when the event occurs, so its row has no delay. */
const retryTable = () =>
  markdownTable(
    ['Attempt', 'Delay after the previous attempt'],
    [0, ...webhookRetryDelaysMs].map((ms, index) => [index + 1, ms === 0 ? 'none' : `${ms / secondMs} s`]),
  )

const eventList = () =>
  markdownTable(
    ['Event', 'Sent when'],
    eventNames.map((event) => [code(event), eventTable[event].sentWhen]),
  )

const payloadSection = (event: (typeof eventNames)[number]) =>
  `#### ${event}\n\n${responseTable(jsonSchema(eventTable[event].data, 'output', eventSchemaName(event)))}`

const reasonTable = () =>
  markdownTable(
    ['Step', 'Default reason', 'Source'],
    keysOf(reasons).map((step) => [code(step), reasons[step].text, sourceOf(reasons[step].basis)]),
  )

const errorTable = () =>
  markdownTable(
    ['Code', 'HTTP', 'Group', 'Retryable', 'Message', '`details`', 'Source of the code'],
    errorCodes.map((name) => {
      const { status, group, retryable, message, example, basis }: ErrorRow = errorCatalogue[name]
      return [
        code(name),
        status,
        code(group),
        retryable === true ? 'yes' : 'no',
        message,
        codes(Object.keys(example ?? {})),
        sourceOf(basis),
      ]
    }),
  )

const limitRows = () =>
  markdownTable(
    ['Limit', 'Value', 'Source'],
    limitTable.map(({ name, value, basis }) => [name, value, sourceOf(basis)]),
  )

const amountTable = () =>
  markdownTable(
    ['Currency', 'Decimals', 'Minimum', 'Source of the minimum'],
    extensions()['x-currencies'].map((row) => [
      code(row.currency),
      row.decimals,
      row.min,
      sourceOf(row['x-min-assumed'] ? 'assumed' : 'spec'),
    ]),
  )
