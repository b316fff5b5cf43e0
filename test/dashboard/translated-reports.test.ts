/** What the sandbox reports about calls and runs stands on the pages in their language. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { capitalized } from '../../src/base/text.js'
import { assumptionRows } from '../../src/protocol/platform/assumptions.js'
import { errorCatalogue } from '../../src/protocol/platform/errors.js'
import { transitions } from '../../src/protocol/platform/transitions.js'
import { callWarnings } from '../../src/protocol/platform/warnings.js'
import { refusals } from '../support/browser.js'
import { built } from '../support/built.js'
import { live, look, see, start } from '../support/dashboard.js'
import { translations } from '../support/page-texts.js'

const source = join(import.meta.dirname, '../../src')

test('every warning of the request log has a translation', () => {
  const messages = Object.entries(callWarnings).map(([code, { message }]) => {
    const text = `${message('{}').replaceAll(/\d+/g, '{}')}.`
    return code === 'paid_twice' ? text.replace('external_id', '{}') : text
  })
  for (const language of ['pt', 'es'] as const)
    expect(messages.filter((text) => !(text in translations(language)))).toEqual([])
})

test('every assumption has a translation, and every sentence with which a comparison judges a difference or leaves it open', () => {
  const assumptions = assumptionRows.flatMap(({ open, choice }) => [open, choice])
  const sentences = sentencesOfComparisons()
  expect(sentences).toContain('The platform rejects the call with {}; the recording does not show the reason.')
  expect(sentences).toContain('the filter leaves it out')
  for (const known of [translations('pt'), translations('es')])
    expect([...assumptions, ...sentences].filter((text) => !(text in known))).toEqual([])
})

/** What the source of comparisons says in at least three words, in the places that reports show. */
const sentencesOfComparisons = (): string[] =>
  ['judge', 'replay', 'har'].flatMap((folder) => {
    const path = join(source, 'features/compare', folder)
    return readdirSync(path).flatMap((file) => {
      const code = readFileSync(join(path, file), 'utf8').replaceAll(/^\s*(\/?\*|\/\/).*$/gm, '')
      const shown =
        /(?<=(?:about|breaks|meaning|reason|withoutWebhooks|interruptedBalances|Wrongly|noSignatures|oldDispute)(?:: | = )|(?:unexplained|addNote|countLeftOut|UnreadableBody|CannotReproduce)\()(['`])(?:(?!\1).)* (?:(?!\1).)* (?:(?!\1).)*\1/g
      return [...code.matchAll(shown)].map(([text]) => text.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, '{}'))
    })
  })

test('what a ledger lacks, or its statement, has a translation', () => {
  const subjects = readFileSync(join(source, 'features/certify/books/subjects.ts'), 'utf8')
  const rows = [...subjects.matchAll(/ name: '([^']*)'(?:.* unbooked: '([^']*)')?/g)]
  const lacks = ['the ledger has no entry for any {}', ...rows.map(([, name = '', unbooked = name]) => unbooked)]
  const posted = rows.map(([, name]) => `the statement has no ${name} in this period`)
  expect(posted.length).toBeGreaterThan(10)
  for (const known of [translations('pt'), translations('es')])
    expect([...lacks, ...posted].filter((text) => !(text in known))).toEqual([])
})

test('every error of the platform API has a translation, and every rule of its fields', () => {
  const messages = Object.values(errorCatalogue).map(({ message }) => message)
  const rules = rulesIn(['protocol/platform', 'core/operations', 'core/ledger', 'core/auth'])
  expect(rules).toContain('must be a valid CPF or CNPJ')
  expect(rules).toContain('must be at most {} characters')
  for (const known of [translations('pt'), translations('es')])
    expect([...messages, ...rules].filter((text) => !hasTranslation(text, known))).toEqual([])
})

/** The rules in the source, with `{}` for a number. A rule with a list or a sum is left out, because a page shows them as details. */
const rulesIn = (folders: readonly string[]): string[] =>
  folders
    .flatMap((folder) => readdirSync(join(source, folder)).map((name) => join(source, folder, name)))
    .filter((file) => /(fields|requests|pricing|authenticate|operations\/.*)\.ts$/.test(file))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/(?<=(['`]))must (?:(?!\1).)*(?=\1)/g)])
    .flatMap(([rule]) => (/join\(|formatMoney/.test(rule) ? [] : [rule.replaceAll(/\$\{[^}]*\}/g, '{}')]))

const hasTranslation = (text: string, known: Readonly<Record<string, string>>) =>
  [text, text.replaceAll(/\d+/g, '{}')].some((key) => key in known)

test('a form says in the language of the page why the API rejects it, and names the limit', async () => {
  await built()
  const sandbox = await start()
  const page = await look(sandbox, '?lang=pt#/new/charge', { tolerate: refusals })
  await live(page)
  await page.locator('#field-amount').fill('100001')
  await page.locator('form button[type=submit]').click()
  await see(page, '.field-error', 'O valor está acima do máximo por operação.')
  await see(page, '.field-error', 'max_amount: 100.000')
  await page.locator('#field-amount').fill('0')
  await page.locator('form button[type=submit]').click()
  await see(page, '.field-error', 'Deve ser maior que zero.')
})

test('a step that was rejected says so in a sentence', async () => {
  await built()
  const sandbox = await start()
  const page = await look(sandbox, '?lang=pt')
  await live(page)
  const steps = [{ create: { cashin: { amount: 5, currency: 'BRL' } } }, 'cashin.pay', 'cashin.expire']
  await sandbox.scenarios.upload({ name: 'twice', title: 'Twice', steps })
  const run = await sandbox.scenarios.run('twice', { fast_forward: true })
  await page.goto(`${new URL(sandbox.url).origin}/#/runs/${run.id}`)
  await see(page, '.run-steps .failure', /^cashin\.expire não é possível\. Cobrança tx_\w+: Confirmada\./)
  expect(await page.locator('.run-steps .failure-details').isVisible()).toBe(false)
  expect(await page.locator('.run-steps .failure').textContent()).not.toContain('{')
})

test('warnings and the steps of a run are in the language of the page', async () => {
  await built()
  const sandbox = await start()
  await sandbox.scenarios.arm('webhook-tampered', { times: 1 })
  const wrong = { amount: 25.5, currency: 'BRL', amout: 1, 'no {} field': 2 } as const
  await sandbox.client().cashin(wrong)
  const { data } = await sandbox.control.call<{ data: { request_id: string }[] }>('GET', '/requests?warnings=true')
  const page = await look(sandbox, `?lang=pt#/requests/${data[0]?.request_id}`)
  await live(page)
  await see(page, '.warnings li', 'amout não é um campo desta chamada e não tem efeito; você quis dizer amount?')
  await see(page, '.warnings li', 'no {} field não é um campo desta chamada e não tem efeito.')
  await see(page, '.warnings li', 'external_id está ausente; sem ele, uma chamada repetida cria um segundo objeto.')
  expect(await page.locator('.warnings [lang=en]').count()).toBe(0)

  const { data: runs } = await sandbox.control.call<{ data: { id: string }[] }>('GET', '/runs')
  await page.goto(`${new URL(sandbox.url).origin}/#/runs/${runs[0]?.id}`)
  await see(page, '.run-steps p.faint', 'aplicado à chamada correspondente')
  await see(page, '.run-steps p.faint', 'criado pela chamada correspondente')
})

test('the steps of every built-in scenario are in the language of the page', async () => {
  await built()
  const sandbox = await start({ clock: 'manual' })
  const page = await look(sandbox, '?lang=pt')
  await live(page)
  const { data: scenarios } = await sandbox.control.call('GET /scenarios', {})
  const english = [...new Set(transitions.map(({ to }) => capitalized(to)))]
  expect(english).toContain('Expired')
  const found: string[] = []
  for (const { name } of scenarios) {
    const { id } = await sandbox.scenarios.run(name, { fast_forward: true })
    await page.goto(`${new URL(sandbox.url).origin}/#/runs/${id}`)
    await see(page, 'h1', id)
    await page.locator('.run-steps li').first().waitFor()
    const details = await page.locator('.run-steps p[lang=en]').allTextContents()
    const params = await page.locator('.run-steps .run-params').allTextContents()
    found.push(...details.filter((text) => /[a-z]{2} [a-z]{2,} |^[a-z]+ [a-z]+$/.test(text)))
    found.push(...params.filter((text) => english.some((word) => text.endsWith(`: ${word}`))))
  }
  expect([...new Set(found)]).toEqual([])
})
