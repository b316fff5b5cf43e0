/** The API page, generated from the document; readable offline and without scripts. */

import { emulatedInterfaceText } from '../../../protocol/platform/emulated-interface.js'
import { endpointNames, endpoints } from '../../../protocol/platform/endpoints.js'
import { eventNames } from '../../../protocol/platform/events.js'
import { requestHeaders, webhookHeaders } from '../../../protocol/platform/headers.js'
import { advisedResponseMs, operations, seconds } from '../../../protocol/platform/limits.js'
import { type Html, html } from '../../html.js'
import type { SandboxDocument } from '../document.js'
import { eventSchemaName } from '../field-descriptions.js'
import { exampleBody } from '../webhooks.js'
import {
  assumedMark,
  codeSample,
  endpointCard,
  fieldTable,
  firstSteps,
  json,
  mark,
  type PageContext,
  prose,
} from './endpoint.js'

/** `assets`: the folder of docs.css and docs.js, relative to the page. */
export function docsPage(document: SandboxDocument, place: PageContext): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference: ${document.info.title}</title>
<link rel="stylesheet" href="/assets/brand.css">
<link rel="stylesheet" href="docs.css">
<script src="docs.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<div class="layout">
${navigation(document.info.title)}
<main id="main">
${intro(document, place)}
${groups().map(
  ([tag, names]) => html`<section class="group" id="${slug(tag)}"><h2>${tag}</h2>
${names.map((name) => endpointCard(document, name, place))}</section>`,
)}
${eventsSection(document)}
${errorsSection(document)}
${statesSection(document)}
${limitsSection(document)}
${assumptionsSection(document)}
${controlSection(document)}
</main>
</div>
</body>
</html>
`
  return page.toString()
}

const slug = (tag: string) => `group-${tag.toLowerCase().replace(/[^a-z]+/g, '-')}`

function groups() {
  const tags = [...new Set(endpointNames.map((name) => endpoints[name].tag))]
  return tags.map((tag) => [tag, endpointNames.filter((name) => endpoints[name].tag === tag)] as const)
}

function navigation(title: string): Html {
  return html`<nav aria-label="Contents"><p class="brand"><strong>${title}</strong> <a href="../">Dashboard</a></p>
<details open><summary>Contents</summary>
${groups().map(
  ([tag, names]) =>
    html`<h2>${tag}</h2><ul>${names.map((name) => html`<li><a href="#${name}">${endpoints[name].title}</a></li>`)}</ul>`,
)}
<h2>Reference</h2><ul>
<li><a href="#events">Webhooks</a></li><li><a href="#errors">Errors</a></li><li><a href="#states">States</a></li>
<li><a href="#limits-and-fees">Currencies, networks, fees</a></li><li><a href="#assumptions">Assumptions</a></li>
<li><a href="#control">Control API</a></li><li><a href="openapi.json">openapi.json</a></li>
</ul></details></nav>`
}

function intro(document: SandboxDocument, place: PageContext): Html {
  return html`<section class="intro"><h1>API reference <small>${document.info.version}</small></h1>
<p>${emulatedInterfaceText}.</p>
<div class="columns"><div class="words">
<p class="lead">Charges, withdrawals, fixed wallets, internal transfers, conversions and disputes with stored state and signed webhooks, at <code>${place.baseUrl}</code>.</p>
<p>Every call except the token request requires <code>Authorization: Bearer</code> with a token. Calls marked <span class="badge">signed</span> also require <code>${requestHeaders.signature}</code>, <code>${requestHeaders.timestamp}</code> and <code>${requestHeaders.nonce}</code>. The signature is the lower-case hex of HMAC-SHA256 over <code>timestamp.nonce.body</code> with the signing key.</p>
<p>Parts marked ${assumedMark} are not documented by the platform: they are choices of the sandbox. <a href="#assumptions">Assumptions</a> lists all choices.</p>
</div><div class="samples">${codeSample('Create and pay a charge', firstSteps(place))}</div></div></section>`
}

// The other parts of the page.

type Cell = Html | string | number | null

/** On phones each row becomes a card, and `data-label` names the column of each cell. */
function table(head: readonly string[], rows: readonly { id?: string; cells: readonly Cell[] }[]): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${head.join(', ')}"><table><thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>
${rows.map(
  ({ id, cells }) =>
    html`<tr${id === undefined ? null : html` id="${id}"`}>${cells.map((cell, index) => html`<td data-label="${head[index] ?? ''}">${cell}</td>`)}</tr>
