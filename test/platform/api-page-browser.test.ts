/** The API page in a real browser: accessible in both themes, on a phone and on a desktop. */
import { expect, test } from 'vitest'
import { barriers, nameless, openPage, overflowing } from '../support/browser.js'
import { openSandbox } from '../support/sandbox.js'

test.each([
  { width: 1360, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
] as const)('the API page has no barriers and fits, $width pixels wide and $colorScheme', async (options) => {
  const { url } = await openSandbox()
  const { page, problems } = await openPage(new URL(url).origin, options)
  await page.goto(`${url}/_sandbox/docs`)
  await page.getByRole('button', { name: 'Copy' }).first().waitFor()
  expect(await barriers(page)).toEqual([])
  expect(await nameless(page)).toEqual([])
  expect(await overflowing(page)).toEqual([])
  expect(problems).toEqual([])
})
