/** The API page, generated from the document; readable offline and without scripts. */

import { emulatedInterfaceText } from '../../../protocol/platform/emulated-interface.js'
import { endpointNames, endpoints } from '../../../protocol/platform/endpoints.js'
import { requestHeaders } from '../../../protocol/platform/headers.js'
import { type Html, html } from '../../html.js'
import type { SandboxDocument } from '../document.js'
import { firstSteps, type PageContext } from './curl.js'
import { codeSample, endpointCard } from './endpoint.js'
import { assumedMark } from './fields.js'
import {
  assumptionsSection,
  controlSection,
  errorsSection,
  eventsSection,
  limitsSection,
  statesSection,
} from './tables.js'

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
<script src="docs.js" defer></script>
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
