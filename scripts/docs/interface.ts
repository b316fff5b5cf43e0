/** The generated parts of docs/interface.md, which repeat the tables of the platform API. */
import { secondMs } from '../../src/base/duration.js'
import { keysOf } from '../../src/base/keys.js'
import { extensions } from '../../src/http/openapi/assumptions.js'
import { eventExamples } from '../../src/http/openapi/examples-events.js'
import { eventSchemaName } from '../../src/http/openapi/field-descriptions.js'
import { jsonSchema } from '../../src/http/openapi/json-schema.js'
import { requestSchemaName, responseSchemaName } from '../../src/http/openapi/paths.js'
import { webhookParameters } from '../../src/http/openapi/webhooks.js'
import { type Basis, emulatedInterfaceText } from '../../src/protocol/platform/emulated-interface.js'
import {
  type Endpoint,
  type EndpointName,
  endpointNames,
  endpoints,
  sharedErrors,
} from '../../src/protocol/platform/endpoints.js'
import { type ErrorRow, errorCatalogue, errorCodes } from '../../src/protocol/platform/errors.js'
import { eventNames, eventTable } from '../../src/protocol/platform/events.js'
import { cashoutFailureCodes, cashoutFailures, reasons } from '../../src/protocol/platform/failures.js'
import { limitTable, webhookRetryDelaysMs } from '../../src/protocol/platform/limits.js'
import { objectKinds, statusesOf, type TransitionRow, transitions } from '../../src/protocol/platform/transitions.js'
import { exampleWithNames, fieldNames, glossary, requestTable, responseTable } from './field-table.js'
import { code, codes, markdownTable, withParts } from './markdown.js'

/** Returns the page with its generated parts up to date. */
export function interfacePage(page: string): string {
  return withParts(page, 'docs/interface.md', {
    version: `${emulatedInterfaceText}.`,
    currencies: currencyTable(),
    'cashin response': responseTable(responseOf('cashin')),
    payer: requestTable(requestOf('cashin'), { below: 'payer' }),
    split: requestTable(requestOf('cashin'), { below: 'split' }),
    fields: fieldGlossary(),
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
    'shared errors': sharedErrors.map(({ of, codes: names }) => `- ${of}: ${codes(names)}`).join('\n'),
    limits: limitRows(),
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

const statusTable = () =>
  markdownTable(
    ['Object', 'Statuses'],
    objectKinds.map((kind) => [code(kind), codes(statusesOf(kind))]),
  )

const movesOf = ({ moves }: TransitionRow): string[] => moves.map(([from, to, amount]) => `${from} → ${to}: ${amount}`)

/** The transition of the charge that follows when a dispute is lost or confirmed. */
const linkedTo = ({ next }: TransitionRow): TransitionRow[] =>
  next === undefined ? [] : transitions.filter(({ object, on }) => object === next[0] && on === next[1])

/** A step with equal effects in several states is one row. */
function transitionTable(): string {
  const rows = new Map<string, { object: string; from: string[]; cells: string[] }>()
  for (const row of transitions as readonly TransitionRow[]) {
    const money = [
      ...movesOf(row),
      ...linkedTo(row).flatMap((linked) => [`then ${code(linked.on)}:`, ...movesOf(linked)]),
    ]
    const events = [row, ...linkedTo(row)].flatMap(({ event }) => event ?? [])
    const cells = [
      code(row.on) + (row.basis === 'assumed' ? ' (assumed)' : ''),
      code(row.to),
      money.join('<br>'),
      codes(events),
    ]
    const key = JSON.stringify([row.object, cells])
    const before = rows.get(key) ?? { object: code(row.object), from: [], cells }
    before.from.push(row.from === null ? '(new)' : code(row.from))
    rows.set(key, before)
  }
  return markdownTable(
    ['Object', 'From', 'Step', 'To', 'Money', 'Event'],
    [...rows.values()].map(({ object, from, cells }) => [object, from.join(', '), ...cells]),
  )
}

const requestOf = (name: EndpointName) => jsonSchema(endpoints[name].request(), 'input', requestSchemaName(name))
const responseOf = (name: EndpointName) => jsonSchema(endpoints[name].response(), 'output', responseSchemaName(name))

/** The token endpoint and the charge have sections of their own. */
const hasNoSection = (name: EndpointName) => name !== 'token' && name !== 'cashin'

const endpointTable = () =>
  markdownTable(
    ['Method and path', 'Purpose', 'Input', 'Signed', 'Success'],
    endpointNames.map((name) => {
      const { method, path, title, input, hmac, status, basis }: Endpoint = endpoints[name]
      const mark = basis === 'assumed' ? ' (path assumed)' : ''
      return [code(`${method} ${path}`), title + mark, inputs[input], hmac === true ? 'yes' : 'no', status]
    }),
  )

const inputs: Record<Endpoint['input'], string> = {
  json: 'JSON',
  query: 'query',
  multipart: '`multipart/form-data`',
  none: 'none',
}

const endpointSection = (name: EndpointName) =>
  `#### ${endpoints[name].method} ${endpoints[name].path}\n\n${endpointPart(name)}`

/** The fields of all responses and events, except those of a charge, which has a table of its own. */
const fieldGlossary = () =>
  glossary(
    [...endpointNames.filter(hasNoSection).map(responseOf), ...eventNames.map(dataOf)],
    new Set([...fieldNames(responseOf('cashin'))].filter((name) => name.startsWith('payment_info'))),
  )

const responses: Partial<Record<EndpointName, () => string>> = {
  token: () => `Response fields in the body:\n\n${responseTable(responseOf('token'))}`,
  cashin: () => 'The fields of `data` are listed in [§2.2](#section-2-2).',
}

/** Objects of a request that have a section of their own. */
const sectionsOfCashin = ['payer.', 'split[]']

function endpointPart(name: EndpointName): string {
  const { about, input, errors, answer }: Endpoint = endpoints[name]
  const except = name === 'cashin' ? sectionsOfCashin : []
  return [
    about,
    ...(errors.length === 0 ? [] : [`Errors of its own: ${codes(errors)}`]),
    ...(input === 'none' ? [] : [`Request:\n\n${requestTable(requestOf(name), { except })}`]),
    responses[name]?.() ?? `Response (assumed):\n\n${exampleWithNames(responseOf(name), answer)}`,
  ].join('\n\n')
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

const dataOf = (event: (typeof eventNames)[number]) =>
  jsonSchema(eventTable[event].data(), 'output', eventSchemaName(event))

const payloadSection = (event: (typeof eventNames)[number]) =>
  `#### ${event}\n\n${exampleWithNames(dataOf(event), eventExamples[event])}`

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
    limitTable().map(({ name, value, basis }) => [name, value, sourceOf(basis)]),
  )
