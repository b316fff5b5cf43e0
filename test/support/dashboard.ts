/** The dashboard in a real browser: opens sandboxes and pages, and fails a test in which a page had a problem. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type Sandbox, type StartOptions, startSandbox } from '../../src/testing/index.js'
import { openPage, type PageOptions } from './browser.js'
import { closeAfter } from './hooks.js'

const dayMs = 86_400_000

/**
 * Starts a sandbox, which is closed after the test. A manual clock starts at a quarter past noon of the next day, because pages
 * group by hours and days: no boundary passes while a test advances by minutes, at whatever time it runs.
 */
export async function start(options: StartOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ rateLimits: false, ...options })
  closeAfter(() => sandbox.close())
  if (options.clock === 'manual') await sandbox.clock.set(new Date((Math.floor(Date.now() / dayMs) + 1.51) * dayMs))
  return sandbox
}

/** Opens a page at `path`, without its first slash. The page is closed after the test, and any problem fails the test. */
export async function look({ url }: { url: string }, path = '', options: PageOptions = {}): Promise<Page> {
  const { origin } = new URL(url)
  const { page, problems } = await openPage(origin, options)
  closeAfter(async () => {
    const seen = [...problems]
    await page.context().close()
    expect(seen).toEqual([])
  })
  await page.goto(`${origin}/${path}`)
  return page
}

export { button, holdBack, see } from './page.js'

/** Waits until the page follows the stream. */
export const live = (page: Page): Promise<void> => page.locator('.connection.live').waitFor({ state: 'attached' })

/** Formats an amount with two decimals as the page shows it. */
export const grouped = (amount: string): string => amount.replaceAll(/\B(?=(\d{3})+\.)/g, ',')

/** Advances the clock with the clock controls: `1 min`, `10 min`, `1 day`, … */
export async function advanceBy(page: Page, choice: string): Promise<void> {
  const panel = page.getByRole('dialog', { name: 'Clock controls' })
  if (!(await panel.isVisible())) await page.getByRole('button', { name: /^Clock:/ }).click()
  await panel.getByText(choice, { exact: true }).click()
  await panel.getByRole('button', { name: /^Advance/ }).click()
}

/** Replaces the text of the scenario editor by pasted text. */
export async function pasteInEditor(page: Page, text: string): Promise<void> {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
  await page.getByLabel('YAML or JSON').click()
  for (const keys of ['Control+a', 'Control+v']) await page.keyboard.press(keys)
}

/** Returns the text of the scenario editor. */
export const editorText = async (page: Page): Promise<string> =>
  (await page.locator('.cm-line').allTextContents()).join('\n')
