/** The dashboard as a test holds it: sandboxes, a browser, pages of it, and what must never have happened in any of them. */
import type { Browser, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type Sandbox, type StartOptions, startSandbox } from '../../src/testing/index.js'
import { openBrowser, openPage, type PageOptions, type Watched } from './browser.js'
import { afterEveryFile, afterEveryTest } from './hooks.js'

let browser: Promise<Browser> | null = null
const sandboxes: Sandbox[] = []
const pages: Watched[] = []

afterEveryFile(async () => {
  await (await browser)?.close()
  browser = null
})

afterEveryTest(async () => {
  const problems = pages.flatMap((watched) => watched.problems)
  for (const { page } of pages.splice(0)) await page.context().close()
  for (const sandbox of sandboxes.splice(0)) await sandbox.close()
  expect(problems).toEqual([])
})

/** Closed after the test. */
export async function start(options: StartOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ rateLimits: false, ...options })
  sandboxes.push(sandbox)
  return sandbox
}

/** A page at that view; `path` is what follows the first slash. */
export async function look({ url }: { url: string }, path = '', options: PageOptions = {}): Promise<Page> {
  const { origin } = new URL(url)
  browser ??= openBrowser()
  const watched = await openPage(await browser, origin, options)
  pages.push(watched)
  await watched.page.goto(`${origin}/${path}`)
  return watched.page
}

export const button = (where: Page | Locator, name: string): Locator => where.getByRole('button', { name, exact: true })

export const see = (where: Page | Locator, selector: string, hasText: string | RegExp): Promise<void> =>
  where.locator(selector).filter({ hasText }).first().waitFor()

/** The page follows the stream. */
export const live = (page: Page): Promise<void> => page.locator('.connection.live').waitFor({ state: 'attached' })
