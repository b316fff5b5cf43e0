/** The tasks of the help, from the overview: by exactly its keys and clicks, and in as many steps as it lists. */
import type { Page, Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { clicksIn, inWords, tasks } from '../../src/dashboard/parts/frame/tasks.js'
import type { Sandbox } from '../../src/testing/index.js'
import { barriers, browserNames, overflowing } from '../support/browser.js'
import { live, look, see, start } from '../support/dashboard.js'
import { type Hands, handsAt } from '../support/hands.js'
import { translations } from '../support/page-texts.js'

const most = 5

const languages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: {},
  pt: translations('pt'),
  es: translations('es'),
}
/** Entries of the menu, which a phone hides. */
const navigation = ['Scenarios', 'Snapshots', 'Accounts', 'Certify']
const inPlainWords = (step: string) => step.replaceAll(/[{}]/g, '')
/** A step or a title of the help in a language. */
const said = (text: string, language: string) => inWords(text, (pattern) => languages[language]?.[pattern] ?? pattern)

async function paidCharge(sandbox: Sandbox, name: string): Promise<string> {
  const { transaction_id: id } = await sandbox.client().cashin({ amount: 88, currency: 'BRL', payer: { name } })
  await sandbox.trigger('cashin.pay', { id })
  return id
}

/** Webhooks that a receiver has rejected until none is tried again; it accepts from now on. */
async function failedWebhooks(sandbox: Sandbox, count: number): Promise<void> {
  const receiver = await sandbox.receiver()
  receiver.respond(500)
  for (let at = 0; at < count; at++) await paidCharge(sandbox, `Payer ${at}`)
  await sandbox.clock.advance('1d')
  receiver.respond(200)
}

const undelivered = async (sandbox: Sandbox) =>
  (await sandbox.control.call('GET /webhooks', { query: { limit: 500 } })).data.filter(
    ({ status }) => status !== 'delivered',
  ).length

const nothing = async () => {}

interface Situation {
  /** What there must be before. */
  prepare: (sandbox: Sandbox) => Promise<unknown>
  /** What a person sees when the task is done. */
  done: (page: Page, sandbox: Sandbox, language: string) => Promise<unknown>
}

/** By the title of the task. */
const situations: Readonly<Record<string, Situation>> = {
  'Create and pay a charge': {
    prepare: (sandbox) => sandbox.reset(),
    done: async (page, sandbox) => {
      await see(page, 'h1 .pill', /^Confirm/)
      expect((await sandbox.transactions.list()).map(({ status }) => status)).toEqual(['confirmed'])
    },
  },
  'Find why a webhook failed': {
    prepare: (sandbox) => failedWebhooks(sandbox, 1),
    done: (page) => see(page, '.reason', 'HTTP 500'),
  },
  'Redeliver the failed webhooks': {
    prepare: (sandbox) => failedWebhooks(sandbox, 10),
    done: (_, sandbox) => expect.poll(() => undelivered(sandbox)).toBe(0),
  },
  'Advance to the end of a dispute': {
    prepare: async (sandbox) => sandbox.trigger('dispute.open', { id: await paidCharge(sandbox, 'Ana') }),
    async done(page, sandbox) {
      await see(page, '.toast', /1$/)
      expect((await sandbox.control.call('GET /disputes')).data[0]?.status).toBe('confirmed')
    },
  },
  'Arm a lost answer': {
    prepare: (sandbox) => sandbox.scenarios.disarm('lost-answer'),
    async done(_, sandbox) {
      const armed = async () =>
        (await sandbox.control.call('GET /scenarios')).data.find(({ name }) => name === 'lost-answer')?.armed.length
      await expect.poll(armed).toBe(1)
    },
  },
  'Compare two attempts of a webhook': {
    prepare: (sandbox) => failedWebhooks(sandbox, 1),
    done: (page) => see(page, '.differences tbody tr', /\d\d:\d\d:\d\d/),
  },
  'Undo a reset': {
    async prepare(sandbox) {
      await paidCharge(sandbox, 'Ana')
      await sandbox.snapshot('before-the-last-change')
      await sandbox.reset()
    },
    async done(_, sandbox) {
      await expect.poll(async () => (await sandbox.transactions.list()).length).toBeGreaterThan(0)
    },
  },
  'Certify your receiver': {
    prepare: nothing,
    done: (page, _, language) =>
      see(
        page,
        '.view-head .pill',
        new RegExp(['Passed', 'Failed'].map((verdict) => said(verdict, language)).join('|')),
      ),
  },
  'Read a statement': {
    prepare: (sandbox) => paidCharge(sandbox, 'Ana'),
    done: (page) => see(page, 'tbody .data', /88[.,]00/),
  },
  'Find a payment by the name of the payer': {
    prepare: (sandbox) => paidCharge(sandbox, 'Ana Souza'),
    done: (page) => see(page, 'h1', /88[.,]00/),
  },
}

/** Goes the ways of the help on a page. */
class Person {
  readonly #open = new Set<Request>()

