/** The search over everything, by keyboard, and the commands that it understands. */
import { expect, test } from 'vitest'
import { barriers } from '../support/browser.js'
import { holdBack, live, look, see, start } from '../support/dashboard.js'

test('a slash opens the search, which finds an order by a part of its number, and Enter opens the order', async () => {
  const sandbox = await start({ clock: 'manual' })
  const charge = await sandbox
    .client()
    .cashin({ amount: 25, currency: 'BRL', external_id: 'order-7710', payer: { name: 'Ana Souza' } })
  const page = await look(sandbox)
  await see(page, 'tbody tr', 'Charge')
  await page.keyboard.press('/')
  await page.keyboard.type('r-77')
  await see(page, '.palette [role=option]', charge.transaction_id)
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('Enter')
  await see(page, 'h1', /Charge 25\.00 BRL/)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('nothing of the kind')
  await see(page, '.palette [role=status]', 'Nothing found')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('Enter opens the first result also when it is pressed before the search has answered', async () => {
  const sandbox = await start({ clock: 'manual' })
  await sandbox.client().cashin({ amount: 25, currency: 'BRL', payer: { name: 'Ana Souza' } })
  const page = await look(sandbox)
  await see(page, 'tbody tr', 'Charge')
  const { asked, read } = await holdBack(page, /\/search\?/)
  await page.keyboard.press('/')
  await page.keyboard.type('Souza')
  await page.keyboard.press('Enter')
  await asked
  read()
  await see(page, 'h1', /Charge 25\.00 BRL/)
})

test('the search stays open when it is opened again while it closes', async () => {
  const page = await look(await start({ clock: 'manual' }))
  await page.getByRole('button', { name: /^Search/ }).click()
  await page.evaluate(() => {
    document.querySelector<HTMLElement>('#palette [aria-label=Close]')?.click()
    dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))
  })
  await page.keyboard.type('nothing of the kind')
  await see(page, '.palette [role=status]', 'Nothing found')
})

test('the search understands how far to advance the clock, what to create and what to run', async () => {
  const sandbox = await start({ clock: 'manual' })
  const page = await look(sandbox)
  const before = Date.parse(await sandbox.clock.now())
  await page.getByRole('button', { name: /^Search/ }).click()
  await page.keyboard.type('advance')
  for (const target of ['by 1 hour', 'by 1 day', 'until idle'])
    await see(page, '.palette [role=option]', `Advance the clock ${target}`)
  await page.keyboard.type(' 7 days')
  await see(page, '.palette [aria-selected=true]', 'Advance the clock by 7d')
  await page.keyboard.press('Enter')
  await page.getByLabel('Duration').waitFor()
  expect(Date.parse(await sandbox.clock.now())).toBe(before)
  await page.keyboard.press('Enter')
  await see(page, '.toast', 'no job was due')
  expect(Date.parse(await sandbox.clock.now()) - before).toBe(7 * 86_400_000)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('run tron-energy-fail')
  await see(page, '.palette [aria-selected=true]', 'Run tron-energy-fail')
  await page.keyboard.press('Enter')
  await see(page, 'dialog h2', 'Run tron-energy-fail')
})

test('the search puts exact words before parts of words, and an order with exactly the typed reference first', async () => {
  const sandbox = await start({ clock: 'manual' })
  const api = sandbox.client()
  await api.cashin({ amount: 25, currency: 'BRL', external_id: 'med', payer: { name: 'Ana Medeiros' } })
  await api.cashin({ amount: 26, currency: 'BRL', external_id: 'reset', payer: { name: 'Ana Medeiros' } })
  const page = await look(sandbox)
  await live(page)
  await page.keyboard.press('/')
  const field = page.getByRole('combobox', { name: 'Search' })
  await field.fill('dispute-lost')
  await see(page, '.palette [aria-selected=true]', 'Run med-dispute-lost')
  await field.fill('medeiros')
  await see(page, '.palette [aria-selected=true]', 'Ana Medeiros')
  await field.fill('reset')
  await see(page, '.palette [aria-selected=true]', '26.00 BRL')
  await field.fill('RESET')
  await see(page, '.palette [aria-selected=true]', '26.00 BRL')
  await field.fill('webhooks')
  await see(page, '.palette [aria-selected=true] .palette-title', /^Webhooks$/)
  await field.fill('me')
  await see(page, '.palette [role=option]', 'Run med-dispute-canceled')
})

test('the search finds the keys and the webhook URL of each credential, where they are shown and where they are changed', async () => {
  const sandbox = await start({ clock: 'manual' })
  const page = await look(sandbox)
  await live(page)
  await page.keyboard.press('/')
  const field = page.getByRole('combobox', { name: 'Search' })
  for (const words of ['client_secret', 'postback', 'signing_key', 'webhook URL', 'webhook secret']) {
    await field.fill(words)
    await see(page, '.palette [role=option]', /Edit credential .* of merchant/)
  }
  await see(page, '.palette [aria-selected=true]', /Credential .* of /)
  await page.keyboard.press('Enter')
  await see(page, 'h1', 'Accounts')
  await see(page, '.facts dt', 'webhook_secret')
})

test('the search in Portuguese and Spanish finds by English words, too, and names that stand in a text', async () => {
  const sandbox = await start({ clock: 'manual' })
  for (const locale of ['pt-BR', 'es-MX']) {
    const page = await look(sandbox, '#/', { locale })
    await page.locator('main .balances').first().waitFor()
    await page.keyboard.press('/')
    for (const [words, found] of [
      ['run tron-energy-fail', / tron-energy-fail/],
      ['statement of merchant', /Extra\w+ de merchant|Estado de cuenta de merchant/],
      ['advance the clock by 1 day', / 1 d[ií]a/],
      ['disputes', /Contestações|Disputas/],
    ] as const) {
      await page.locator('#palette input').fill(words)
      await see(page, '.palette [aria-selected=true]', found)
    }
  }
})
