/** The payer's page in a real browser: its states, and the toolbar with which a tester plays the payer. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { RunningSandbox, SandboxOptions } from '../../src/runtime/node/sandbox.js'
import { startSandbox } from '../../src/testing/index.js'
import { barriers, nameless, openPage, overflowing, refusals } from '../support/browser.js'
import { openClient } from '../support/client.js'
import { figure } from '../support/figures.js'
import { type Body, control, send } from '../support/http.js'
import { openSandbox } from '../support/sandbox.js'

async function charging(options: Partial<SandboxOptions> = {}, clock: 'realtime' | 'manual' = 'manual') {
  const sandbox: RunningSandbox = await openSandbox({ clock }, options)
  const api = await openClient(sandbox.url)
  const charge = async (body: object): Promise<Body> => (await api.post('/v2/transactions/cashin', body)).body.data
  return { ...sandbox, api, charge, call: control(sandbox.url) }
}

/** Returns the page's text, with ordinary spaces between amount and currency. */
const textOf = async (page: Page) => ((await page.locator('main').textContent()) ?? '').replaceAll('\u00a0', ' ')

/** Opens the page of a charge in English; any problem fails the test. */
async function visit(
  url: string,
  options: Parameters<typeof openPage>[1] = {},
): Promise<Page & { problems: string[] }> {
  const { page, problems } = await openPage(new URL(url).origin, { locale: 'en-US', ...options })
  await page.goto(url)
  return Object.assign(page, { problems })
}

/** Reads the QR code in a picture with jsQR. An empty page decodes the picture, because the page's policy forbids foreign pictures. */
async function textInQr(page: Page, picture: Buffer): Promise<string | undefined> {
  const empty = await page.context().newPage()
  const source = readFileSync(createRequire(import.meta.url).resolve('jsqr'), 'utf8')
  await empty.evaluate(source)
  return empty.evaluate(async (base64) => {
    const { jsQR } = window as unknown as { jsQR: typeof import('jsqr').default }
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes]))
    const { width, height } = image
    const context = new OffscreenCanvas(width, height).getContext('2d')
    context?.drawImage(image, 0, 0)
    return jsQR(context?.getImageData(0, 0, width, height).data ?? new Uint8ClampedArray(), width, height)?.data
  }, picture.toString('base64'))
}

const bar = (page: Page, name: string | RegExp) =>
  page.getByRole('complementary', { name: 'For testers' }).getByRole('button', { name })

