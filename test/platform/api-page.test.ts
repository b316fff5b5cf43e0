/** The page of the API, and the page of assumptions in the repository. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { assumptionsPage } from '../../scripts/docs/assumptions.js'
import { html } from '../../src/http/html.js'
import type { SandboxDocument } from '../../src/http/openapi/document.js'
import { fieldTable, prose } from '../../src/http/openapi/page/endpoint.js'
import { docsPage } from '../../src/http/openapi/page/page.js'
import { assumptions } from '../../src/protocol/platform/assumptions.js'
import { endpointNames, endpoints } from '../../src/protocol/platform/endpoints.js'
import { errorCatalogue } from '../../src/protocol/platform/errors.js'
import { eventNames } from '../../src/protocol/platform/events.js'
import type { RunningSandbox } from '../../src/runtime/node/sandbox.js'
import { startSandbox } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'

let sandbox: RunningSandbox
let page: string

beforeAll(async () => {
  sandbox = await startSandbox({ clock: 'manual' })
  page = await (await fetch(`${sandbox.url}/_sandbox/docs`)).text()
})
afterAll(() => sandbox.close(0))

test('docs/assumptions.md is up to date: npm run docs writes it', () => {
  expect(readFileSync('docs/assumptions.md', 'utf8')).toBe(assumptionsPage())
})

test('the API page and its files have headers that block all foreign content', async () => {
  for (const [path, type] of [
    ['docs', 'text/html'],
    ['docs.css', 'text/css'],
    ['docs.js', 'text/javascript'],
  ]) {
    const { status, headers } = await fetch(`${sandbox.url}/_sandbox/${path}`)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-request-id')).toMatch(/^req_/)
    const policy = headers.get('content-security-policy')
    for (const rule of ["default-src 'self'", "require-trusted-types-for 'script'", "frame-ancestors 'none'"])
      expect(policy).toContain(rule)
    expect(policy).not.toContain('unsafe')
  }
})

test('the API page loads nothing from elsewhere, and has no inline script or style', async () => {
  const loaded = [...page.matchAll(/<(?:link|script|img|iframe|source)\b[^>]*?(?:href|src)="([^"]*)"/g)].map(
    ([, url]) => url,
  )
  expect(loaded).toEqual(['/assets/brand.css', 'docs.css', 'docs.js'])
  const links = [...page.matchAll(/<a\b[^>]*href="([^"]*)"/g)].map(([, url]) => url ?? '')
  expect(links.filter((url) => !url.startsWith('#') && url !== 'openapi.json')).toEqual(['../'])
  const dashboard = await fetch(new URL('../', `${sandbox.url}/_sandbox/docs`))
  expect(await dashboard.text()).toContain('<title>payments-sandbox</title>')
  expect(page).not.toMatch(/<style|<script(?! src="docs\.js"><\/script>)| style="| on[a-z]+="/)
  for (const asset of ['docs.css', 'docs.js'])
    expect(await (await fetch(`${sandbox.url}/_sandbox/${asset}`)).text()).not.toMatch(/https?:|\burl\(|@import/)
  const brand = await (await fetch(`${sandbox.url}/assets/brand.css`)).text()
  // The typeface is within the style sheet.
  expect(brand).not.toMatch(/https?:|\burl\((?!data:)|@import/)
  expect(brand).toContain('url(data:')
})

test('every link on the API page leads somewhere', () => {
  const ids = new Set([...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))
  const targets = [...page.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id)
  expect(targets.filter((id) => !ids.has(id))).toEqual([])
  expect(ids.size).toBe([...page.matchAll(/ id="/g)].length)
})

test('without scripts the API page shows every endpoint, event, error and assumption', () => {
  const text = page.replace(/<script\b[^>]*><\/script>/, '')
  for (const name of endpointNames) expect(text).toContain(`<code>${endpoints[name].path}</code>`)
  for (const event of eventNames) expect(text).toContain(`id="${event}"`)
  for (const code of Object.keys(errorCatalogue)) expect(text).toContain(`id="${code}"`)
  for (const { choice } of assumptions) expect(text).toContain(prose(choice).map(String).join(''))
  expect(text).toContain(`curl -s ${sandbox.url}/v2/transactions/cashin`)
})

test('all values on the API page are escaped', async () => {
  const hostile = `"><script>alert('1')</script>&`
  expect(html`<p title="${hostile}">${[hostile, null]}</p>`.toString()).not.toMatch(/<script|'1'/)
  expect(prose(`\`${hostile}\``).map(String).join('')).not.toContain('<script')
  expect(html`${'<>&"\''}`.toString()).toBe('&lt;&gt;&amp;&quot;&#39;')

  const document = (await (await fetch(`${sandbox.url}/_sandbox/openapi.json`)).json()) as SandboxDocument
  const poisoned = JSON.parse(
    JSON.stringify(document, (key, value) =>
      ['summary', 'description', 'message', 'choice', 'open', 'title', 'url', 'defaultText'].includes(key) &&
      typeof value === 'string'
        ? hostile
        : value,
    ),
  ) as SandboxDocument
  const place = { baseUrl: hostile, credential: secretsOf('merchant'), asksToken: true }
  expect(docsPage(poisoned, place).match(/<script/g)).toHaveLength(1)
})

test('a nullable field has its own type beside null, and the variants of list items are described field by field', () => {
  const shown = (field: string) =>
    [...page.matchAll(/<code>([^<]*)<\/code> <span class="type">([^<]*)<\/span>/g)].filter(([, name]) => name === field)
  const types = (field: string) => [...new Set(shown(field).map(([, , type]) => type))]
  expect(types('postback_url')).toEqual(expect.arrayContaining(['string or null']))
  expect(types('external_id')).toEqual(expect.arrayContaining(['string', 'string or null']))
  expect(types('items[].conversion_id')).toEqual(['string'])
  expect(types('items[].error_code')).toEqual(['string or null'])
  expect(types('items[].payer.name')).toEqual(['string or null'])
})

test.each([
  [{ minimum: 1 }, 'At least 1.'],
  [{ maximum: 100 }, 'At most 100.'],
  [{ minimum: 1, maximum: 100 }, 'From 1 to 100.'],
  [{ minimum: 0 }, 'At least 0.'],
  [{ minLength: 3 }, 'At least 3 characters.'],
  [{ minLength: 1, maxLength: 255 }, 'From 1 to 255 characters.'],
  [{ maxItems: 5 }, 'At most 5 items.'],
])('the table of fields on the API page shows the bounds %j as "%s"', (bounds, words) => {
  const table = fieldTable({ properties: { size: bounds } }, 'Request', false)
  expect(String(table)).toContain(`<span class="rules">${words} </span>`)
})
