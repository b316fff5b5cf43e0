/** What a page says where one looks first: why something failed, what the inbox answered, that chaos is on; and rows that stay in place. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { barriers, browserNames } from '../support/browser.js'
import { look, see, start } from '../support/dashboard.js'
import { openWorld } from '../support/dashboard-world.js'
import { closeAfter } from '../support/hooks.js'

async function openFull() {
  const world = await openWorld()
  closeAfter(() => world.close())
  return world
}

/** Top and height of each row. */
const placesOfRows = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('tr.data')].map((row) => {
      const { top, height } = row.getBoundingClientRect()
      return `${Math.round(top)} ${Math.round(height)}`
    }),
  )

/** The texts that lie outside of their own cell, and the hosts that are cut. */
const outsideOfCells = (page: Page) =>
  page.evaluate(() => {
    const found: string[] = []
    for (const cell of document.querySelectorAll('tr.data td, thead th')) {
      const { left, right } = cell.getBoundingClientRect()
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) {
        const range = document.createRange()
        range.selectNodeContents(texts.currentNode)
        let { left: from, right: to } = range.getBoundingClientRect()
        for (let box = texts.currentNode.parentElement; box !== cell.parentElement; box = box?.parentElement ?? null) {
          if (box === null || getComputedStyle(box).overflowX === 'visible') continue
          const edge = box.getBoundingClientRect()
          from = Math.max(from, edge.left)
          to = Math.min(to, edge.right)
        }
        if (from < to && (from < left - 1 || to > right + 1)) found.push(range.toString())
      }
    }
    for (const host of document.querySelectorAll('.cut-within > :first-child'))
      if (host.scrollWidth > host.clientWidth + 1) found.push(`cut: ${host.textContent}`)
    for (const table of document.querySelectorAll('table'))
      if (table.scrollWidth > (table.parentElement?.clientWidth ?? 0) + 1) found.push(`too wide: ${table.ariaLabel}`)
    return found
  })

test.each(['en', 'pt', 'es'])(
  'no text of a list lies over the next cell, and no host is cut, in the language %s',
  async (language) => {
    const { sandbox } = await openFull()
    await sandbox.scenarios.arm('webhook-duplicate')
    const { transaction_id: id } = await sandbox.client().cashin({ amount: 42, currency: 'BRL' })
    await sandbox.trigger('cashin.pay', { id })
    const page = await look(sandbox, `?lang=${language}`)
    for (const list of ['transactions', 'wallets', 'disputes', 'webhooks', 'requests', 'accounts/merchant']) {
      await page.goto(`${sandbox.url}/#/${list}`)
      await page.locator('tr.data').first().waitFor()
      for (const width of [1024, 1280, 1366, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        expect(await outsideOfCells(page), `${list} at ${width}`).toEqual([])
      }
    }
  },
)

/** The addresses with a gap between two parts, and those that are cut though there is room. */
const tornAddresses = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.cut-within')].flatMap((address) => {
      const parts = [...address.children].map((part) => {
        const range = document.createRange()
        range.selectNodeContents(part)
        return { box: part.getBoundingClientRect().width, text: range.getBoundingClientRect().width }
      })
      const needed = parts.reduce((sum, { text }) => sum + text, 0)
      const hasRoom = needed <= address.getBoundingClientRect().width
      return parts.some(({ box, text }) => box > text + 1 || (hasRoom && box < text - 1)) ? [address.textContent] : []
    }),
  )

