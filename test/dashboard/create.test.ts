/** Making things from the page: what the form sends is what its commands send, for every currency. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { currencyNames } from '../../src/protocol/platform/currencies.js'
import type { Sandbox } from '../../src/testing/index.js'
import { refusals } from '../support/browser.js'
import { button, look, see, start } from '../support/dashboard.js'
import { requireTools } from '../support/tools.js'

/** What the view shows beside the form. */
const shown = async (page: Page, label: string) =>
  (await page.locator('figure', { hasText: label }).locator('pre').textContent()) ?? ''

const newest = async (sandbox: Sandbox) => (await sandbox.transactions.list())[0]

describe('a form of the dashboard', () => {
  test('creates a charge from its fields, and opens it', async () => {
    const sandbox = await start()
    const page = await look(sandbox)
    await page.getByRole('link', { name: 'New charge' }).click()
    await page.getByLabel(/^amount/).fill('149.90')
    await page.getByLabel(/^external_id/).fill('order-77')
    await page.getByLabel(/^payer\.name/).fill('João Pereira')
    expect(JSON.parse(await shown(page, 'Body'))).toMatchObject({ amount: 149.9, payer: { name: 'João Pereira' } })
    expect(await shown(page, 'Terminal')).toContain('"amount":149.90')
    await button(page, 'Create').click()
    await see(page, 'h1', /Charge 149\.90 BRL/)
    expect(await newest(sandbox)).toMatchObject({ external_id: 'order-77', amount: '149.90' })
    await button(page, 'Pay').click()
    await button(page, 'Refund').click()
    await see(page, 'h1 .pill', 'Refunded')
  })

  test('shows the fields of the chosen currency, and a sample of each is accepted', async () => {
    const sandbox = await start({ clock: 'manual' })
    const page = await look(sandbox, '#/new/withdrawal')
    await page.getByLabel(/^key_type/).waitFor()
    for (const currency of currencyNames) {
      await page.goto(`${sandbox.url}/#/new/withdrawal`)
      await page.getByLabel(/^currency/).selectOption(currency)
      expect(await page.getByLabel(/^key_type/).count(), currency).toBe(currency === 'BRL' ? 1 : 0)
      expect(await page.getByLabel(/^bank_code/).count(), currency).toBe(currency === 'MXN' ? 1 : 0)
      expect(await page.getByLabel(/^network/).count(), currency).toBe(currency === 'BRL' || currency === 'MXN' ? 0 : 1)
      await button(page, 'Create').click()
      await see(page, 'h1', new RegExp(`Withdrawal .*${currency}`))
      await sandbox.clock.advance('5s')
      expect(await newest(sandbox), currency).toMatchObject({ currency, status: 'confirmed' })
    }
  })

  test('creates transfers, conversions and wallets too', async () => {
    const sandbox = await start()
    const page = await look(sandbox, '#/new/transfer')
    await button(page, 'Create').click()
    await see(page, 'h1', /Internal transfer sent 25\.00 BRL/)
    await page.goto(`${sandbox.url}/#/new/conversion`)
    await button(page, 'Create').click()
    await see(page, 'h1', /Conversion 25\.00 BRL/)
    await page.goto(`${sandbox.url}/#/new/wallet`)
    await page.getByLabel(/^currency/).selectOption('USDT')
    await page.getByLabel(/^chain/).selectOption('polygon')
    await button(page, 'Create').click()
    await see(page, 'h1', 'Wallet 1')
    await see(page, '.facts dd', 'polygon')
  })

  test('shows the name of a rejected field, keeps its values, and can be submitted again', async () => {
    const sandbox = await start()
    const page = await look(sandbox, '#/new/charge', { tolerate: refusals })
    await page.getByLabel(/^amount/).fill('a lot')
    await button(page, 'Create').click()
    await see(page, 'form [role=alert]', 'INVALID_AMOUNT')
    expect(await page.getByLabel(/^amount/).inputValue()).toBe('a lot')
    expect(await page.getByLabel(/^amount/).getAttribute('aria-invalid')).toBe('true')
    await button(page, 'Clear').click()
    expect(await page.getByLabel(/^payer\.name/).inputValue()).toBe('')
    await button(page, 'Fill in a sample').click()
    expect(await page.getByLabel(/^amount/).inputValue()).toBe('25.00')
    await button(page, 'Create').click()
    await see(page, 'h1', /Charge 25\.00 BRL/)
  })

  test('shows commands that do the same in a terminal, signature included', async (context) => {
    requireTools(context, 'curl')
    const sandbox = await start()
    const page = await look(sandbox, '#/new/withdrawal')
    await page.getByLabel(/^external_id/).fill("it's-mine")
    const command = `uuidgen() { cat /proc/sys/kernel/random/uuid; }\n${await shown(page, 'Terminal')}`
    const { stdout } = await promisify(execFile)('sh', ['-c', command])
    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { external_id: "it's-mine", status: 'pending' } })
  })
})
