/** Makes the pictures of the README: the overview of a month of sample data, and a transaction. Run `node scripts/show-dashboard.mjs` after a build. */
import { writeFileSync } from 'node:fs'
import { bundled, pathOf } from './bundled.mjs'
import { withPalette } from './palette-png.mjs'

const { browserOf, openPage } = await bundled('test/support/browser.ts')
const { openWorld } = await bundled('test/support/dashboard-world.ts')
const { startSandbox } = await import('../dist/index.js')

const pictures = [
  { file: 'overview-light', colorScheme: 'light', world: openMonth, path: () => '#/', there: 'main tbody tr' },
  {
    file: 'transaction-dark',
    colorScheme: 'dark',
    world: openWorld,
    path: ({ paid }) => `#/transactions/${paid}`,
    there: '.story-row.failed',
  },
]

/** A month of sample data. */
async function openMonth() {
  const sandbox = await startSandbox({ clock: 'manual', seed: 'dashboard' })
  await sandbox.control.call('POST', '/seed/demo', {})
  return { sandbox, ids: {}, close: () => sandbox.close() }
}

for (const { file, colorScheme, world, path, there } of pictures) {
  const { sandbox, ids, close } = await world()
  try {
    const { page } = await openPage(sandbox.url, { colorScheme, width: 1080, height: 532 })
    await page.goto(`${sandbox.url}/${path(ids)}`)
    await page.locator(there).first().waitFor()
    await page.locator('.loading').first().waitFor({ state: 'detached' })
    writeFileSync(pathOf(`docs/images/${file}.png`), await withPalette(await page.screenshot()))
    await page.context().close()
  } finally {
    await close()
  }
}
await (await browserOf()).close()