describe('a payer', () => {
  test('sees amount, recipient and remaining time, with a code to scan and to copy', async () => {
    const { url, charge } = await charging()
    const pix = await charge({ amount: 25.5, currency: 'BRL', external_id: 'order-1' })
    const page = await visit(`${url}/pay/${pix.transaction_id}`)
    await page.getByRole('heading', { name: 'R$25.50' }).waitFor()
    expect(await page.locator('main').textContent()).toMatch(
      /Pay to Merchant Demo Ltda[\s\S]*order-1[\s\S]*Time left\s*1:00:00/,
    )
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(pix.payment_info.qrcode)
    expect(page.problems).toEqual([])
  })

  test('scans a QR code that another library reads as the code to copy', async () => {
    const { url, charge } = await charging()
    const pix = await charge({ amount: 25.5, currency: 'BRL' })
    const btc = await charge({ amount: 0.0125, currency: 'BTC', chain: 'bitcoin' })
    for (const { transaction_id: id, payment_info: info } of [pix, btc]) {
      const page = await visit(`${url}/pay/${id}`, { width: 320, colorScheme: 'dark' })
      const picture = await page.getByRole('img', { name: 'QR code' }).screenshot()
      expect(await textInQr(page, picture)).toBe(info.qrcode ?? info.address)
      await page.context().close()
    }
  })

  test('sees an address with its network, or a CLABE with its bank, for other currencies', async () => {
    const { url, charge } = await charging()
    const btc = await charge({ amount: 0.0125, currency: 'BTC', chain: 'bitcoin' })
    const crypto = await textOf(await visit(`${url}/pay/${btc.transaction_id}`))
    for (const text of ['0.0125 BTC', btc.payment_info.address, 'BITCOIN', '30:00']) expect(crypto).toContain(text)
    const usdt = await charge({ amount: 10, currency: 'USDT', chain: 'tron' })
    expect(await textOf(await visit(`${url}/pay/${usdt.transaction_id}`))).toContain('Tron (TRC20)')
    const mxn = await charge({ amount: 499.9, currency: 'MXN' })
    const spei = await textOf(await visit(`${url}/pay/${mxn.transaction_id}`))
    const { clabe, bank_name, reference } = mxn.payment_info
    for (const text of ['$499.90 MXN', clabe, bank_name, String(reference)]) expect(spei).toContain(text)
    expect(spei).not.toContain('Time left')
  })

  test('sees on the open page when the charge is paid, expires or is refunded', async () => {
    const { url, charge, call } = await charging()
    const { transaction_id: id } = await charge({ amount: 80, currency: 'BRL' })
    const page = await visit(`${url}/pay/${id}`)
    await call('POST', '/trigger', { action: 'cashin.pay', id, payer: { name: 'Ana Souza' } })
    await page.getByText('The payment has arrived').waitFor()
    expect(await page.locator('main').textContent()).toContain('Ana Souza')
    await call('POST', '/trigger', { action: 'cashin.refund', id, amount: '30.00' })
    await page.getByRole('status').filter({ hasText: 'Refunded' }).waitFor()
    expect(await page.locator('dl').textContent()).toContain('R$30.00')

    const late = await visit(`${url}/pay/${(await charge({ amount: 9, currency: 'BRL' })).transaction_id}`)
    await call('POST', '/clock/advance', { by: '59m' })
    await late.getByRole('timer').filter({ hasText: '01:00' }).waitFor()
    await call('POST', '/clock/advance', { by: '2m' })
    await late.getByText('can no longer be paid').waitFor()
    expect([...page.problems, ...late.problems]).toEqual([])
  })

  test('gets an accessible page that fits a phone and a screen, light and dark', async () => {
    const { url, charge, call } = await charging()
    const long = await charge({ amount: 99999.99, currency: 'BRL', external_id: 'x'.repeat(150) })
    const mxn = await charge({ amount: 499.9, currency: 'MXN', external_id: 'y'.repeat(150) })
    const usdt = await charge({ amount: 50_000, currency: 'USDT', chain: 'ethereum' })
    const paid = await charge({ amount: 5, currency: 'BRL' })
    await call('POST', '/trigger', { action: 'cashin.pay', id: paid.transaction_id })
    const all = [320, 1024].flatMap((width) => (['light', 'dark'] as const).map((scheme) => [width, scheme] as const))
    for (const { transaction_id: id } of [long, mxn, usdt, paid])
      for (const [width, colorScheme] of figure([all.at(0), all.at(-1)], all).filter((one) => one !== undefined)) {
        const page = await visit(`${url}/pay/${id}${id === long.transaction_id ? '?lang=pt' : '?lang=es'}`, {
          width,
          colorScheme,
        })
        expect(await overflowing(page), `${id} ${width}`).toEqual([])
        expect(await nameless(page)).toEqual([])
        expect(await barriers(page)).toEqual([])
        expect(page.problems).toEqual([])
        await page.context().close()
      }
  })

  test('sees the remaining time decrease while the clock of the sandbox runs', async () => {
    const { url, charge } = await charging({}, 'realtime')
    const page = await visit(`${url}/pay/${(await charge({ amount: 9, currency: 'BRL' })).transaction_id}`)
    const first = await page.getByRole('timer').textContent()
    await page.waitForFunction((text) => document.querySelector('time')?.textContent !== text, first)
  })
})

describe("a tester on the payer's page", () => {
  test('pays, refunds and expires the charge with the bar', async () => {
    const { url, charge, call } = await charging()
    const { transaction_id: id } = await charge({ amount: 25, currency: 'BRL' })
    const page = await visit(`${url}/pay/${id}`)
    expect(await bar(page, /only/).count()).toBe(0)
    await bar(page, 'Pay').click()
    await page.getByText('The payment has arrived').waitFor()
    expect((await call('GET', `/transactions/${id}`)).body.status).toBe('confirmed')
    await bar(page, 'Refund').click()
    await page.getByRole('status').filter({ hasText: 'Refunded' }).waitFor()
    const other = await visit(`${url}/pay/${(await charge({ amount: 25, currency: 'BRL' })).transaction_id}`)
    await bar(other, 'Expire').click()
    await other.getByText('can no longer be paid').waitFor()
    expect([...page.problems, ...other.problems]).toEqual([])
  })

  test('pays less than requested, if the rail allows it', async () => {
    const { url, charge, call } = await charging()
    const { transaction_id: id } = await charge({ amount: 499.9, currency: 'MXN' })
    const page = await visit(`${url}/pay/${id}`)
    await bar(page, 'Pay $249.95 MXN only').click()
    await page.getByText('The amount paid was accepted').waitFor()
    expect((await call('GET', `/transactions/${id}`)).body.amount).toBe('249.95')
  })

  test('enters the admin token of a shared sandbox, which the payer does not need', async () => {
    const { url, charge } = await charging({ adminToken: 'let-me-in' })
    const page = await visit(`${url}/pay/${(await charge({ amount: 25, currency: 'BRL' })).transaction_id}`, {
      tolerate: refusals,
    })
    await page.getByRole('heading', { name: 'R$25.00' }).waitFor()
    await bar(page, 'Pay').click()
    await page.getByLabel('Admin token').fill('let-me-in')
    await bar(page, 'Use').click()
    await page.getByText('The payment has arrived').waitFor()
    expect(page.problems).toEqual([])
  })

  test('sees the errors of the sandbox', async () => {
    const { url, charge, call } = await charging()
    const { transaction_id: id } = await charge({ amount: 25, currency: 'BRL' })
    const page = await visit(`${url}/pay/${id}`, { tolerate: refusals })
    await page.route('**/pay/**', (route) => route.abort())
    await call('POST', '/trigger', { action: 'cashin.expire', id })
    await bar(page, 'Pay').click()
    await page.getByRole('status').filter({ hasText: 'expired' }).waitFor()
  })
})

