/** What the pages of certification show is translated. */
import { expect, test } from 'vitest'
import { booksRules } from '../../src/features/certify/books/rules.js'
import { clientRules } from '../../src/features/certify/client/rules.js'
import { loadRules } from '../../src/features/certify/load/rules.js'
import { receiverRules } from '../../src/features/certify/receiver/rules.js'
import { built } from '../support/built.js'
import { button, live, look, see, start } from '../support/dashboard.js'
import { translations } from '../support/page-texts.js'

test('every requirement of a receiver, a client, a ledger and a load has a title in Portuguese and Spanish', () => {
  const rows = [receiverRules, clientRules, booksRules, loadRules].flatMap((rules) => Object.values(rules))
  const titles = new Set(rows.map(({ requirement }) => requirement))
  expect(titles.size).toBeGreaterThan(100)
  for (const language of ['pt', 'es'] as const) {
    const known = translations(language)
    expect([...titles].filter((title) => !(title in known))).toEqual([])
  }
})

test('a page of results has its requirements in the language of the page, and an issue has them in English', async () => {
  await built()
  const sandbox = await start()
  const page = await look(sandbox, '?lang=pt#/certify')
  await live(page)
  await page.getByLabel('URL do receptor').fill(`${sandbox.url}/_sandbox/inbox/believes-all`)
  await button(page, 'Certificar').click()
  await see(page, '.view-head .pill', 'Com falha')
  await see(page, '.messages li', 'O receptor rejeita um evento cujo corpo foi alterado.')
  await page.locator('.messages summary', { hasText: 'Aprovado' }).first().waitFor()
  for (const title of await page.locator('.messages summary strong > span').allTextContents())
    expect(title).not.toMatch(/^The receiver/)
  await page.getByRole('button', { name: /issue/ }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    'The receiver rejects an event whose body was changed.',
  )
})
