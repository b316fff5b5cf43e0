/** Ten tasks from the overview: each takes at most five clicks or keys, with the mouse and by keyboard alone. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Sandbox } from '../../src/testing/index.js'
import { browserNames } from '../support/browser.js'
import { button, live, look, see, start } from '../support/dashboard.js'
import { type Hands, handsAt } from '../support/hands.js'

interface Task {
  name: string
  /** What there must be before. */
  prepare?: (sandbox: Sandbox) => Promise<unknown>
  keys: (hands: Hands, page: Page, sandbox: Sandbox) => Promise<void>
  clicks: (hands: Hands, page: Page, sandbox: Sandbox) => Promise<void>
  /** What a person sees when the task is done. */
  done: (page: Page, sandbox: Sandbox) => Promise<unknown>
}

const most = 5

/** Runs what the palette offers first for a text. */
async function command(hands: Hands, page: Page, text: string, offered: string | RegExp): Promise<void> {
  await hands.press('/')
  await hands.type(text)
  await see(page, '.palette [aria-selected=true]', offered)
  await hands.press('Enter')
}

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

const tile = (page: Page, name: string) => page.getByRole('link', { name: new RegExp(`^${name}`) })

/** Returns the first row of a list. The overview has rows too, so the list must be there. */
async function firstRow(page: Page, title: string) {
  await see(page, 'h1', title)
  return page.locator('tbody .row-link').first()
}

const place = (page: Page, name: string) => page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name })