`,
)}</tbody></table></div>`
}

const code = (text: string | number) => html`<code>${text}</code>`
const codes = (texts: readonly string[]) => html`${texts.map((text) => html`${code(text)} `)}`

function errorsSection(document: SandboxDocument): Html {
  const body = json(document.components.examples.BELOW_MIN_LIMIT?.value)
  return html`<section id="errors"><h2>Errors</h2>
<div class="columns"><div class="words"><p>Every error response has this body. These parts are ${assumedMark}: the values of <code>group</code>, and the retryable codes other than <code>PROVIDER_ERROR</code>.</p>
<p>To get an error once, send the header <code>${requestHeaders.error}</code> with its code. The call is authenticated and validated first; then the error of the endpoint answers it, with typical details, and nothing is executed. A code that the endpoint does not have is 422 <code>INVALID_VALUE</code> with the list of its codes. <code>${requestHeaders.scenario}</code> takes precedence, and the setting <code>strict</code> turns both headers off.</p>
<p>Amounts with a special meaning (magic amounts): none are documented by the platform, so none have an effect until you arm the scenario <code>magic-values</code>. <code>payments-sandbox scenario show magic-values</code> lists its amounts and keys.</p></div><div class="samples">${codeSample('An error', body)}</div></div>
${table(
  ['Code', 'Status', 'Group', 'Retryable', 'Meaning'],
  document['x-errors'].map((row) => ({
    id: row.code,
    cells: [
      html`${code(row.code)}${mark('x-assumed' in row)}`,
      row.status,
      row.group,
      row.retryable ? 'yes' : 'no',
      row.message,
    ],
  })),
)}</section>`
}

function eventsSection(document: SandboxDocument): Html {
  const headers = Object.values(document.components.parameters)
  return html`<section id="events"><h2>Webhooks</h2>
<p>Each event is a signed POST to the <code>postback_url</code> of the transaction. If the transaction has none, the URL of the credential is used. A receiver recomputes the signature over the raw body, rejects old timestamps, answers 2xx within ${seconds(advisedResponseMs)}, and recognizes duplicates by <code>${webhookHeaders.id}</code>.</p>
${table(
  ['Header', 'Content'],
  headers.map(({ name = '', description = '' }) => ({ cells: [code(name), html`${prose(description)}`] })),
)}
${eventNames.map((event) => eventCard(document, event))}</section>`
}

function eventCard(document: SandboxDocument, event: (typeof eventNames)[number]): Html {
  const schema = document.components.schemas[eventSchemaName(event)]
  return html`<details class="event" id="${event}"><summary><code>${event}</code> <span>${schema?.description ?? ''}</span></summary>
<div class="columns"><div class="words">${fieldTable(schema?.properties?.data ?? {}, 'data', false)}</div>
<div class="samples">${codeSample('Body', json(exampleBody(event)))}</div></div></details>`
}

function statesSection(document: SandboxDocument): Html {
  return html`<section id="states"><h2>States</h2>
<p>Each row is one allowed transition. The <a href="#actions">actions</a> below cause transitions.</p>
${table(
  ['Object', 'From', 'On', 'To', 'Event'],
  document['x-transitions'].map((row) => ({
    cells: [
      row.object,
      row.from === null ? html`<span class="muted">new</span>` : code(row.from),
      row.on,
      html`${code(row.to)}${mark('x-assumed' in row)}`,
      row.event === null ? html`<span class="muted">none</span>` : html`<a href="#${row.event}">${code(row.event)}</a>`,
    ],
  })),
)}
<h3 id="actions">Actions</h3>
<p>Trigger an action with <code>POST /_sandbox/trigger</code> and <code>{"action": "cashin.pay"}</code>. <code>id</code> names the object (default: the newest object that allows the action).</p>
${table(
  ['Action', 'On', 'What happens', 'Parameters'],
  document['x-actions'].map((row) => ({
    cells: [code(row.action), row.subject, row.title, codes(row.parameters)],
  })),
)}</section>`
}