test.each(browserNames)(
  'an address of any length has no gap within, and is not cut if there is room, in the %s browser',
  async (browser) => {
    const sandbox = await start()
    const hooks = `${sandbox.url}/hooks/`
    for (let length = 1; length <= 24; length += 1) {
      const postback_url = hooks + 'illinois-demonstration-inbox'.slice(0, length)
      const charge = { amount: 42, currency: 'BRL', postback_url } as const
      const { transaction_id: id } = await sandbox.client().cashin(charge)
      await sandbox.trigger('cashin.pay', { id })
    }
    const page = await look(sandbox, '#/webhooks', { browser })
    for (const width of [1440, 1536, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      await page.locator('.cut-within').nth(23).waitFor({ timeout: 9000 })
      expect(await tornAddresses(page), `at ${width}`).toEqual([])
    }
  },
)

test.each(browserNames)(
  'the rows of each list keep their place and height when the side panel opens, in the %s browser',
  async (browser) => {
    const { sandbox } = await openFull()
    const page = await look(sandbox, '', { browser })
    for (const width of [1440, 1130]) {
      await page.setViewportSize({ width, height: 900 })
      for (const list of ['transactions', 'disputes', 'requests', 'webhooks']) {
        await page.goto(`${sandbox.url}/#/${list}`)
        await page.locator('tr.data').nth(2).waitFor()
        const before = await placesOfRows(page)
        await page.locator('tr.data').nth(2).locator('.row-link').click()
        await page.locator('.sticky .panel').first().waitFor()
        expect(await placesOfRows(page), `${list} at ${width}`).toEqual(before)
        await page.goto('about:blank')
      }
    }
  },
)

test('the buttons of a side panel stand beside its heading, also if that wraps', async () => {
  const { sandbox } = await openFull()
  await sandbox.scenarios.arm('webhook-duplicate')
  const { transaction_id: id } = await sandbox.client().cashin({ amount: 42, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', { id })
  const page = await look(sandbox, '?lang=pt#/webhooks')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page
    .locator('tr.data', { hasText: /webhook|cashin/ })
    .first()
    .locator('.row-link')
    .click()
  const head = page.locator('.sticky > .panel-head')
  await head.waitFor()
  const [heading, buttons] = await Promise.all([head.locator('h2').boundingBox(), head.locator('.row').boundingBox()])
  expect((buttons?.x ?? 0) >= (heading?.x ?? 0) + (heading?.width ?? 0)).toBe(true)
})

test('the buttons of a dispute stand below each other in columns of one width in the side panel', async () => {
  const { sandbox } = await openFull()
  const page = await look(sandbox, '#/disputes')
  await page.locator('tr.data', { hasText: 'Open' }).first().locator('.row-link').click()
  await page.locator('.sticky .effect').first().waitFor()
  const places = await page.evaluate(() =>
    [...document.querySelectorAll('.sticky .split')].map((one) => {
      const { left, width } = one.getBoundingClientRect()
      return `${Math.round(left)} ${Math.round(width)}`
    }),
  )
  expect(places).toHaveLength(5)
  expect(new Set(places).size).toBe(2)
})

test('every page says that chaos is on, with a link to its page', async () => {
  const sandbox = await start()
  const page = await look(sandbox, '#/transactions')
  await see(page, 'h1', 'Transactions')
  expect(await page.getByRole('link', { name: 'Chaos is on' }).count()).toBe(0)
  await sandbox.control.call('PUT', '/chaos', { error: '1%' })
  for (const width of [1440, 1024, 390]) {
    await page.setViewportSize({ width, height: 860 })
    await page.getByRole('link', { name: 'Chaos is on' }).waitFor()
    expect(await barriers(page)).toEqual([])
  }
  await page.getByRole('link', { name: 'Chaos is on' }).click()
  await see(page, 'h1', 'Chaos')
})

test('a message of the inbox shows what the inbox answered', async () => {
  const sandbox = await start({ clock: 'manual' })
  const url = `${sandbox.url}/_sandbox/inbox/main`
  await sandbox.control.call('PUT', '/inbox/main', { responses: [{ status: 500 }, { status: 200 }] })
  const { transaction_id: id } = await sandbox.client().cashin({ amount: 12, currency: 'BRL', postback_url: url })
  await sandbox.trigger('cashin.pay', { id })
  await sandbox.clock.advance('1m')
  const page = await look(sandbox, '#/inbox/main')
  await see(page, '.facts div', /^AnswerResponse 200/)
  await page.locator('.row-link').nth(1).click()
  await see(page, '.facts div', /^AnswerResponse 500/)
})

test('a rejected call begins with the reason of its rejection', async () => {
  const { sandbox, ids } = await openFull()
  const page = await look(sandbox, `#/requests/${ids.unsigned}`)
  await see(page, '.column.wide > :first-child', /X-Signature does not match the request\.INVALID_SIGNATURE · HTTP 401/)
  expect(await barriers(page)).toEqual([])
})

test('a withdrawal that failed says why above its timeline, in it, and in the list', async () => {
  const sandbox = await start()
  const { transaction_id: id } = await sandbox
    .client()
    .cashout({ amount: 30, currency: 'BRL', key: 'ana@example.com', external_id: 'payout-1' })
  await sandbox.trigger('cashout.fail', { id, error_code: 'PIX_KEY_NOT_FOUND' })
  const page = await look(sandbox, `#/transactions/${id}`)
  await see(page, '.column.wide > :first-child', /PIX key not found in the directoryPIX_KEY_NOT_FOUND/)
  await see(page, '.story-step', /^Withdrawal failed.*PIX_KEY_NOT_FOUND PIX key not found in the directory/)
  await page.goto(`${sandbox.url}/#/transactions`)
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await page.locator('tr.data').getByText('PIX key not found in the directory').waitFor()
  }
})

test('a webhook whose attempts failed says so at every width', async () => {
  const { sandbox } = await openFull()
  const page = await look(sandbox, '#/webhooks?status=pending')
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await see(page, 'tr.data .badge', /^Failing \d\/6$/)
  }
  // Those that a person asked for count, and one more is to come.
  const [failing] = (await sandbox.control.call('GET /webhooks', { query: { status: 'pending' } })).data
  for (let attempts = failing?.attempts ?? 0; attempts < 6; attempts++)
    await sandbox.control.call('POST /webhooks/{id}/redeliver', { params: { id: failing?.id ?? '' } })
  await see(page, 'tr.data .badge', /^Failing 6\/7$/)
})

test('a forged webhook that is accepted asks for something in list and overview, and one that is refused rightly does not', async () => {
  const sandbox = await start({ clock: 'manual' })
  const receiver = await sandbox.receiver()
  const runToEnd = async () => {
    await sandbox.scenarios.run('webhook-tampered', { fast_forward: true })
    await sandbox.clock.advance('1d')
  }
  // The receiver of the library checks the signature, and refuses.
  await runToEnd()
  const page = await look(sandbox, '#/webhooks')
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 844 })
    await see(page, 'tr.data .badge .pill.calm', /^Rightly refused$/)
  }
  await page.goto(`${sandbox.url}/#/`)
  await see(page, 'tr.data .badge .pill.calm', /^Rightly refused$/)
  await see(page, 'a.tile', /^Failed webhooks0nothing to redeliver$/)
  expect(await page.locator('a.tile').count()).toBe(4)

  const [refused] = await sandbox.webhooks.all({ event: 'cashin.confirmed' })
  await page.goto(`${sandbox.url}/#/webhooks/${refused?.id}`)
  await see(page, 'h1 .pill.calm', 'Rightly refused')
  expect(await page.locator('.action-bar button.primary').count()).toBe(0)

  receiver.respond(500)
  await runToEnd()
  await page.goto(`${sandbox.url}/#/`)
  await see(page, 'a.tile', /^Failed webhooks1no retries left/)

  receiver.respond(200)
  await runToEnd()
  await page.locator('a.tile', { hasText: /^Webhooks wrongly accepted1/ }).click()
  await see(page, 'tr.data .badge .pill.bad', /^Wrongly accepted$/)
  expect(await page.locator('tr.data').count()).toBe(1)
  await page.locator('tr.data .row-link').click()
  await see(page, '.sticky .panel-head .pill.bad', 'Wrongly accepted')
  await page.goto(`${sandbox.url}/#/`)
  await page.locator('a.tile', { hasText: 'Failed webhooks' }).click()
  await see(page, 'tr.data .badge', /^Failed$/)
  expect(await page.locator('tr.data').count()).toBe(1)
  await see(page, '.chip[aria-current]', /^Failed or not sent 1$/)
  await see(page, '.chip', /^Delivered 0$/)
  await see(page, '.chip', /^Rightly refused 1$/)
  await page.locator('.chip.worry', { hasText: /^Wrongly accepted 1$/ }).click()
  await see(page, 'tr.data .badge', /^Wrongly accepted$/)
  await see(page, '.pager', /^1 row/)
  expect(await barriers(page)).toEqual([])
})
