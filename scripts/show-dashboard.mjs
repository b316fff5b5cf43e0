/** Makes the pictures of the README: the overview and a transaction. Run `node scripts/show-dashboard.mjs` after a build. */
import { writeFileSync } from 'node:fs'
import { bundled, pathOf } from './bundled.mjs'
import { withPalette } from './palette-png.mjs'

const { browserOf, openPage } = await bundled('test/support/browser.ts')
const { openWorld } = await bundled('test/support/dashboard-world.ts')

const pictures = [
  { file: 'overview-light', colorScheme: 'light', path: () => '#/', there: 'main tbody tr' },
  {
    file: 'transaction-dark',
    colorScheme: 'dark',
    path: ({ paid }) => `#/transactions/${paid}`,
    there: '.story-row.failed',
  },
]

const { sandbox, ids, close } = await openWorld()
try {
  for (const { file, colorScheme, path, there } of pictures) {
    const { page } = await openPage(sandbox.url, { colorScheme, width: 1180, height: 640 })
    await page.goto(`${sandbox.url}/${path(ids)}`)
    await page.locator(there).first().waitFor()
    await page.locator('.loading').first().waitFor({ state: 'detached' })
    writeFileSync(pathOf(`docs/images/${file}.png`), await withPalette(await page.screenshot()))
    await page.context().close()
  }
} finally {
  await (await browserOf()).close()
  await close()
}
