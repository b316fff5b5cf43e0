/** The dashboard in Portuguese and Spanish: every text that a person sees has a translation, and every translation a text. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriers, openPage, overflowing } from '../support/browser.js'
import { built } from '../support/built.js'
import { views } from '../support/dashboard-views.js'
import { openWorld, type World } from '../support/dashboard-world.js'
import { features } from '../support/features.js'
import { builtInScenarios, textsOfPages, translations } from '../support/page-texts.js'

let world: World

beforeAll(async () => {
  await built()
  world = await openWorld()
})

afterAll(async () => {
  await world?.close()
})

const [pt, es] = [translations('pt'), translations('es')]
const keys = Object.keys(es)

/** Names of the project, of protocols, units and currencies, what the sample data calls its objects, and their ids. */
const names =
  /(?<![A-Za-z])(payments-sandbox|sandbox|curl|Node\.js|Python|English|Português|Español|UTC|America\/Sao_Paulo|(GET|POST)( \/\S+)?|HTTP|URL|JSON|YAML|QR|kB|MB|PIX|SPEI|CLABE|p95|ms|min|BRL|MXN|USD[TC]|BTC|ETH|SOL|BNB|BITCOIN|merchant|customer|Ana Souza|charge|cpf|cnpj|email|phone|random|currency(?= ｉｓ)|X-\w+|--[a-z-]+|PAYMENTS_SANDBOX_\w+|[a-z0-9]+([_-][a-z0-9]+)+|[a-z]+\.[a-z]+|\/v2\/\S+|\d{4}-\d\d-\d\dT\S+)(?![A-Za-z_])|(?<= ｏｆ )\w+(?= ｆｏｒ ａ ｃ)|[0-9A-Z]{14}|[0-9a-f]{8}/g

test('both languages translate the same texts, with the same places for values and the same code', () => {
  expect(Object.keys(pt)).toEqual(keys)
  const marks = (text: string) => [text.match(/\{\}/g)?.length, text.match(/`[^`]*`/g)?.toSorted()]
  for (const [key, text] of [...Object.entries(pt), ...Object.entries(es)]) expect(marks(text)).toEqual(marks(key))
})

/** With all features, and without each of them, whose texts are in its folder. */
const removals = [undefined, ...features].map((without) => ({ without }))

test.each(removals)('every text in the source of the pages has a translation, without $without', ({ without }) => {
  const { shown } = textsOfPages(without)
  const translated = translations('es', without)
  const isText = (text: string) => /[A-Za-z]{2}/.test(text.replace(names, ''))
  expect([...shown].filter((text) => isText(text) && !(text in translated))).toEqual([])
})

/** Texts that are never shown for one, or say it in a word such as `once`. */
const neverOne =
  /^(1 token for |after |the transaction is |written as |, \{\} times\.|\{\} times|sent \{\} times|\{\} more unknown fields|Over \{\} seconds|each of the last \{\} tokens|must be |an event from |Too many wrong |X-[NT]|divergence: )/

test('a text with a number and a plural has another text for one', () => {
  const counted = keys.filter(
    (key) => /\{\} (?!is |was |has |ms\b)([a-z]+ )?[a-z]+s\b/.test(key) && !neverOne.test(key),
  )
  expect(counted).toContain('{} rows')
  const head = (key: string) => key.split(/\{\} (?=(?:[a-z]+ )?[a-z]+s\b)/)[0] ?? ''
  expect(counted.filter((key) => !keys.some((one) => one.startsWith(`${head(key)}1 `)))).toEqual([])
})

test('the words after the number of each result fit one as well as many', () => {
  for (const texts of [pt, es])
    for (const word of ['failed', 'different', 'warning', 'inconclusive', 'passed', 'equal', 'skipped', 'to do'])
      expect(texts[word]).not.toMatch(/s$/)
})

test('every label of a field has a translation', () => {
  const source = readFileSync(join(import.meta.dirname, '../../src/protocol/platform/fields.ts'), 'utf8')
  const labels = /const fieldLabels[\s\S]*?\n\}/.exec(source)?.[0].match(/(?<=: ')[^']+/g) ?? []
  expect(labels).toContain('Transaction id')
  expect(labels.filter((label) => !(label in es))).toEqual([])
})

test('every title and description of a built-in scenario has a translation', () => {
  const texts = builtInScenarios().flatMap(({ title, description }) => [title, description])
  expect(texts).toContain('A PIX charge is paid')
  expect(texts.filter((text) => !(text in es))).toEqual([])
})

test('every word of a badge has a translation', () => {
  const { badges } = textsOfPages()
  const keysOf = (word: string) => [`name: ${word.toLowerCase()}`, `${word.charAt(0).toUpperCase()}${word.slice(1)}`]
  expect(badges).toContain('lost')
  expect([...badges].filter((word) => !keysOf(word).some((key) => key in es))).toEqual([])
})

test.each(removals)('every translation is of a text in the source, without $without', ({ without }) => {
  const { all } = textsOfPages(without)
  const patterns = [...all].filter((text) => text.includes('{}') && /[a-z’]{2}/i.test(text))
  const pieces = patterns.map((text) => text.toLowerCase().split('{}'))
  const words = new Set([...all].flatMap((text) => [text, text.split('.').at(-1) ?? '']).map(inWords))
  const isText = (key: string) =>
    words.has(inWords(key.replace('name: ', ''))) || pieces.some((parts) => hasParts(key.toLowerCase(), parts))
  /** `Charge confirmed` is made of the name of an object and the last word of its event. */
  const isPair = (key: string) => {
    const space = key.lastIndexOf(' ')
    return words.has(inWords(key.slice(0, space))) && words.has(key.slice(space + 1))
  }
  const remaining = Object.keys(translations('es', without))
  expect(remaining.filter((key) => !all.has(key) && !isText(key) && !isPair(key))).toEqual([])
})

/** Whether a text is these parts in order, with values between them, and perhaps a full stop at the end. */
function hasParts(text: string, [first = '', ...parts]: readonly string[]): boolean {
  const last = parts.pop() ?? ''
  let at = text.startsWith(first) ? first.length : Number.NaN
  for (const part of parts) {
    const from = text.indexOf(part, at + 1)
    at = from < 0 ? Number.NaN : from + part.length
  }
  return [last, `${last}.`].some((end) => text.endsWith(end) && text.length - end.length > at)
}
const inWords = (text: string) => text.replaceAll(/[._-]/g, ' ').trim().toLowerCase()

/** Texts outside of code, of what users wrote, and of reports, which are in English. */
const readIn = (page: Page) =>
  page.evaluate(() => {
    const texts = new Set<string>([document.title])
    const isOwn = (element: Element | null) =>
      element?.closest('code, pre, kbd, bdi, textarea, script, noscript, .cm-editor, [translate=no], [lang=en]') ===
      null
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode())
      if (isOwn(walker.currentNode.parentElement)) texts.add(walker.currentNode.textContent ?? '')
    for (const name of ['aria-label', 'title', 'placeholder'])
      for (const element of document.querySelectorAll(`[${name}]`))
        if (isOwn(element) && element.tagName !== 'DT') texts.add(element.getAttribute(name) ?? '')
    return [...texts]
  })

/** What comes from the table is written in wide letters, so that everything else stands out; not its code and paths. */
const wide = (text: string) =>
  text
    .split(/(`[^`]*`|docs\/\S+\.md)/)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll(/[A-Za-z]/g, widened)))
    .join('')
