/** Finds what a page shows. */
import type { Locator, Page } from 'playwright-core'

export const button = (where: Page | Locator, name: string): Locator => where.getByRole('button', { name, exact: true })

export const see = (where: Page | Locator, selector: string, hasText: string | RegExp): Promise<void> =>
  where.locator(selector).filter({ hasText }).first().waitFor()

/** Holds the requests to `url` back until `read` is called; `asked` waits for the first one. */
export async function holdBack(page: Page, url: RegExp) {
  let read = () => {}
  const mayBeRead = new Promise<void>((resolve) => {
    read = resolve
  })
  await page.route(url, async (route) => {
    await mayBeRead
    await route.continue()
  })
  return { asked: page.waitForRequest(url), read }
}
