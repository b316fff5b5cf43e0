/** Every view of the dashboard, light and dark, wide and narrow, with data and with none: looked at by machine for what a machine can see. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../src/testing/index.js'
import {
  barriers,
  nameless,
  openPage,
  overflowing,
  refusals,
  switchTo,
  unreachable,
  type Watched,
} from '../support/browser.js'
import { built } from '../support/built.js'
import { views } from '../support/dashboard-views.js'
import { openWorld, type World } from '../support/dashboard-world.js'
import { figure } from '../support/figures.js'

let world: World

beforeAll(async () => {
  await built()
  world = await openWorld()
})

afterAll(async () => {
  await world?.close()
})

/** Where layouts change: a phone, a tablet, a small and a large screen. */
const widths = [390, 768, 1024, 1280, 1920]

/** Tables that are wider than the panel that they stand in. */
const spilling = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('table')]
      .filter((table) => table.scrollWidth > (table.parentElement?.clientWidth ?? 0) + 1)
      .map((table) => table.getAttribute('aria-label')),
  )

async function fits({ page }: Watched, what: string): Promise<void> {
  const { width = 0, height = 0 } = page.viewportSize() ?? {}
  for (const one of [...widths, width]) {
    await page.setViewportSize({ width: one, height })
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
    expect([what, one, await overflowing(page), await spilling(page)]).toEqual([what, one, [], []])
  }
}

async function openAt(url: string, colorScheme: 'light' | 'dark', width = 1360): Promise<Watched> {
  const { origin } = new URL(url)
  const watched = await openPage(origin, { width, height: width < 500 ? 812 : 860, colorScheme })
  await watched.page.goto(origin)
  await watched.page.locator('.connection.live').waitFor({ state: 'attached' })
  return watched
}

async function goTo({ page }: Watched, path: string, there: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash
  }, path)
  await page.locator(there).first().waitFor()
  await page.locator('body:not(:has(.loading))').waitFor()
}

describe('every view', () => {
  let watched: Watched
  let scheme: 'light' | 'dark' = 'light'
  beforeAll(async () => {
    watched = await openAt(world.sandbox.url, 'light')
  })
  afterAll(() => watched?.page.context().close())

  async function isComplete(name: string) {
    const { page, problems } = watched
    expect(await barriers(page)).toEqual([])
    expect(await nameless(page)).toEqual([])
    expect(await unreachable(page)).toEqual([])
    expect(await page.locator('h1').count()).toBe(1)
    await fits(watched, name)
    // The next view begins in this one.
    scheme = scheme === 'light' ? 'dark' : 'light'
    await switchTo(page, scheme)
    // The two differ in colors only.
    expect(await barriers(page, figure(['color-contrast'], undefined))).toEqual([])
    expect(problems).toEqual([])
  }

  test.each(views)(
    'shows %s completely, with accessible names, all of it within reach of Tab, on every screen size, light and dark',
    async (name, path, there) => {
      await goTo(watched, path(world.ids), there)
      await isComplete(name)
    },
  )

  test('shows the clock controls completely, over any view', async () => {
    const { page } = watched
    await page.getByRole('button', { name: /^Clock:/ }).click()
    await page.locator('.clock-panel .job-list li').first().waitFor()
    await isComplete('clock')
    await page.keyboard.press('Escape')
  })
})

test('every empty list says what to do, and fits every screen', async () => {
  const empty = await startSandbox({ clock: 'manual' })
  const watched = await openAt(empty.url, 'light')
  for (const name of ['', 'transactions', 'wallets', 'disputes', 'webhooks', 'inbox', 'requests', 'snapshots']) {
    await goTo(watched, `#/${name}`, '.empty')
    expect([name, await barriers(watched.page)]).toEqual([name, []])
    await fits(watched, name)
  }
  expect(watched.problems).toEqual([])
  await watched.page.context().close()
  await empty.close()
})

