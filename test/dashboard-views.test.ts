/** Every view of the dashboard, light and dark, wide and narrow: looked at by machine for what a machine can see, and photographed for people. */
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriers, nameless, openBrowser, openPage, overflowing, refusals, type Watched } from './support/browser.js'
import { built } from './support/built.js'
import { openWorld, type World } from './support/dashboard-world.js'

const shots = process.env.DASHBOARD_SHOTS ?? join(tmpdir(), 'payments-sandbox-dashboard')
let world: World
let browser: Browser

beforeAll(async () => {
  await built()
  mkdirSync(shots, { recursive: true })
  browser = await openBrowser()
  world = await openWorld()
})

afterAll(async () => {
  await browser?.close()
  await world?.close()
})

/** Name of the picture, address of the view, and what must be there before it is looked at. */
const views: readonly (readonly [name: string, path: (ids: World['ids']) => string, there: string])[] = [
  ['overview', () => '#/', '.balances li'],
  ['transactions', () => '#/transactions', 'tbody tr'],
  ['transaction', ({ paid }) => `#/transactions/${paid}`, '.timeline .attempts'],
  ['transaction-waiting', ({ waiting }) => `#/transactions/${waiting}`, '.qr'],
  ['charge', ({ waiting }) => `#/transactions/${waiting}/pay`, '.qr'],
  ['charge-crypto', ({ crypto }) => `#/transactions/${crypto}/pay`, '.qr'],
  ['new-charge', () => '#/new/charge', '.create-fields .field'],
  ['new-withdrawal', () => '#/new/withdrawal', '.create-fields .field'],
  ['wallets', () => '#/wallets', 'tbody tr'],
  ['wallet', ({ wallet }) => `#/wallets/${wallet}`, '.timeline li'],
  ['disputes', () => '#/disputes', 'tbody tr'],
  ['dispute', ({ dispute }) => `#/disputes/${dispute}`, '.timeline li'],
  ['webhooks', () => '#/webhooks', 'tbody tr'],
  ['webhook', ({ webhook }) => `#/webhooks/${webhook}`, '.steps .hex'],
  ['inbox', () => '#/inbox', '.empty'],
  ['certify', () => '#/certify', '.empty'],
  ['scenarios', () => '#/scenarios', '.scenario-list li'],
  ['scenario', () => '#/scenarios/med-dispute-lost', '.step-list li'],
  ['run', ({ run }) => `#/runs/${run}`, '.run-steps li'],
  ['accounts', () => '#/accounts', '.credential'],
  ['journal', () => '#/journal', 'tbody tr'],
  ['journal-call', ({ unsigned }) => `#/journal/${unsigned}`, '.hex-pair'],
  ['state', () => '#/state', 'tbody tr'],
  ['nowhere', () => '#/nowhere', '.empty'],
]

describe.each([
  { scheme: 'light', width: 1360 },
  { scheme: 'dark', width: 1360 },
  { scheme: 'light', width: 375 },
] as const)('$scheme at $width pixels', ({ scheme, width }) => {
  let watched: Watched

  beforeAll(async () => {
    const { origin } = new URL(world.sandbox.url)
    watched = await openPage(browser, origin, { width, height: width < 500 ? 812 : 860, colorScheme: scheme })
    await watched.page.goto(origin)
    await watched.page.locator('.connection.live').waitFor({ state: 'attached' })
  })
  afterAll(() => watched?.page.context().close())

  test.each(views)('%s is whole, named, and within its width', async (name, path, there) => {
    const { page, problems } = watched
    await page.evaluate((hash) => {
      location.hash = hash
    }, path(world.ids))
    await page.locator(there).first().waitFor()
    await page.locator('.loading').waitFor({ state: 'detached' })
    await page.screenshot({ path: join(shots, `${name}-${scheme}-${width}.png`), fullPage: true })
    expect(await overflowing(page)).toEqual([])
    expect(await nameless(page)).toEqual([])
    expect(await barriers(page)).toEqual([])
    expect(await page.locator('h1').count()).toBe(1)
    expect(problems).toEqual([])
  })

  test('a form, a message and the menu are so, too', async () => {
    const { page, problems } = watched
    const check = async (name: string) => {
      await page.screenshot({ path: join(shots, `${name}-${scheme}-${width}.png`) })
      expect(await overflowing(page)).toEqual([])
      expect(await nameless(page)).toEqual([])
      expect(await barriers(page)).toEqual([])
      expect(problems.splice(0).filter((problem) => !refusals.test(problem))).toEqual([])
    }
    await page.goto(`${new URL(world.sandbox.url).origin}/#/transactions/${world.ids.waiting}`)
    await page.getByRole('button', { name: 'Pay with parameters' }).click()
    await page.getByLabel(/^amount/).fill('a lot')
    await page.getByRole('dialog').getByRole('button', { name: 'Pay', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await check('form')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Copy the transaction id' }).click()
    await page.locator('.toast').waitFor()
    if (width < 500) await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Journal' }).waitFor()
    await check('menu')
  })
})
