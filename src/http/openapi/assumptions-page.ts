/** docs/assumptions.md: what the platform documents, what the sandbox guesses, and how to change a guess. Made from the tables. */

import { code, markdownTable } from '../../base/markdown.js'
import { type Endpoint, endpointNames, endpoints } from '../../protocol/platform/endpoints.js'
import { eventNames } from '../../protocol/platform/events.js'
import { defaultUrl } from '../../protocol/settings/address.js'
import { assumedEndpoints, type Extensions } from './assumptions.js'
import { buildDocument, type SandboxDocument } from './document.js'
import { requestSchemaName, responseSchemaName } from './paths.js'
import type { Schema } from './types.js'
import { eventSchemaName } from './webhooks.js'

export function assumptionsPage(): string {
  const document = buildDocument({ baseUrl: defaultUrl, version: '0' })
  const sections = [intro, settings(document), ...choices(document), shapes(document), codes(document), moves(document)]
  return `${[...sections, money(document), limits(document)].join('\n\n')}\n`
}

const intro = `# Assumptions

<!-- Made by \`npm run docs\` from the tables in src/protocol: change those, not this page. -->

The sandbox follows the documentation of the platform wherever that speaks. Where it is silent, or says two things,
the sandbox had to choose, and every choice stands on this page. If the platform turns out to differ, believe the platform.
[Platform API](interface.md) describes the API section by section, and [Decisions](decisions.md) gives the reasons for the choices.

The same marks are on the running sandbox: \`/_sandbox/docs\` shows them, and \`/_sandbox/openapi.json\` carries
\`x-assumed: true\` on every operation, field, error, limit and transition that is not documented.`

const list = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n')

function settings(document: Extensions): string {
  const rows = document['x-settings'].map((row) => [
    code(row.key) + (row.flag === null ? '' : `, ${code(row.flag)}`),
    `${row.title}.`,
    row.unlessSet,
    'x-assumed' in row ? 'yes' : 'no',
  ])
  return `## Settings

A setting is a key of the configuration file (\`start --config FILE\`); those with a flag can be given there as well.
Limits, fees and credentials of one account are changed while the sandbox runs, with \`PATCH /_sandbox/accounts/{username}\`.

${markdownTable(['Setting', 'What it decides', 'Unless set', 'Our guess'], rows)}`
}

function choices(document: Extensions): string[] {
  const topics = [...new Set(document['x-readings'].map(({ topic }) => topic))]
  return topics.map((topic) => {
    const rows = document['x-readings']
      .filter((row) => row.topic === topic)
      .map((row) => [row.open, row.choice, 'setting' in row ? code(row.setting) : ''])
    return `## ${topic}\n\n${markdownTable(['Left open', 'What the sandbox does', 'Setting'], rows)}`
  })
}

const namedWith = ({ 'x-assumed-choice': choice }: Schema, name: string) =>
  choice === undefined || name === '' ? name : `${name} (${choice})`

/** Schemas and fields marked as assumed, outermost only. */
function assumedIn(schema: Schema | undefined, name: string): string[] {
  if (schema === undefined) return []
  if (schema['x-assumed'] === true) return [namedWith(schema, name)]
  const below = Object.entries(schema.properties ?? {}).flatMap(([field, inner]) =>
    assumedIn(inner, name === '' ? field : `${name}.${field}`),
  )
  const choices = (schema.anyOf ?? []).flatMap((inner) =>
    inner['x-assumed'] === true
      ? Object.keys(inner.properties ?? {}).map((field) => `${name}.${field}`)
      : assumedIn(inner, name),
  )
  return [...new Set([...below, ...choices, ...assumedIn(schema.items, `${name}[]`)])]
}

