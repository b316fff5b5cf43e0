/** Finds what a page shows. */
import type { Locator, Page } from 'playwright-core'

export const button = (where: Page | Locator, name: string): Locator => where.getByRole('button', { name, exact: true })

export const see = (where: Page | Locator, selector: string, hasText: string | RegExp): Promise<void> =>
  where.locator(selector).filter({ hasText }).first().waitFor()
