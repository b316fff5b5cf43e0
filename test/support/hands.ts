/** Presses keys, types and clicks at the dashboard, and counts these actions. Typing a text counts as one. */
import type { Locator, Page } from 'playwright-core'

export interface Hands {
  /** Presses keys in turn. */
  press(...keys: string[]): Promise<void>
  type(text: string): Promise<void>
  click(what: Locator): Promise<void>
  /** The number of actions so far. */
  effort(): number
}

export function handsAt(page: Page): Hands {
  let effort = 0
  return {
    async press(...keys) {
      effort += keys.length
      for (const key of keys) await page.keyboard.press(key)
    },
    async type(text) {
      effort++
      await page.keyboard.type(text)
    },
    async click(what) {
      effort++
      await what.click()
    },
    effort: () => effort,
  }
}