const tasks: readonly Task[] = [
  {
    name: 'create and pay a charge',
    async keys(hands, page) {
      await hands.press('c')
      await page.locator('form.create .field').first().waitFor()
      await hands.press('Control+Enter')
      await button(page, 'Pay').waitFor()
      await hands.press('a')
    },
    async clicks(hands, page) {
      await hands.click(page.getByRole('link', { name: 'New charge' }))
      await hands.click(button(page, 'Create'))
      await hands.click(button(page, 'Pay'))
    },
    done: (page) => see(page, 'h1 .pill', 'Confirmed'),
  },
  {
    name: 'find why a webhook failed',
    prepare: (sandbox) => failedWebhooks(sandbox, 1),
    keys: (hands) => hands.press('g', 'f'),
    clicks: (hands, page) => hands.click(tile(page, 'Failed webhooks')),
    done: (page) => see(page, '.reason', 'the receiver answered with HTTP 500'),
  },
  {
    name: 'redeliver ten webhooks',
    prepare: (sandbox) => failedWebhooks(sandbox, 10),
    async keys(hands, page) {
      await hands.press('g', 'f')
      await (await firstRow(page, 'Webhooks')).waitFor()
      await hands.press('*')
      await see(page, '.bulk', '10 selected')
      await hands.press('a')
    },
    async clicks(hands, page) {
      await hands.click(tile(page, 'Failed webhooks'))
      await hands.click(page.getByLabel('Select all rows'))
      await hands.click(button(page.locator('.bulk'), 'Redeliver'))
    },
    async done(page, sandbox) {
      await see(page, '.empty-title', 'No webhook matches')
      const delivered = () => sandbox.control.call('GET /webhooks', { query: { status: 'delivered' } })
      await expect.poll(async () => (await delivered()).data.length % 10).toBe(0)
    },
  },
  {
    name: "advance to the dispute's end",
    prepare: async (sandbox) => sandbox.trigger('dispute.open', { id: await paidCharge(sandbox, 'Ana') }),
    async keys(hands, page) {
      await command(hands, page, 'deadline', 'Advance to the deadline of the dispute over 88.00 BRL')
      await page.locator('.clock-panel :checked:focus').waitFor()
      await hands.press('Enter')
    },
    async clicks(hands, page) {
      await hands.click(tile(page, 'Open disputes'))
      await hands.click(await firstRow(page, 'Disputes'))
      await hands.click(page.getByRole('button', { name: 'The time to reply ends' }))
    },
    async done(page, sandbox) {
      await see(page, '.toast', 'due job')
      expect((await sandbox.control.call('GET /disputes')).data[0]?.status).toBe('confirmed')
    },
  },
  {
    name: 'arm a lost answer',
    prepare: (sandbox) => sandbox.scenarios.disarm('lost-answer'),
    async keys(hands, page) {
      await command(hands, page, 'arm lost-answer', 'Arm lost-answer')
      await page.locator('dialog h2').waitFor()
      await hands.press('Enter')
    },
    async clicks(hands, page) {
      await hands.click(place(page, 'Scenarios'))
      await hands.click(button(page, 'Arm lost-answer'))
      await hands.click(button(page.getByRole('dialog'), 'Arm'))
    },
    async done(_, sandbox) {
      const armed = async () =>
        (await sandbox.control.call('GET /scenarios')).data.find(({ name }) => name === 'lost-answer')?.armed.length
      await expect.poll(armed).toBe(1)
    },
  },
  {
    name: 'compare two attempts',
    prepare: (sandbox) => failedWebhooks(sandbox, 1),
    async keys(hands, page) {
      await hands.press('g', 'f')
      await button(page, 'Compare attempts').waitFor()
      await command(hands, page, 'compare att', 'Compare attempts')
    },
    async clicks(hands, page) {
      await hands.click(tile(page, 'Failed webhooks'))
      await hands.click(button(page, 'Compare attempts'))
    },
    done: (page) => see(page, 'table[aria-label^=Comparison] tr', /X-Webhook-Timestamp/),
  },
  {
    name: 'undo a reset',
    async prepare(sandbox) {
      await paidCharge(sandbox, 'Ana')
      await sandbox.snapshot('before-the-last-change')
      await sandbox.reset()
    },
    keys: (hands, page) => command(hands, page, 'undo', 'Undo the last reset'),
    async clicks(hands, page) {
      await hands.click(place(page, 'Snapshots'))
      await hands.click(button(page, 'Restore before-the-last-change'))
      await hands.click(button(page.getByRole('dialog'), 'Restore'))
    },
    async done(_, sandbox) {
      await expect.poll(async () => (await sandbox.transactions.list()).length).toBeGreaterThan(0)
    },
  },
  {
    name: 'certify a receiver',
    async keys(hands, page, { url }) {
      await hands.press('g', 'c')
      await page.waitForFunction(() => document.activeElement?.matches('form.certify input') === true)
      await hands.type(`${url}/_sandbox/inbox/certified`)
      await hands.press('Enter')
    },
    async clicks(hands, page, { url }) {
      await hands.click(place(page, 'Certify'))
      await page.waitForFunction(() => document.activeElement?.matches('form.certify input') === true)
      await hands.type(`${url}/_sandbox/inbox/certified`)
      await hands.click(button(page, 'Certify'))
    },
    done: (page) => see(page, '.view-head .pill', /Passed|Failed/),
  },
  {
    name: 'read a statement',
    prepare: (sandbox) => paidCharge(sandbox, 'Ana'),
    keys: (hands, page) => command(hands, page, 'statement of m', 'Statement of merchant'),
    async clicks(hands, page) {
      await hands.click(place(page, 'Accounts'))
      await hands.click(page.getByRole('link', { name: 'Statement of merchant' }))
    },
    done: (page) => see(page, 'tbody .data', '88.00'),
  },
  {
    name: "find a payment by the payer's name",
    prepare: (sandbox) => paidCharge(sandbox, 'Ana Souza'),
    keys: (hands, page) => command(hands, page, 'souza', /Charge · 88\.00 BRL/),
    async clicks(hands, page) {
      await hands.click(page.getByRole('button', { name: /^Search/ }))
      await hands.type('souza')
      await hands.click(page.getByRole('option', { name: /Charge · 88\.00 BRL/ }).first())
    },
    done: (page) => see(page, 'h1', '88.00'),
  },
]

const tasksOfBrowsers = browserNames.flatMap((browser) => tasks.map((task) => ({ ...task, browser })))

test.each(tasksOfBrowsers)(
  'a person can $name in at most five keys, and in at most five clicks, in the $browser browser',
  async (task) => {
    const sandbox = await start({ clock: 'manual' })
    const page = await look(sandbox, '', { browser: task.browser })
    for (const way of ['keys', 'clicks'] as const) {
      await task.prepare?.(sandbox)
      await page.goto(`${sandbox.url}/#/`)
      await page.reload()
      await live(page)
      await page.locator('.tile').first().waitFor()
      const hands = handsAt(page)
      await task[way](hands, page, sandbox)
      await task.done(page, sandbox)
      expect([way, task.name, hands.effort() <= most]).toEqual([way, task.name, true])
    }
  },
)
