/** The shortcuts of the dashboard, with nothing but keys. */
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { barriers, refusals, switchTo } from '../support/browser.js'
import { button, live, look, see, start } from '../support/dashboard.js'
import { handsAt } from '../support/hands.js'

test('a list is walked, selected and opened by keys, and its filter stays in the address', async () => {
  const sandbox = await start({ clock: 'manual' })
  const receiver = await sandbox.receiver()
  receiver.respond(500)
  for (const amount of [10, 20, 30]) {
    const { transaction_id: id } = await sandbox.client().cashin({ amount, currency: 'BRL' })
    await sandbox.trigger('cashin.pay', { id })
  }
  await sandbox.clock.advance('1d')
  const page = await look(sandbox)
  const { press } = handsAt(page)
  await live(page)
  await press('g', 'f')
  await see(page, '.data.shown', '30.00')
  expect(page.url()).toContain('status=failed')
  await press('j', 'j', 'x')
  await see(page, '.data.shown', '20.00')
  await see(page, '.bulk', '1 selected')
  await press('j', 'x')
  await see(page, '.bulk', '2 selected')
  await page.getByRole('button', { name: 'Compare attempts' }).click()
  await see(page, '.panel', /sent the same request and got the same response[\s\S]*\d+ equal fields/)
  expect(await barriers(page)).toEqual([])
  await switchTo(page, 'dark')
  expect(await barriers(page)).toEqual([])
  await page.locator('.data.shown .row-link').focus()
  await press('x', 'k', 'Enter')
  await see(page, 'h1', 'Charge confirmed')
  await see(page, 'pre:visible', '20.00')
  await press('g', 't')
  await see(page, 'h1', 'Transactions')
  await see(page, 'tbody', '30.00')
  await press('j', 'Enter')
  await see(page, 'h1', '30.00')
})