const widened = (letter: string) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)
/** As scripts, in place of those of the pages. */
const lists = { en: keys, es: keys.map(wide), certify: keys.map((key) => [key, '', wide(key)]) }

/** A withdrawal whose response was dropped, and a webhook that a scenario altered. */
async function pagesWithFaults(): Promise<(readonly [name: string, path: string, there: string])[]> {
  const { scenarios, control, client } = world.sandbox
  const order = { amount: 20, currency: 'BRL', key: 'maria@example.com', external_id: 'payout-90' } as const
  await scenarios.arm('lost-answer', { times: 1 })
  await client()
    .cashout(order)
    .catch(() => undefined)
  const lost = await client().cashout(order)
  await scenarios.run('webhook-tampered', { fast_forward: true })
  const { data } = await control.call<{ data: { id: string }[] }>('GET', '/webhooks?limit=1')
  return [
    ['lost answer', `#/transactions/${lost.transaction_id}`, '.story-row.broken'],
    ['altered webhook', `#/webhooks/${data[0]?.id}`, '.steps .hex'],
  ]
}

/** Opens each view, one after the other. */
async function visitAll(page: Page, look: (name: string) => Promise<void>): Promise<void> {
  const pages = [
    ...views.map(([name, path, there]) => [name, path(world.ids), there] as const),
    ...(await pagesWithFaults()),
  ]
  await page.goto(new URL(world.sandbox.url).origin)
  await page.locator('.connection.live').waitFor({ state: 'attached' })
  for (const [name, path, there] of pages) {
    await page.evaluate((hash) => {
      location.hash = hash
    }, path)
    await page.locator(there).first().waitFor()
    await page.locator('body:not(:has(.loading))').waitFor()
    await look(name)
  }
}

const inSpanish = () => localStorage.setItem('sandbox-language', 'es')

test('every view is translated completely', async () => {
  const { page } = await openPage(new URL(world.sandbox.url).origin, { before: inSpanish })
  for (const [name, texts] of Object.entries(lists))
    await page.route(`**/assets/${name}-*.js`, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: `export default ${JSON.stringify(texts)}` }),
    )
  const found = new Set<string>()
  await visitAll(page, async (name) => {
    for (const text of await readIn(page))
      if (/[A-Za-z]{2}/.test(text.replace(names, '')) && !isDate(text)) found.add(`${name}: ${text}`)
  })
  expect([...found]).toEqual([])
})