  constructor(
    readonly page: Page,
    readonly receiverUrl: string,
    readonly language: string,
  ) {
    page.on('request', (request) => request.url().includes('/stream') || this.#open.add(request))
    for (const over of ['requestfinished', 'requestfailed'] as const)
      page.on(over as 'requestfinished', (request) => this.#open.delete(request))
  }

  /** Waits until the page shows what it has asked for, and for two frames asks for nothing else. */
  async see(): Promise<void> {
    let wasBusy: boolean
    do {
      wasBusy = await this.#isBusy()
      await this.page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
    } while (wasBusy || (await this.#isBusy()))
  }

  /** A form that is being submitted has a disabled button: the browser can report its request as finished before the page has read the answer. That of the clock stays disabled once it has passed the given time. */
  async #isBusy(): Promise<boolean> {
    return (
      this.#open.size > 0 ||
      (await this.page.locator('.loading, form:not(.clock-control) [type=submit]:disabled').count()) > 0
    )
  }

  async go(hands: Hands, way: 'keys' | 'clicks', steps: readonly string[]): Promise<void> {
    for (const step of steps) {
      const words = said(step, this.language)
      if (step.startsWith('“')) await this.#type(hands, step.includes('URL') ? this.receiverUrl : words.slice(1, -1))
      else if (way === 'keys') await hands.press(step)
      else await hands.click(this.#named(step, words))
      await this.see()
    }
  }

  /** A person looks at the results before choosing one. */
  async #type(hands: Hands, text: string): Promise<void> {
    const isSearch = (await this.page.locator('#palette[open]').count()) > 0
    const answered = isSearch
      ? this.page.waitForResponse((response) => new URL(response.url()).searchParams.get('q') === text)
      : undefined
    await hands.type(text)
    await answered
  }

  /** What is in front comes last in the document. A name may be followed by a number or a hint. */
  #named(step: string, words: string) {
    const { page } = this
    if (step === 'the first row') return page.locator('tbody .row-link').first()
    if (step === 'the first result') return page.locator('.palette [role=option]').first()
    const begins = new RegExp(`^${words.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}’-])`, 'u')
    return page
      .getByLabel(words, { exact: true })
      .or(page.locator('a, button').filter({ hasText: begins, visible: true }))
      .last()
  }
}

/** All languages in the first browser. */
const cases = browserNames.flatMap((browser, at) =>
  tasks.map((task) => ({ ...task, browser, spoken: at === 0 ? Object.keys(languages) : ['en'] })),
)

test.each(cases)(
  'a person can do this in the $browser browser by the steps of the help, which are at most five: $title',
  async ({ title, browser, spoken, ...ways }) => {
    const sandbox = await start({ clock: 'manual' })
    const situation = situations[title]
    if (situation === undefined) throw new Error(`no situation for ${title}`)
    const page = await look(sandbox, '', { browser })
    for (const language of spoken) {
      const person = new Person(page, `${sandbox.url}/_sandbox/inbox/certified`, language)
      for (const way of ['keys', 'clicks'] as const) {
        // A page that still reads an object which a reset removes gets a 404.
        await page.goto(`${sandbox.url}/#/settings`)
        await person.see()
        await situation.prepare(sandbox)
        await page.goto(`${sandbox.url}/?lang=${language}#/`)
        await page.reload()
        await live(page)
        await page.locator('.tile').first().waitFor()
        await person.see()
        const hands = handsAt(page)
        await person.go(hands, way, ways[way])
        await situation.done(page, sandbox, language)
        expect([title, language, way, hands.effort()]).toEqual([title, language, way, ways[way].length])
        expect(hands.effort()).toBeLessThanOrEqual(most)
      }
    }
  },
)

test.each(tasks)('on a phone this ends by the clicks that the help says there: $title', async (task) => {
  const sandbox = await start({ clock: 'manual' })
  await situations[task.title]?.prepare(sandbox)
  const page = await look(sandbox, '?lang=en', { width: 390 })
  await live(page)
  await page.locator('.tile').first().waitFor()
  const person = new Person(page, `${sandbox.url}/_sandbox/inbox/certified`, 'en')
  await person.see()
  await page.getByRole('button', { name: 'Help', exact: true }).click()
  const shown = page.locator('.help-tasks dl > div', { hasText: task.title }).locator('dd').last()
  const steps = clicksIn(task, navigation, false)
  await expect.poll(() => shown.textContent()).toBe(steps.map(inPlainWords).join(' › '))
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  const hands = handsAt(page)
  await person.go(hands, 'clicks', steps)
  await situations[task.title]?.done(page, sandbox, 'en')
  expect(hands.effort()).toBe(steps.length)
  expect(hands.effort()).toBeLessThanOrEqual(most)
})

test.each(Object.keys(languages))('the help says each task and its steps, on every width: %s', async (language) => {
  const page = await look(await start({ clock: 'manual' }), `?lang=${language}`)
  await live(page)
  await page.keyboard.press('?')
  const rows = page.locator('.help-tasks dl > div')
  await rows.last().waitFor()
  expect(await rows.count()).toBe(tasks.length)
  const shown = (key: string) => key.replace('Control+', 'Ctrl+')
  for (const [at, { title, keys, clicks }] of tasks.entries()) {
    const ways = [keys.map((key) => said(shown(key), language)), clicks.map((name) => said(name, language))]
    const texts = await rows.nth(at).locator('dt, dd').allTextContents()
    expect(texts[0]).toBe(said(title, language))
    const plain = texts.slice(1).map((text) => text.replaceAll(/[›\s]+/g, ' ').trim())
    expect(plain).toEqual(ways.map((steps) => steps.join(' ')))
  }
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    expect([width, await overflowing(page)]).toEqual([width, []])
    expect(await page.locator('.help').evaluate((help) => help.scrollWidth - help.clientWidth)).toBe(0)
    expect([width, await barriers(page)]).toEqual([width, []])
  }
})
