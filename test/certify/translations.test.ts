/** What the pages of certification show is translated. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { booksRules } from '../../src/features/certify/books/rules.js'
import { clientRules } from '../../src/features/certify/client/rules.js'
import { stopWords } from '../../src/features/certify/load/profiles.js'
import { loadRules } from '../../src/features/certify/load/rules.js'
import { receiverRules } from '../../src/features/certify/receiver/rules.js'
import { groupOf, missingOptions, pageWords } from '../../src/features/certify/report/rules.js'
import { built } from '../support/built.js'
import { button, live, look, see, start } from '../support/dashboard.js'
import { translations } from '../support/page-texts.js'

test('every requirement has a subject, a title, a check, a fix and reasons to skip it in Portuguese and Spanish', () => {
  const allRules = [receiverRules, clientRules, booksRules, loadRules]
  const rows = allRules.flatMap((rules) => Object.values(rules))
  const groups = allRules.flatMap((rules) => Object.keys(rules).map(groupOf))
  const titles = new Set(rows.map(({ requirement }) => requirement))
  expect(titles.size).toBeGreaterThan(100)
  const words = [
    ...titles,
    ...rows.flatMap(({ check, fix }) => [check, fix]),
    ...Object.values(missingOptions),
    ...groups,
  ]
  const flags = Object.values(pageWords).flatMap((pairs) => pairs.map(([flag]) => flag))
  for (const language of ['pt', 'es'] as const) {
    const known = translations(language)
    expect(words.filter((text) => !(text in known))).toEqual([])
    // The page has its own words in place of the flags: they are found as they are in English.
    for (const text of words)
      expect([text, flags.filter((flag) => known[text]?.includes(flag))]).toEqual([
        text,
        flags.filter((flag) => text.includes(flag)),
      ])
  }
})

/** What checks report, and where: the texts of their results, with `{}` for values. */
function observations(): (readonly [text: string, file: string])[] {
  const folder = join(import.meta.dirname, '../../src/features/certify')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  return files.flatMap((name) => {
    const source = ts.createSourceFile(name, readFileSync(join(folder, name), 'utf8'), ts.ScriptTarget.Latest, true)
    const found: string[] = []
    const visit = (node: ts.Node, isResult: boolean): void => {
      if (isResult && ts.isStringLiteralLike(node)) found.push(node.text)
      if (isResult && ts.isTemplateExpression(node))
        found.push(node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join(''))
      const isCall = ts.isCallExpression(node) && /^(pass|fail|inconclusive)$/.test(node.expression.getText())
      node.forEachChild((child) => visit(child, isResult || isCall))
    }
    visit(source, false)
    return found.filter((text) => /[a-z]{2} [a-z]{2}/.test(text)).map((text) => [text, name] as const)
  })
}

/** Only the command line runs a client, pays in its place, and makes outages. */
const onlyOfCommands =
  /^client\/run-client|^the sandbox could not make |\{\} (not read|read only for other types)|still repeated|^stopped after/
/** With numbers of any size. */
const countedOnly = [
  'the dates of {} entries differ from those of their postings; {}',
  'it answered again after {} steps that were too much',
  'an event of {} bytes, with the longest texts: {}',
  '{}: the first attempt of each of {} events: {}',
]

test('what the checks of the pages report has a translation', () => {
  const all = observations()
  expect(all.length).toBeGreaterThan(80)
  const known = translations('pt')
  const missing = all.filter(([text]) => !(text in known))
  expect(
    missing.filter(([text, file]) => !onlyOfCommands.test(file) && !onlyOfCommands.test(text)).map(([text]) => text),
  ).toEqual(countedOnly)
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
  await page.locator('.messages summary', { hasText: 'com êxito' }).first().waitFor()
  for (const title of await page.locator('.messages summary strong > span').allTextContents())
    expect(title).not.toMatch(/^The receiver/)
  await see(page, '.hint-box [lang=pt]', 'Calcule o HMAC de cada corpo.')
  await see(page, '.messages p [lang=pt]', 'Altera um dígito do valor depois de assinar.')
  await see(page, '.messages summary [lang=pt]', '× não testado porque signature.checked falhou')
  await see(page, '.messages summary [lang=pt]', '× requer a URL de estado (o campo URL de estado)')
  await see(page, '.messages summary [lang=pt]', 'um evento com um dígito do valor alterado foi aceito (respondeu 200)')
  await page.getByRole('button', { name: /issue/ }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    'The receiver rejects an event whose body was changed.',
  )
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('Fix: Compute the HMAC of every body.')
})

test('the figures of a load test are in the language of the page, and every reason why it ends or finds no limit', async () => {
  await built()
  const sandbox = await start()
  const page = await look(sandbox, '?lang=pt#/certify')
  await live(page)
  await page.getByLabel('URL do receptor').fill(`${sandbox.url}/_sandbox/inbox/busy`)
  await page.locator('.choice button').last().click()
  await page.locator('#field-load\\.rate').fill('20/s')
  await page.locator('#field-load\\.for').fill('1s')
  await page.locator('button.primary').click()
  await see(page, '.panel-head', '20/s por 1s, steady')
  await see(page, '.facts dd', /^\d+, \d+ confirmados$/)
  await see(page, '.facts dd', /^\d+, enviadas de propósito$/)
  await see(page, '.facts dd', /^p50 .*, máx\. /)
  for (const language of ['pt', 'es'] as const)
    expect(Object.values(stopWords).filter((text) => !(text in translations(language)))).toEqual([])
})