test('every view, with all that it folds, has room for the longer words of Spanish, on phones, tablets and screens, and no barriers', async () => {
  const { page, problems } = await openPage(new URL(world.sandbox.url).origin, { before: inSpanish })
  await visitAll(page, async (name) => {
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('main details')) details.setAttribute('open', '')
    })
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
      expect([name, width, await overflowing(page)]).toEqual([name, width, []])
    }
    expect([name, await barriers(page)]).toEqual([name, []])
  })
  expect(problems).toEqual([])
})

test('the address, the switch or the browser chooses the language, and the first two are remembered', async () => {
  const { origin } = new URL(world.sandbox.url)
  const titleIn = async (page: Page, lang: string) => {
    await page.locator(`html[lang=${lang}]`).waitFor()
    return page.locator('h1').textContent()
  }
  const { page } = await openPage(origin)
  const loaded: string[] = []
  page.on('request', (request) => void loaded.push(new URL(request.url()).pathname))
  await page.goto(origin)
  expect(await titleIn(page, 'en')).toBe('Overview')
  expect(loaded.filter((path) => /\/(en|pt|es)\.js$/.test(path))).toEqual([])
  await page.goto(`${origin}/?lang=pt#/transactions`)
  expect(await titleIn(page, 'pt')).toBe('Transações')
  await page.getByText('149,90').first().waitFor()
  await page.goto(origin)
  expect(await titleIn(page, 'pt')).toBe('Visão geral')
  await page.getByLabel('Idioma').selectOption('Español')
  expect(await titleIn(page, 'es')).toBe('Resumen')
  const brazilian = await openPage(origin, { locale: 'pt-BR' })
  await brazilian.page.goto(origin)
  expect(await titleIn(brazilian.page, 'pt')).toBe('Visão geral')
})

test('a status agrees with its object, and the statuses of a list with its rows', async () => {
  const { origin } = new URL(world.sandbox.url)
  const { page } = await openPage(origin)
  const words = [
    ['pt', 'order-1041', 'Confirmada', /^Confirmadas /],
    ['pt', 'payout-88', 'Confirmado', /^Pendentes /],
    ['pt', 'fx-12', 'Concluída', /^Conversões concluídas /],
    ['es', 'order-1041', 'Confirmado', /^Confirmadas /],
    ['es', 'fx-12', 'Completada', /^Conversiones completadas /],
  ] as const
  for (const [lang, reference, pill, chip] of words) {
    await page.goto(`${origin}/?lang=${lang}#/transactions`)
    await page.locator('tbody tr', { hasText: reference }).locator('.pill', { hasText: pill }).first().waitFor()
    await page.locator('.chip', { hasText: chip }).waitFor()
  }
  const plurals = [
    ['pt', 'webhooks', /^Mal aceitos /],
    ['es', 'webhooks', /^Bien rechazados /],
    ['pt', 'disputes', /^Confirmadas para o pagador /],
  ] as const
  for (const [lang, list, chip] of plurals) {
    await page.goto(`${origin}/?lang=${lang}#/${list}`)
    await page.locator('.chip', { hasText: chip }).waitFor()
  }
})

/** `jueves, 3 de diciembre de 2026` comes from the browser. */
const isDate = (text: string) => /\b\d{1,2} (de )?(nov|dic)/.test(text)

test.each(['en', 'pt', 'es'])(
  'no text of the navigation or of the settings covers another one: %s',
  async (language) => {
    const { page, problems } = await openPage(new URL(world.sandbox.url).origin, { width: 1440, height: 800 })
    await page.goto(`${world.sandbox.url}/?lang=${language}#/settings`)
    await page.locator('.setting').first().waitFor()
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 800 })
      expect([width, await overflowing(page)]).toEqual([width, []])
      // Beside the list or above it, and each part within its row.
      const covered = await page.evaluate(() => {
        const box = (selector: string) =>
          [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect())
        const [list] = box('.settings > .column')
        const chips = box('.settings > .filters :is(.chip, input)')
        const outside = [...document.querySelectorAll('.setting')].filter((row) => {
          const edge = row.getBoundingClientRect().right
          return [...row.querySelectorAll('summary *')].some((part) => part.getBoundingClientRect().right > edge - 8)
        })
        return [
          ...chips
            .filter(({ right, bottom }) => list !== undefined && right > list.left && bottom > list.top)
            .map(String),
          ...outside.map((row) => row.getAttribute('data-key')),
        ]
      })
      expect([width, covered]).toEqual([width, []])
      if (width < 500) continue
      const side = page.locator('.sidebar-inner')
      expect([width, await side.evaluate((one) => one.scrollHeight - one.clientHeight)]).toEqual([width, 0])
    }
    expect(problems).toEqual([])
    await page.context().close()
  },
)