describe("the address of the payer's page", () => {
  test('is in the transaction, the trigger and the library, and opens the page, in a workspace too', async () => {
    const { url, charge, call } = await charging()
    const { transaction_id: id } = await charge({ amount: 25, currency: 'BRL' })
    const expected = `${url}/pay/${id}`
    expect((await call('GET', `/transactions/${id}`)).body.pay_url).toBe(expected)
    expect((await call('GET', '/transactions')).body.data[0].pay_url).toBe(expected)
    expect((await call('POST', '/trigger', { action: 'cashin.pay', id })).body.object.pay_url).toBe(expected)

    await call('POST', '/workspaces', { name: 'second' })
    const other = await openClient(`${url}/w/second`)
    const { data } = (await other.post('/v2/transactions/cashin', { amount: 7, currency: 'BRL' })).body
    const { pay_url: there } = (await control(`${url}/w/second`)('GET', `/transactions/${data.transaction_id}`)).body
    expect(there).toBe(`${url}/w/second/pay/${data.transaction_id}`)
    const page = await visit(there)
    await bar(page, 'Pay').click()
    await page.getByText('The payment has arrived').waitFor()
    expect(page.problems).toEqual([])
    expect((await send('GET', `${url}/pay/${data.transaction_id}`)).status).toBe(404)

    await using library = await startSandbox({ clock: 'manual' })
    const made = await library.client('merchant').cashin({ amount: 25, currency: 'BRL' })
    const kept = await library.transactions.get(made.transaction_id)
    expect('pay_url' in kept && kept.pay_url).toBe(`${library.url}/pay/${made.transaction_id}`)
  })

  test('is closed to other hosts and frames, and executes no text of a payer or a merchant', async () => {
    const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`
    const { url, charge, call } = await charging()
    const { transaction_id: id } = await charge({ amount: 25, currency: 'BRL', external_id: hostile })
    await call('POST', '/trigger', { action: 'cashin.pay', id, payer: { name: hostile } })
    const page = await visit(`${url}/pay/${id}`)
    expect(await page.locator('main').textContent()).toContain(hostile)
    expect(page.problems).toEqual([])
    const answer = await send('GET', `${url}/pay/${encodeURIComponent(hostile)}`)
    expect([answer.status, String(answer.body).includes('<script>alert')]).toEqual([404, false])
    const { headers } = await send('GET', `${url}/pay/${id}?from=mail`)
    expect(headers.get('content-security-policy')).toContain("default-src 'self'")
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect((await send('GET', `${url}/pay/${id}`, undefined, { Origin: 'https://evil.example' })).status).toBe(403)
    const withdrawn = await (await openClient(url)).withdraw('out')
    expect((await send('GET', `${url}/pay/${withdrawn}`)).status).toBe(404)
  })

  test('returns 304 to clients that have it, until something changes', async () => {
    const { url, charge, call } = await charging()
    const { transaction_id: id } = await charge({ amount: 25, currency: 'BRL' })
    const etag = (await send('GET', `${url}/pay/${id}`)).headers.get('etag') ?? ''
    const again = async () => (await send('GET', `${url}/pay/${id}`, undefined, { 'If-None-Match': etag })).status
    expect(await again()).toBe(304)
    await call('POST', '/trigger', { action: 'cashin.pay', id })
    expect(await again()).toBe(200)
  })
})
