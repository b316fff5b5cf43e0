/** The dashboard against strangers, cut lines, bursts and closed doors. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { overflowing, refusals } from '../support/browser.js'
import { button, live, look, see, start } from '../support/dashboard.js'
import { figure } from '../support/figures.js'
import { temporaryFolder } from '../support/folder.js'
import { openLine } from '../support/line.js'
import { manyCharges } from '../support/many-charges.js'

const script = '"><script>alert(1)</script>'
const image = '<img src=x onerror=alert(1)>'
const turned = 'gnp.\u202egpj.exe'
const long = 'A'.repeat(5000)

/** A receiver whose answers are no better than its intentions. */
async function openStranger(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response
        .writeHead(500, { 'Content-Type': 'text/html' })
        .end(`<h1 onclick=alert(1)>${image}</h1><svg onload=alert(1)>`)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/${encodeURIComponent(image)}`
}

const injected = (page: Page) =>
  page.evaluate(() => ({
    images: document.querySelectorAll('main img').length,
    scripts: document.querySelectorAll('script:not([src="/assets/app.js"])').length,
    handlers: [...document.querySelectorAll('*')].filter((element) =>
      element.getAttributeNames().some((name) => name.startsWith('on')),
    ).length,
  }))
const go = (page: Page, hash: string) =>
  page.evaluate((value) => {
    location.hash = value
  }, hash)
const nothing = { images: 0, scripts: 0, handlers: 0 }

describe('text of strangers', () => {
  test('stays text in every view, and breaks none', async () => {
    const sandbox = await start({ clock: 'manual', webhookUrl: await openStranger() })
    const api = sandbox.client()
    await sandbox.account({ username: 'mallory', name: `${image}${turned}` })
    const charge = await api.cashin({ amount: 25, currency: 'BRL', external_id: script, payer: { name: image } })
    await sandbox.trigger('cashin.pay', { id: charge.transaction_id, payer: { name: `${turned}${image}` } })
    const opened = await sandbox.trigger('dispute.open', { reason: long.slice(0, 500) })
    await sandbox.trigger('dispute.respond', { message: `${image}${long.slice(0, 4900)}` })
    await sandbox.clock.advance('10s')
    await api.cashout({ amount: 10, currency: 'BRL', key: `x${image}`, external_id: turned }).catch(() => undefined)
    const wrong = await fetch(`${sandbox.url}/v2/${encodeURIComponent(image)}?${script}`)
    expect(wrong.status).toBe(404)
    const dispute = opened.object.infraction_id
    const { data: hooks } = await sandbox.control.call<{ data: { id: string }[] }>('GET', '/webhooks')
    const page = await look(sandbox, `#/transactions/${charge.transaction_id}`, { width: 375, height: 812 })
    await see(page, '.facts dd', image)
    await see(page, '.facts dd', script)
    await see(page, '.hidden-char', 'U+202E')
    await page.locator('.story-row.failed .story-toggle').first().click()
    await see(page, '.story-more pre', image)
    const paths = [
      '',
      'transactions',
      'accounts',
      'requests',
      'disputes',
      `disputes/${dispute}`,
      'webhooks',
      `webhooks/${hooks[0]?.id}`,
    ]
    for (const path of paths) {
      await go(page, `#/${path}`)
      await page.locator('tbody tr, li.story-row, .steps .hex, .balances').first().waitFor()
      await page.locator('body:not(:has(.loading))').waitFor()
      expect(await injected(page), path).toEqual(nothing)
      expect(await overflowing(page), path).toEqual([])
    }
  })

  test('does not become a view, a link or a selector by way of the address', async () => {
    const sandbox = await start()
    const page = await look(sandbox, `#/transactions/${encodeURIComponent(image)}`, { tolerate: refusals })
    await see(page, '[role=alert]', 'It is not in the workspace default.')
    for (const hash of ['#/__proto__', '#/constructor', '#/%E0%A4%A', `#/${script}`, '#//evil.example/x']) {
      await go(page, hash)
      await see(page, 'h1', 'Page not found')
      expect(await injected(page)).toEqual(nothing)
    }
  })
})

describe('a lost connection', () => {
  test('is noticed and reported, and everything that happened meanwhile appears after it returns', async () => {
    const sandbox = await start()
    const line = await openLine(sandbox.url)
    onTestFinished(() => line.close())
    const page = await look(line, '#/transactions', { tolerate: /Failed to load resource|ERR_|network/i })
    await see(page, '.empty-title', 'No transaction yet')
    await live(page)
    line.cut()
    await page.locator('.connection.lost').waitFor({ state: 'attached' })
    await see(page, '.outage', 'The sandbox does not answer')
    const charge = await sandbox.client().cashin({ amount: 77, currency: 'BRL' })
    await button(page, 'Freeze').click()
    await see(page, '.toast.bad', 'The sandbox does not answer')
    line.join()
    await live(page)
    await page.locator('.outage').waitFor({ state: 'detached' })
    await see(page, 'tbody tr', charge.transaction_id)
    await sandbox.trigger('cashin.pay')
    await see(page, 'tbody tr', 'Confirmed')
  })

  test('names the error that the sandbox answers with once, at the top of the page', async () => {
    const sandbox = await start()
    const page = await look(sandbox, '', { tolerate: refusals5xx })
    await live(page)
    const error = { code: 'SERVICE_UNAVAILABLE', message: 'The disk is full. Delete files, then try again.' }
    await page.route(/\/_sandbox\/(?!dashboard)/, (route) => route.fulfill({ status: 503, json: { error } }))
    for (const [view, title] of failedViews) {
      await page.goto('about:blank')
      await page.goto(`${sandbox.url}/#/${view}`)
      await see(page, '.outage', `The sandbox answers with an error. ${error.message}`)
      await see(page, 'h1', title)
      await see(page, '.not-loaded', 'Not loaded')
      expect(await page.getByText(error.message).count()).toBe(1)
      expect(await page.locator('.choice [aria-pressed=true]').count()).toBe(view === '' ? 1 : 0)
      for (const save of await page.getByRole('button', { name: /^Save/ }).all())
        expect(await save.isDisabled()).toBe(true)
    }
    await button(page, 'Try now').click()
    await page.unrouteAll()
    await live(page)
    await see(page, '.choice [aria-pressed=true]', 'Off')
    expect(await page.locator('.failure, .not-loaded').count()).toBe(0)
  })
})