function shapes(document: SandboxDocument): string {
  const { schemas } = document.components
  const rows = endpointNames.flatMap((name) => {
    const endpoint: Endpoint = endpoints[name]
    const parameters = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()]?.parameters ?? []
    const asked = [
      ...assumedIn(schemas[requestSchemaName(name)], ''),
      ...parameters
        .filter((row) => row['x-assumed'] === true)
        .map((row) => namedWith({ ...row.schema, 'x-assumed': true }, row.name ?? '')),
    ]
    const answered = assumedIn(schemas[responseSchemaName(name)], '')
    if (asked.length === 0 && answered.length === 0) return []
    return [[code(`${endpoint.method} ${endpoint.path}`), fieldsOf(asked), fieldsOf(answered)]]
  })
  const events = eventNames.flatMap((event) => {
    const found = assumedIn(schemas[eventSchemaName(event)]?.properties?.data, '')
    return found.length === 0 ? [] : [[code(event), fieldsOf(found)]]
  })
  return `## Endpoints and fields

These paths are ours throughout: ${assumedEndpoints()
    .map(({ method, path }) => code(`${method} ${path}`))
    .join(', ')}.

"Everything" means that the shape as a whole is not documented. Where a field is named, the field itself is ours, or its
allowed values, bounds or format are.

${markdownTable(['Endpoint', 'Request', 'Answer'], rows)}

${markdownTable(['Event', 'Fields of data'], events)}`
}

const fieldsOf = (names: readonly string[]) => (names[0] === '' ? 'everything' : names.map(fieldText).join('; '))
/** The name as code, the words behind it as they are. */
const fieldText = (name: string) => name.replace(/^[^ ]+/, code)

function codes(document: Extensions): string {
  const rows = document['x-errors']
    .filter((row) => 'x-assumed' in row)
    .map((row) => [code(row.code), row.status, row.group, row.message])
  return `## Error codes

These are not documented, besides every value of \`error.group\`:

${markdownTable(['Code', 'Status', 'Group', 'Meaning'], rows)}`
}

function moves(document: Extensions): string {
  const rows = document['x-transitions']
    .filter((row) => 'x-assumed' in row)
    .map((row) => `${row.object}: ${code(row.from ?? 'new')} to ${code(row.to)} on ${row.on}`)
  return `## State changes\n\nThe state table of the platform leaves these open:\n\n${list(rows)}`
}

function money(document: Extensions): string {
  const rows = document['x-currencies'].map((row) => [
    code(row.currency),
    row.decimals,
    row.min + (row['x-min-assumed'] ? ' (our guess)' : ''),
    row.max,
    row.daily,
    row.networks.map(code).join(', '),
  ])
  const networks = document['x-networks'].map((row) => [
    code(row.network),
    code(row.label) + (row['x-label-assumed'] ? ' (our guess)' : ''),
    row.confirmations,
  ])
  const fees = document['x-fees'].map(({ currency, ...row }) => [
    code(currency),
    ...feeColumns.map((operation) => row[operation] ?? ''),
  ])
  return `## Currencies, networks, fees

Minimums of charges are documented but for those marked; that they hold for withdrawals too is our guess. Maxima, daily
limits, the networks of each currency, confirmations and fees are our guess throughout.

${markdownTable(['Currency', 'Decimals', 'Minimum', 'Maximum', 'A day', 'Networks'], rows)}

BRL is labelled \`PIX\` in events, as documented, and MXN \`SPEI\`, which is our guess. Second layers (arbitrum, base,
optimism) take withdrawals only. SOL itself is labelled \`SOLANA\`, tokens on Solana \`SPL\`.

${markdownTable(['Network', 'Label in events', 'Confirmations'], networks)}

${markdownTable(['Currency', ...feeColumns], fees)}`
}

const feeColumns = ['cashin', 'cashout', 'transfer', 'conversion'] as const

function limits(document: Extensions): string {
  const rows = document['x-limits'].map((row) => [row.name, row.value, 'x-assumed' in row ? 'our guess' : 'documented'])
  return `## Limits\n\n${markdownTable(['Limit', 'Value', 'Source'], rows)}`
}
