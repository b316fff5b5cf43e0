/** Certifying a receiver from the page. */
import { expect, test } from 'vitest'
import { barriers } from './support/browser.js'
import { button, live, look, see, start } from './support/dashboard.js'

test('results appear one by one, and a failed rule shows what was observed and how to fix it', async () => {
  const sandbox = await start()
  const page = await look(sandbox, '#/certify')
  await live(page)
  await page.getByLabel('Receiver URL').fill(`${sandbox.url}/_sandbox/inbox/believes-all`)
  await button(page, 'Certify').click()
  await see(page, '.view-head .pill', 'Failed')
  const failed = page.locator('.messages li', { hasText: 'Failed' }).first()
  await failed.locator('summary').click()
  await see(failed, '.hint-box', /\w/)
  expect(await barriers(page)).toEqual([])
})
