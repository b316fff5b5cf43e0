/** The dashboard in each browser of the run: every navigation shows its page, the clock controls open at their place, and no error is swallowed. */
import type { Page, Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { browserNames } from '../support/browser.js'
import { button, live, look, see, start } from '../support/dashboard.js'

/** The packaged one, if it is used. */
const oldest = browserNames[browserNames.length - 1] ?? browserNames[0]

async function withCharges(count: number) {
  const sandbox = await start({ clock: 'manual' })
  await Promise.all(Array.from({ length: count }, () => sandbox.client().cashin({ amount: 25, currency: 'BRL' })))
  return sandbox
}

/** Pages through the transactions by links and by the address. */
async function pageThrough(page: Page): Promise<void> {
  await page.getByText('25 of 28').waitFor()
  await page.getByRole('link', { name: 'Older' }).click()
  await page.getByText('3 of 28').waitFor()
  const { hash } = new URL(page.url())
  await page.evaluate(() => {
    location.hash = '#/webhooks'
  })
  await see(page, 'h1', 'Webhooks')
  await page.evaluate((older) => {
    location.hash = older
  }, hash)
  await page.getByText('3 of 28').waitFor()
  await page.getByRole('link', { name: 'Newest' }).click()
  await page.getByText('25 of 28').waitFor()
}

test.each(browserNames)(
  'each page of a list is shown by its link and by its address, in the %s browser',
  async (browser) => {
    await pageThrough(await look(await withCharges(28), '#/transactions', { browser }))
  },
)

test('each page of a list is shown in a browser whose methods return promises instead of nothing', async () => {
  const page = await look(await withCharges(28), '#/transactions', {
    browser: oldest,
    before: () => {
      const changed: [object, readonly string[]][] = [
        [window, ['scroll', 'scrollTo', 'scrollBy']],
        [Element.prototype, ['scroll', 'scrollTo', 'scrollBy', 'scrollIntoView']],
        [HTMLElement.prototype, ['focus', 'blur', 'click']],
        [HTMLInputElement.prototype, ['select']],
        [HTMLDialogElement.prototype, ['show', 'showModal', 'close']],
      ]
      for (const [owner, names] of changed)
        for (const name of names) {
          const own: (...input: unknown[]) => void = Reflect.get(owner, name)
          Reflect.set(owner, name, function (this: unknown, ...input: unknown[]) {
            own.apply(this, input)
            return Promise.resolve()
          })
        }
    },
  })
  await pageThrough(page)
  await page.keyboard.press('?')
  await see(page, 'dialog[open] h2', 'Help')
  await page.keyboard.press('Escape')
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await see(page, 'h1', 'Accounts')
})

test.each(browserNames)(
  'the clock controls open below their button, at each width, in the %s browser',
  async (browser) => {
    const page = await look(await start({ clock: 'manual' }), '', { browser })
    await live(page)
    const face = page.getByRole('button', { name: /^Clock:/ })
    const panel = page.getByRole('dialog', { name: 'Clock controls' })
    for (const width of [1920, 1360, 1000, 800, 380]) {
      await page.setViewportSize({ width, height: 860 })
      await face.click()
      await panel.waitFor()
      const [button, box] = [await face.boundingBox(), await panel.boundingBox()]
      if (button === null || box === null) throw new Error('The clock is not visible.')
      expect({ width, isBelow: box.y >= button.y + button.height }).toEqual({ width, isBelow: true })
      // Aligned with the clock at its end, and inside the window.
      const clock = await page.locator('.clock').boundingBox()
      const right = (clock?.x ?? 0) + (clock?.width ?? 0)
      expect(Math.abs(box.x + box.width - right), `ends at ${box.x + box.width} at ${width}`).toBeLessThan(2)
      expect(box.x).toBeGreaterThanOrEqual(0)
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'hidden' })
    }
  },
)

test('an error in an effect, in its clean-up or outside of the views is shown, and the page goes on', async () => {
  const sandbox = await withCharges(28)
  const page = await look(sandbox, '#/transactions', { tolerate: /broken/ })
  await page.getByText('25 of 28').waitFor()
  const breakMethod = (owner: 'AbortController' | 'HTMLDialogElement', name: string) =>
    page.evaluate(
      ([owner, name]) => {
        const { prototype } = window[owner]
        const own = Reflect.get(prototype, name)
        Reflect.set(prototype, name, () => {
          Reflect.set(prototype, name, own)
          throw new Error(`${name} is broken`)
        })
      },
      [owner, name] as const,
    )
  await breakMethod('AbortController', 'abort')
  await page.getByRole('link', { name: 'Older' }).click()
  await see(page, '.toast', 'abort is broken')
  await page.getByText('3 of 28').waitFor()
  await breakMethod('HTMLDialogElement', 'showModal')
  await page.keyboard.press('?')
  await see(page, '.toast', 'showModal is broken')
  await page.evaluate(() => void Promise.reject(new Error('a promise is broken')))
  await see(page, '.toast', 'a promise is broken')
  await page.evaluate(() => {
    URLSearchParams.prototype.get = () => {
      throw new Error('get is broken')
    }
    location.hash = '#/webhooks'
  })
  await see(page, '.failure', 'get is broken')
  await button(page, 'Reload the page').click()
  await see(page, 'h1', 'Webhooks')
})

// In Firefox a stream that may be cached waits 20 s for that of another tab, or of the page before, to end.
test('no call of a page, and no stream, uses the cache of the browser', async () => {
  const page = await look(await withCharges(1), '')
  const sent: Request[] = []
  page.on('response', (answer) => answer.url().includes('/_sandbox/') && sent.push(answer.request()))
  await page.reload()
  await live(page)
  expect(sent.some((request) => request.url().includes('/stream'))).toBe(true)
  for (const request of sent)
    expect([request.url(), await request.headerValue('cache-control')]).toEqual([request.url(), 'no-cache'])
})