/** With their titles, which stand there although nothing was read. */
const failedViews = [
  ['', 'Overview'],
  ['inbox', 'Inbox'],
  ['accounts/merchant', 'Statement of merchant'],
  ['scenarios/pix-paid', 'pix-paid'],
  ['editor', 'Write a scenario'],
  ['chaos', 'Chaos'],
] as const
const refusals5xx = /the server responded with a status of 503/

const many = figure(300, 1000)

describe(`${many} transactions`, () => {
  test('make no long page, and a burst of changes makes few requests', async () => {
    const sandbox = await start()
    const api = sandbox.client()
    const burst = (count: number) =>
      Promise.all(Array.from({ length: count }, () => api.cashin({ amount: 9, currency: 'BRL' })))
    for (let made = 0; made < many; made += 50) await burst(50)
    const page = await look(sandbox, '#/transactions')
    await live(page)
    await page.locator('tbody tr').first().waitFor()
    let asked = 0
    page.on('request', (request) => {
      if (request.url().includes('/_sandbox/transactions')) asked++
    })
    const beganMs = Date.now()
    for (let made = 0; made < many / 2; made += 50) await burst(50)
    const [last] = await burst(1)
    await see(page, 'tbody tr', last?.transaction_id ?? '')
    expect(await page.locator('tbody .data').count()).toBe(25)
    expect(asked).toBeLessThanOrEqual(2 + (Date.now() - beganMs) / 250)
  })

  test('show no count that was not counted, and say that the ledger is being checked', async () => {
    const db = join(temporaryFolder(), 'many.db')
    await manyCharges(db, 2100)
    const page = await look(await start({ db }), '#/webhooks')
    await see(page, '.chip', /^Failing or pending 0$/)
    expect(await page.locator('.chip', { hasText: 'Delivered' }).textContent()).toBe('Delivered –')
    let isChecked = () => {}
    const checked = new Promise<void>((resolve) => {
      isChecked = resolve
    })
    await page.route('**/_sandbox/ledger', (route) => checked.then(() => route.continue()))
    await go(page, '#/accounts')
    await see(page, '.view-head .pill', 'Checking the ledger')
    isChecked()
    await see(page, '.view-head .pill', 'Ledger balanced')
  })
})

describe('the dashboard server', () => {
  test('asks for the admin token of a shared sandbox once', async () => {
    const sandbox = await start({ adminToken: 'open-sesame-open-sesame' })
    await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
    const page = await look(sandbox, '', { tolerate: refusals })
    await page.getByLabel('Admin token').fill('wrong')
    await button(page, 'Open the dashboard').click()
    await see(page, '[role=alert]', 'The token is wrong')
    await page.getByLabel('Admin token').fill('open-sesame-open-sesame')
    await button(page, 'Open the dashboard').click()
    await see(page, 'tbody tr', 'Charge')
    await live(page)
    await page.reload()
    await see(page, 'tbody tr', 'Charge')
  })

  test('serves its files with strict security headers, and to allowed host names only', async () => {
    const { url } = await start()
    const answers = await Promise.all(
      ['/', '/assets/app.js', '/assets/style.css', '/assets/icon.svg', '/favicon.ico'].map((path) => fetch(url + path)),
    )
    expect(answers.map((answer) => answer.headers.get('content-type')?.split(';')[0])).toEqual([
      'text/html',
      'text/javascript',
      'text/css',
      'image/svg+xml',
      'image/svg+xml',
    ])
    for (const { status, headers } of answers) {
      expect(status).toBe(200)
      const policy = headers.get('content-security-policy')
      expect(policy).toContain("default-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cache-control')).toBe('no-cache')
    }
    const page = await fetch(url)
    const html = await page.text()
    expect(html).not.toMatch(/<style|style=|https?:\/\/|<script(?! type="module" src="\/assets\/app\.js"><)/)
    const again = await fetch(url, { headers: { 'If-None-Match': page.headers.get('etag') ?? '' } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', page.headers.get('etag')])
    expect((await fetch(`${url}/assets/..%2f..%2fpackage.json`)).status).toBe(404)
    expect((await fetch(url, { method: 'POST' })).status).toBe(405)
    expect((await fetch(url, { headers: { Origin: 'http://evil.example' } })).status).toBe(403)
  })
})
