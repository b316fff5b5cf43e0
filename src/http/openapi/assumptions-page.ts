/**
 * docs/assumptions.md, generated from the tables: what the platform documents, what the sandbox assumes, and how to
 * change an assumption.
 */

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
  const sections = [
    intro,
    settings(document),
    ...choices(document),
    shapesSection(document),
    codes(document),
    transitionsSection(document),
  ]
  return `${[...sections, amountsSection(document), limits(document)].join('\n\n')}\n`
}

const intro = `# Assumptions

<!-- Made by \`npm run docs\` from the tables in src/protocol: change those, not this page. -->

The sandbox follows the documentation of the platform. Where the documentation says nothing or contradicts itself,
the sandbox makes a choice. This page lists every choice. If the real platform behaves differently, the platform is right.
[Platform API](interface.md) describes the API section by section, and [Decisions](decisions.md) gives the reasons for the choices.

The running sandbox marks its choices too: \`/_sandbox/docs\` shows them, and \`/_sandbox/openapi.json\` has
\`x-assumed: true\` on every operation, field, error, limit and transition that is not documented.`

const list = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n')

function settings(document: Extensions): string {
  const rows = document['x-settings'].map((row) => [
    code(row.key) + (row.flag === null ? '' : `, ${code(row.flag)}`),
    `${row.title}.`,
    row.byDefault,
    'x-assumed' in row ? 'yes' : 'no',
  ])
  return `## Settings

A setting is a key of the configuration file (\`start --config FILE\`). Some can also be set with a flag.
Limits, fees and credentials of one account are changed while the sandbox runs, with \`PATCH /_sandbox/accounts/{username}\`.

${markdownTable(['Setting', 'What it decides', 'Default', 'Assumed'], rows)}`
}

function choices(document: Extensions): string[] {
  const topics = [...new Set(document['x-readings'].map(({ topic }) => topic))]
  return topics.map((topic) => {
    const rows = document['x-readings']
      .filter((row) => row.topic === topic)
      .map((row) => [row.open, row.choice, code(row.id), row.setting === undefined ? '' : code(row.setting)])
    return `## ${topic}\n\n${markdownTable(['Open question', 'What the sandbox does', 'Key', 'Setting'], rows)}`
  })
}

const choiceText = ({ 'x-assumed-choice': choice }: Schema, name: string) =>
  choice === undefined || name === '' ? name : `${name} (${choice})`

/** Schemas and fields marked as assumed, outermost only. */
function assumedIn(schema: Schema | undefined, name: string): string[] {
  if (schema === undefined) return []
  if (schema['x-assumed'] === true) return [choiceText(schema, name)]
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

function shapesSection(document: SandboxDocument): string {
  const { schemas } = document.components
  const rows = endpointNames.flatMap((name) => {
    const endpoint: Endpoint = endpoints[name]
    const parameters = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()]?.parameters ?? []
    const asked = [
      ...assumedIn(schemas[requestSchemaName(name)], ''),
      ...parameters
        .filter((row) => row['x-assumed'] === true)
        .map((row) => choiceText({ ...row.schema, 'x-assumed': true }, row.name ?? '')),
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

The platform does not document these paths: ${assumedEndpoints()
    .map(({ method, path }) => code(`${method} ${path}`))
    .join(', ')}.

"Everything" means that nothing of the shape is documented. If a field is listed, either the field itself is assumed, or
the detail in brackets: its values, its limits or its format.

${markdownTable(['Endpoint', 'Request', 'Answer'], rows)}

${markdownTable(['Event', 'Fields of data'], events)}`
}

const fieldsOf = (names: readonly string[]) => (names[0] === '' ? 'everything' : names.map(fieldText).join('; '))
/** Formats the name as code and leaves the words after it. */
const fieldText = (name: string) => name.replace(/^[^ ]+/, code)

function codes(document: Extensions): string {
  const rows = document['x-errors']
    .filter((row) => 'x-assumed' in row)
    .map((row) => [code(row.code), row.status, row.group, row.message])
  return `## Error codes

The platform does not document these codes. It documents no value of \`error.group\` either.

${markdownTable(['Code', 'Status', 'Group', 'Meaning'], rows)}`
}

function transitionsSection(document: Extensions): string {
  const rows = document['x-transitions']
    .filter((row) => 'x-assumed' in row)
    .map((row) => `${row.object}: ${code(row.from ?? 'new')} to ${code(row.to)} on ${row.on}`)
  return `## State changes\n\nThe state table of the platform leaves these open:\n\n${list(rows)}`
}

function amountsSection(document: Extensions): string {
  const rows = document['x-currencies'].map((row) => [
    code(row.currency),
    row.decimals,
    row.min + (row['x-min-assumed'] ? ' (assumed)' : ''),
    row.max,
    row.daily,
    row.networks.map(code).join(', '),
  ])
  const networks = document['x-networks'].map((row) => [
    code(row.network),
    code(row.label) + (row['x-label-assumed'] ? ' (assumed)' : ''),
    row.confirmations,
  ])
  const fees = document['x-fees'].map(({ currency, ...row }) => [
    code(currency),
    ...feeColumns.map((operation) => row[operation] ?? ''),
  ])
  return `## Currencies, networks, fees

The minimums of charges are documented, except where marked. The sandbox assumes that they also apply to withdrawals. Maximums, daily
limits, the networks of each currency, confirmations and fees are assumed.

${markdownTable(['Currency', 'Decimals', 'Minimum', 'Maximum', 'Daily limit', 'Networks'], rows)}

In events BRL has the label \`PIX\`, as documented, and MXN the label \`SPEI\`, which is assumed. Second layers (arbitrum, base,
optimism) carry only withdrawals. SOL itself has the label \`SOLANA\`, tokens on Solana have \`SPL\`.

${markdownTable(['Network', 'Label in events', 'Confirmations'], networks)}

${markdownTable(['Currency', ...feeColumns], fees)}`
}

const feeColumns = ['cashin', 'cashout', 'transfer', 'conversion'] as const

function limits(document: Extensions): string {
  const rows = document['x-limits'].map((row) => [row.name, row.value, 'x-assumed' in row ? 'our guess' : 'documented'])
  return `## Limits\n\n${markdownTable(['Limit', 'Value', 'Source'], rows)}`
}