test('lists of long references, names and addresses fit every screen', async () => {
  const long = await startSandbox({ clock: 'manual', webhookUrl: `http://127.0.0.1:9/${'hooks/'.repeat(9)}` })
  const api = long.client()
  const payer = { name: 'Guadalupe Hernández de la Santísima Trinidad' }
  const charge = await api.cashin({ amount: 9876.54, currency: 'BRL', external_id: crypto.randomUUID(), payer })
  await long.trigger('cashin.pay', { id: charge.transaction_id })
  await long.trigger('dispute.open', { id: charge.transaction_id })
  const spei = await api.cashin({ amount: 300, currency: 'MXN', external_id: 'x'.repeat(150), payer })
  await long.trigger('cashin.pay', { id: spei.transaction_id, amount: 100 })
  const wallet = await api.wallet({ currency: 'ETH', chain: 'ethereum' })
  await long.trigger('wallet.deposit', { id: wallet.wallet_id, amount: '0.01234567' })
  await api.conversion({
    base_currency: 'BRL',
    destination_currency: 'USDT',
    amount: 1000,
    external_id: 'y'.repeat(150),
  })
  const watched = await openAt(long.url, 'light')
  for (const path of ['', 'transactions', 'wallets', 'disputes', 'webhooks', 'requests', 'accounts/merchant']) {
    await goTo(watched, `#/${path}`, 'tbody tr')
    await fits(watched, path)
  }
  await goTo(watched, `#/transactions/${spei.transaction_id}`, '.story-row')
  expect(await watched.page.locator('h1').textContent()).toMatch(/100\.00 MXN of 300\.00 MXN/)
  await watched.page.context().close()
  await long.close()
})

test('lists whose rows are of several days fit every screen, in each language', async () => {
  const days = await startSandbox({ clock: 'manual', webhookUrl: 'http://127.0.0.1:9/hooks' })
  const api = days.client()
  for (let day = 0; day < 4; day++) {
    const payer = { name: 'Guadalupe Hernández de la Santísima Trinidad' }
    const { transaction_id: id } = await api.cashin({ amount: 1234.56, currency: 'MXN', payer })
    await days.trigger('cashin.pay', { id })
    await days.trigger('cashin.refund', { id, amount: '1020.34' })
    await api.transfer({ username: 'customer', amount: 10, currency: 'BRL' })
    await days.clock.advance('1d')
  }
  const watched = await openAt(days.url, 'light')
  for (const language of ['en', 'pt', 'es'])
    for (const path of [
      'transactions',
      'transactions?status=refunded',
      'transactions?type=transfer',
      'webhooks?status=failed',
    ]) {
      await watched.page.goto(`${days.url}/?lang=${language}#/${path}`)
      await watched.page.locator('tbody tr').first().waitFor()
      await fits(watched, `${path}, ${language}`)
    }
  await watched.page.context().close()
  await days.close()
})

test.each([
  { width: 1360, scheme: 'dark' },
  { width: 390, scheme: 'light' },
] as const)('a form, a message and the menu are accessible and fit the screen at $width', async ({ width, scheme }) => {
  const watched = await openAt(world.sandbox.url, scheme, width)
  const { page, problems } = watched
  const check = async () => {
    expect(await overflowing(page)).toEqual([])
    expect(await nameless(page)).toEqual([])
    expect(await barriers(page)).toEqual([])
    expect(problems.splice(0).filter((problem) => !refusals.test(problem))).toEqual([])
  }
  await goTo(watched, `#/transactions/${world.ids.crypto}`, '.qr')
  await page.getByRole('button', { name: 'Pay with parameters' }).click()
  await page.getByLabel(/^Amount/).fill('a lot')
  await page.getByRole('dialog').getByRole('button', { name: 'Pay', exact: true }).click()
  await page.getByRole('alert').waitFor()
  await check()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Copy the transaction id' }).click()
  await page.locator('.toast').waitFor()
  if (width < 500) await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'Request log' }).waitFor()
  await check()
  await page.context().close()
})