function limitsSection(document: SandboxDocument): Html {
  return html`<section id="limits-and-fees"><h2>Currencies, networks, fees</h2>
<p>These parts are ${assumedMark}: maximums, daily limits, the value of one unit in BRL, fees, the networks of each currency, their confirmations, and that the minimums also apply to withdrawals. Change the limits and fees of an account with <code>PATCH /_sandbox/accounts/{username}</code>.</p>
${table(
  ['Currency', 'Decimals', 'Minimum', 'Maximum', 'Daily limit', 'Value in BRL', 'Networks'],
  document['x-currencies'].map((row) => ({
    cells: [
      code(row.currency),
      row.decimals,
      html`${row.min}${mark(row['x-min-assumed'])}`,
      row.max,
      row.daily,
      row.value_in_brl,
      row.networks.length === 0 ? row.payment_method.toUpperCase() : codes(row.networks),
    ],
  })),
)}
${table(
  ['Network', 'Label in events', 'Confirmations'],
  document['x-networks'].map((row) => ({
    cells: [code(row.network), html`${code(row.label)}${mark(row['x-label-assumed'])}`, row.confirmations],
  })),
)}
${table(
  ['Currency', ...operations.map((operation) => `Fee of ${operation}`)],
  document['x-fees'].map((row) => ({
    cells: [code(row.currency), ...operations.map((operation) => row[operation] ?? null)],
  })),
)}
${table(
  ['Limit', 'Value'],
  document['x-limits'].map((row) => ({ cells: [row.name, html`${row.value}${mark('x-assumed' in row)}`] })),
)}</section>`
}

function assumptionsSection(document: SandboxDocument): Html {
  const topics = [...new Set(document['x-assumptions'].map(({ topic }) => topic))]
  return html`<section id="assumptions"><h2>Assumptions</h2>
<p>Where the documentation says nothing or contradicts itself, the sandbox makes a choice. If the real platform behaves differently, the platform is right. A choice with a setting can be changed.</p>
${topics.map(
  (topic) =>
    html`<h3>${topic}</h3>${table(
      ['Open question', 'What the sandbox does', 'Setting', 'Recordings'],
      document['x-assumptions']
        .filter((row) => row.topic === topic)
        .map((row) => ({
          cells: [
            html`${prose(row.open)}`,
            html`${prose(row.choice)}`,
            row.setting === undefined ? null : code(row.setting),
            row['x-assumed-state'],
          ],
        })),
    )}`,
)}
<h3>Settings</h3>
${table(
  ['Setting', 'What it decides', 'Default'],
  document['x-settings'].map((row) => ({
    cells: [
      html`${code(row.key)}${row.flag === null ? null : html`<br>${code(row.flag)}`}${mark('x-assumed' in row)}`,
      html`${prose(row.title)}`,
      html`${prose(row.defaultText)}`,
    ],
  })),
)}</section>`
}

function controlSection(document: SandboxDocument): Html {
  const rows = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/_sandbox'))
    .flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => ({ path, method, operation })))
  return html`<section id="control"><h2>Control API</h2>
<p>The control API is not part of the platform API. Use it to act as the payer and the provider, to control the clock, and to inspect the state.</p>
${table(
  ['Call', 'What it does', 'Takes'],
  rows.map(({ path, method, operation }) => ({
    cells: [
      html`<span class="method method-${method}">${method.toUpperCase()}</span> ${code(path)}`,
      operation.summary,
      codes(inputOf(operation)),
    ],
  })),
)}</section>`
}

function inputOf({ parameters = [], requestBody }: SandboxDocument['paths'][string][string]): string[] {
  const schema = requestBody?.content['application/json']?.schema
  if (schema?.anyOf !== undefined) return ['action', 'id', '…']
  return [
    ...parameters.filter(({ in: place }) => place === 'query').map(({ name = '' }) => name),
    ...Object.keys(schema?.properties ?? {}),
  ]
}
