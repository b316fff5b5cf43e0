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
    await page.getByLabel(/^Amount/).fill('149.90')
    await page.getByLabel(/^Your reference/).fill('order-77')
    await page.getByText('Payer', { exact: true }).click()
    await page.getByLabel(/^Name payer\.name/).fill('João Pereira')
    expect(JSON.parse(await shown(page, 'POST /v2'))).toMatchObject({ amount: 149.9, payer: { name: 'João Pereira' } })
    expect(await shown(page, 'curl')).toContain('"amount":149.90')
    await button(page, 'Create').click()
    await see(page, 'h1', /Charge 149\.90 BRL/)
    expect(await newest(sandbox)).toMatchObject({ external_id: 'order-77', amount: '149.90' })
    await button(page, 'Pay').click()
    await button(page, 'Refund').click()
    await see(page, 'h1 .pill', 'Refunded')
  })

  test('reads an amount as the language of the page writes it', async () => {
    const sandbox = await start()
    const page = await look(sandbox, '#/new/charge', { locale: 'pt-BR' })
    const amount = page.locator('[name=amount]')
    await expect.poll(() => amount.inputValue()).toBe('25,00')
    await amount.fill('1.234,50')
    await expect.poll(() => shown(page, 'curl')).toContain('"amount":1234.50')
    await button(page, 'Criar').click()
    await see(page, 'h1', /1\.234,50/)
    expect(await newest(sandbox)).toMatchObject({ amount: '1234.50' })
  })

  test('shows the fields of the chosen currency, and a sample of each is accepted', async () => {
    const sandbox = await start({ clock: 'manual' })
    const page = await look(sandbox, '#/new/withdrawal')
    await page.getByLabel(/^Type of PIX key/).waitFor()
    for (const currency of currencyNames) {
      await page.goto(`${sandbox.url}/#/new/withdrawal`)
      await page.getByLabel(/^Currency/).selectOption(currency)
      expect(await page.getByLabel(/^Type of PIX key/).count(), currency).toBe(currency === 'BRL' ? 1 : 0)
      expect(await page.getByLabel(/^Bank code/).count(), currency).toBe(currency === 'MXN' ? 1 : 0)
      expect(await page.getByLabel(/^Network/).count(), currency).toBe(currency === 'BRL' || currency === 'MXN' ? 0 : 1)
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
    await page.getByLabel(/^Currency/).selectOption('USDT')
    await page.getByLabel(/^Chain/).selectOption('polygon')
    await button(page, 'Create').click()
    await see(page, 'h1', /wallet 1 · POLYGON/)
  })

  test('says what the API does with a reference that is used again: the same charge, or a 409', async () => {
    const sandbox = await start()
    const page = await look(sandbox, '#/new/charge')
    await see(
      page,
      '.field .hint',
      /The same call again returns the same object; any other call .* 409 DUPLICATE_EXTERNAL_ID/,
    )
    const order = { amount: 25, currency: 'BRL', external_id: 'order-1' } as const
    const first = await sandbox.client().cashin(order)
    expect((await sandbox.client().cashin(order)).transaction_id).toBe(first.transaction_id)
    await expect(sandbox.client().cashin({ ...order, amount: 26 })).rejects.toMatchObject({
      ...{ status: 409, code: 'DUPLICATE_EXTERNAL_ID' },
    })
  })

  test('shows the name of a rejected field, keeps its values, and can be submitted again', async () => {
    const sandbox = await start()
    const page = await look(sandbox, '#/new/charge', { tolerate: refusals })
    await page.getByLabel(/^Amount/).fill('a lot')
    await button(page, 'Create').click()
    await see(page, '.field [role=alert]', 'INVALID_AMOUNT')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('amount')
    expect(await page.getByLabel(/^Amount/).inputValue()).toBe('a lot')
    expect(await page.getByLabel(/^Amount/).getAttribute('aria-invalid')).toBe('true')
    await page.getByText('Split the payment', { exact: true }).click()
    await button(page, 'Add a line').click()
    await button(page, 'Clear').click()
    await page.getByLabel(/^Username/).waitFor({ state: 'detached' })
    expect(await page.getByLabel(/^Name payer\.name/).inputValue()).toBe('')
    await button(page, 'Fill in a sample').click()
    expect(await page.getByLabel(/^Amount/).inputValue()).toBe('25.00')
    await button(page, 'Create').click()
    await see(page, 'h1', /Charge 25\.00 BRL/)
  })

  test('folds the fields of an object and of a list, opens them for an error, and sends what stands in them', async () => {
    const sandbox = await start()
    const page = await look(sandbox, '#/new/charge', { tolerate: refusals })
    const payer = page.locator('.field-group', { hasText: 'Payer' })
    await see(page, '.field-group summary', 'Ana Souza · 52998224725')
    expect(await payer.getAttribute('open')).toBeNull()
    await payer.locator('summary').click()
    await page.getByLabel(/^CPF or CNPJ/).fill('12345678900')
    await payer.locator('summary').click()
    await button(page, 'Create').click()
    await see(page, '.field-group[open] [role=alert]', 'INVALID_VALUE')
    await page.getByLabel(/^CPF or CNPJ/).fill('52998224725')
    await page.getByText('Split the payment', { exact: true }).click()
    await button(page, 'Add a line').click()
    await page.getByLabel(/^Username/).fill('customer')
    await page.getByLabel(/^Percentage/).fill('12.50')
    await button(page, 'Add a line').click()
    await button(page, 'Remove line 2').click()
    expect(await shown(page, 'POST /v2')).toContain('"percentage": 12.50')
    await button(page, 'Create').click()
    await see(page, 'h1', /Charge 25\.00 BRL/)
  })

  test('shows programs in three languages that do the same, signature included', async (context) => {
    requireTools(context, 'curl', 'python3')
    const sandbox = await start({ clock: 'manual' })
    const page = await look(sandbox, '#/new/withdrawal')
    await page.getByLabel(/^Your reference/).fill("it's-mine")
    const command = `uuidgen() { cat /proc/sys/kernel/random/uuid; }\n${await shown(page, 'curl')}`
    const { stdout } = await promisify(execFile)('sh', ['-c', command])
    const created = { success: true, data: { external_id: "it's-mine", status: 'pending' } }
    expect(JSON.parse(stdout)).toMatchObject(created)
    await button(page, 'Node.js').click()
    const node = [process.execPath, '--input-type=module', '-e', await shown(page, 'Node.js')] as const
    await button(page, 'Python').click()
    const python = ['python3', '-c', await shown(page, 'Python')] as const
    for (const [program, ...given] of [node, python])
      expect(JSON.parse((await promisify(execFile)(program, given)).stdout), program).toMatchObject(created)
  })
})