test.each([1440, 1024, 390])(
  '%i wide, a click on a row shows its object beside the list if there is room, else its page',
  async (width) => {
    const sandbox = await start({ clock: 'manual' })
    const [first, second] = [
      await sandbox.client().cashin({ amount: 10, currency: 'BRL' }),
      await sandbox.client().cashin({ amount: 20, currency: 'BRL' }),
    ]
    const page = await look(sandbox, '#/transactions?currency=BRL')
    await page.setViewportSize({ width, height: 900 })
    const { press } = handsAt(page)
    await live(page)
    const row = page.locator(`[data-key="${first.transaction_id}"] .row-link`)
    await row.click()
    if (width < 1440) return await page.waitForURL(`**/#/transactions/${first.transaction_id}`)
    const panel = page.locator('.sticky')
    await see(page, '.sticky h2', '10.00')
    expect(page.url()).toMatch(/#\/transactions\?currency=BRL$/)
    expect(await barriers(page)).toEqual([])
    await page.locator(`[data-key="${second.transaction_id}"] .row-link`).click()
    await see(page, '.sticky h2', '20.00')
    await press('Escape')
    await panel.waitFor({ state: 'detached' })
    await row.click()
    await page.getByRole('button', { name: 'Close the side panel' }).click()
    await panel.waitFor({ state: 'detached' })
    await row.click()
    await panel.locator(':scope > .panel-head').getByRole('link', { name: 'Open' }).click()
    await page.waitForURL(`**/#/transactions/${first.transaction_id}`)
    await see(page, 'h1', '10.00')
  },
)

test('the help overlay lists each shortcut, and letters in a field stay letters', async () => {
  const page = await look(await start({ clock: 'manual' }))
  const { press, type } = handsAt(page)
  await live(page)
  await press('?')
  await see(page, '.help dt', 'Next row')
  for (const place of await page.locator('nav[aria-label=Views] a').allTextContents())
    await see(page, '.help dt', place.trim())
  expect(await barriers(page)).toEqual([])
  await press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await press('/')
  await see(page, '.palette [role=option]:has-text("New charge") kbd', /^c$/)
  await press('Escape')
  await page.locator('#palette').waitFor({ state: 'hidden' })
  await press('g', 't')
  await see(page, 'h1', 'Transactions')
  await page.getByLabel('Your reference').focus()
  await type('gtc?')
  expect(await page.getByLabel('Your reference').inputValue()).toBe('gtc?')
  await see(page, 'h1', 'Transactions')
})

test('on a phone the help lists what is tapped, and no page shows a key', async () => {
  const page = await look(await start(), '', { width: 390, height: 844, isPhone: true })
  await live(page)
  await page.keyboard.press('?')
  await see(page, '.help-tasks dd', 'New charge › Create › Pay')
  expect(await page.locator('.help :is(kbd, .help-groups)').filter({ visible: true }).count()).toBe(0)
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.locator('.palette [role=option]').first().waitFor()
  expect(await page.locator('kbd').filter({ visible: true }).count()).toBe(0)
})

test('letters that are typed while a filter applies and while its list arrives stay in the field', async () => {
  const page = await look(await start({ clock: 'manual' }), '#/transactions', {
    // A letter comes after the address has changed and before the page hears of it.
    before: () => addEventListener('hashchange', () => document.execCommand('insertText', false, 't'), { once: true }),
  })
  const { type } = handsAt(page)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/transactions\?.*external_id=g/, (route) => released.then(() => route.continue()))
  await live(page)
  const field = page.getByLabel('Your reference')
  await field.focus()
  // And one right after that.
  await page.evaluate(() =>
    addEventListener('hashchange', () => document.execCommand('insertText', false, 'c'), { once: true }),
  )
  await type('g')
  await page.waitForURL(/external_id=gtc$/)
  await type(' 1')
  release()
  await page.waitForURL(/external_id=gtc\+1$/)
  await type(' ')
  await page.waitForURL(/external_id=gtc\+1\+$/)
  await see(page, '.empty-title', 'No transaction matches')
  expect(await field.inputValue()).toBe('gtc 1 ')
  // The cursor stays as well.
  await page.keyboard.press('Home')
  await type('a')
  await page.waitForURL(/external_id=agtc/)
  await type('b')
  await page.waitForURL(/external_id=abgtc/)
  await button(page, 'Clear filters').click()
  await page.waitForURL(/#\/transactions$/)
  await expect.poll(() => field.inputValue()).toBe('')
})

test('what was typed in a filter joins a choice that follows at once, and never moves a page that was left', async () => {
  const page = await look(await start({ clock: 'manual' }), '#/transactions')
  await live(page)
  const field = page.getByLabel('Your reference')
  await field.focus()
  await page.evaluate(() => {
    document.execCommand('insertText', false, 'pay')
    document.querySelector<HTMLElement>('.chips a[href*="status=pending"]')?.click()
  })
  await page.waitForURL(/\?(?=.*status=pending)(?=.*external_id=pay)/)
  expect(await field.inputValue()).toBe('pay')
  await page.evaluate(async () => {
    document.execCommand('insertText', false, '-1')
    location.hash = '#/webhooks'
    // Timers run in the order of their ends.
    await new Promise((resolve) => setTimeout(resolve, 1000))
  })
  expect(page.url()).toMatch(/#\/webhooks$/)
})

test('a date that is half typed stays in its field', async () => {
  const page = await look(await start({ clock: 'manual' }), '#/accounts/merchant?from=2026-11-05')
  const isHalfTyped = (field: Locator) => field.evaluate((element: HTMLInputElement) => element.validity.badInput)
  await live(page)
  const day = page.getByLabel('From day')
  await day.focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Backspace')
  await page.getByRole('button', { name: /^Clock:/ }).click()
  await page.getByText('A given time').click()
  const time = page.getByLabel('Time in UTC')
  await time.fill('2030-01-01T10:00')
  await button(page, 'Advance to this time').waitFor()
  await time.focus()
  await page.keyboard.press('Backspace')
  await button(page, 'Advance to this time').waitFor({ state: 'detached' })
  expect(await isHalfTyped(time)).toBe(true)
  expect([await day.inputValue(), page.url()]).toEqual(['2026-11-0', expect.stringMatching(/from=2026-11-05$/)])
})

test('the palette does what the page behind it can do', async () => {
  const sandbox = await start({ clock: 'manual' })
  const { transaction_id: id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL', external_id: 'pay-1' })
  const page = await look(sandbox, `#/transactions/${id}`)
  const { press, type } = handsAt(page)
  await live(page)
  await see(page, '.actions', 'Pay')
  for (const [text, seen] of [
    ['pay', 'Pay'],
    ['dark', 'Dark theme'],
    ['redeliver all', 'Redeliver all failed webhooks'],
  ] as const) {
    await press('/')
    await type(text)
    await see(page, '.palette [aria-selected=true]', seen)
    await press('Enter')
    await page.locator('#palette').waitFor({ state: 'hidden' })
  }
  await see(page, 'h1 .pill', 'Confirmed')
  await see(page, '.toast', 'Nothing to redeliver')
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark')
})

test('keys that follow each other within a frame open the palette again', async () => {
  const page = await look(await start({ clock: 'manual' }))
  await live(page)
  await Promise.all(['/', ...'dark', 'Enter', '/', ...'over'].map((key) => page.keyboard.press(key)))
  await see(page, '.palette [aria-selected=true]', 'Overview')
  expect(await page.locator('.palette input').inputValue()).toBe('over')
})

test('the message after a redelivery says what the receiver answered, and the panel stays when its row has left the list', async () => {
  const sandbox = await start({ clock: 'manual' })
  const receiver = await sandbox.receiver()
  receiver.respond(401)
  for (const amount of [10, 20, 30]) {
    const { transaction_id: id } = await sandbox.client().cashin({ amount, currency: 'BRL' })
    await sandbox.trigger('cashin.pay', { id })
  }
  await sandbox.clock.advance('1d')
  const page = await look(sandbox, '#/webhooks?status=failed')
  const { press } = handsAt(page)
  await live(page)
  await see(page, '.sticky h2', 'Failed')
  /** Waits from before the key is pressed, because messages go. */
  const redeliver = (message: string) => Promise.all([see(page, '.toast', message), press('a')])
  await redeliver('Sent again, and not delivered: the receiver answered with HTTP 401')
  receiver.respond(200)
  await redeliver('Sent again, and delivered')
  await see(page, '.sticky h2', 'Delivered')
  await see(page, '.pager', '2 rows')
  receiver.respond(401, 200)
  await press('*')
  await see(page, '.bulk', '2 selected')
  await redeliver('Delivered: 1 · Not delivered: 1')
  await page.locator('.toast').getByRole('button', { name: 'Show' }).click()
  await page.waitForURL('**/#/webhooks?status=delivered')
  await see(page, '.pager', '2 rows')
  await page.locator('.sticky').waitFor({ state: 'detached' })
})

test('a charge that is paid beside the list of the pending ones stays beside it, until a reset takes it away', async () => {
  const sandbox = await start({ clock: 'manual' })
  await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
  const page = await look(sandbox, '#/transactions?status=pending', { width: 1440, tolerate: refusals })
  await live(page)
  await page.locator('.row-link').click()
  await see(page, '.sticky h2', 'Pending')
  await page.locator('.sticky').getByRole('button', { name: 'Pay', exact: true }).waitFor()
  await handsAt(page).press('a')
  await see(page, '.empty-title', 'No transaction matches')
  await see(page, '.sticky h2', 'Confirmed')
  await sandbox.reset()
  await page.locator('.sticky').waitFor({ state: 'detached' })
})
