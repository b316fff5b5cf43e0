/** Certifying a receiver from the page. */
import { expect, test } from 'vitest'
import { barriers } from './support/browser.js'
import { button, live, look, see, start } from './support/dashboard.js'

test('the rules show up one by one, and tell what was observed and how to fix it', async () => {
  const sandbox = await start()
  const page = await look(sandbox, '#/certify')
  await live(page)
  await page.getByLabel('Address of the receiver').fill(`${sandbox.url}/_sandbox/inbox/believes-all`)
  await button(page, 'Certify').click()
  await see(page, '.view-head .pill', 'Broken')
  const broken = page.locator('.messages li', { hasText: 'Broken' }).first()
  await broken.locator('summary').click()
  await see(broken, '.hint-box', /\w/)
  expect(await barriers(page)).toEqual([])
})
