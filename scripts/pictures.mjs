/**
 * Takes pictures of every page in every state: `node scripts/pictures.mjs FOLDER [PART …]` after a build. A part of a
 * name selects the pictures. The sizes and themes follow from WIDTHS and THEMES.
 */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bundled, pathOf } from './bundled.mjs'

const [folder = 'pictures', ...parts] = process.argv.slice(2)
const out = resolve(folder)
const widths = (process.env.WIDTHS ?? '1440,1024,390').split(',').map(Number)
const themes = (process.env.THEMES ?? 'light,dark').split(',')
/** A higher page is shown in several pictures, in which small type can still be read. */
const highestPicture = 2400
/** The API page has more: the rest looks like its beginning. */
const mostParts = 6

mkdirSync(out, { recursive: true })
process.chdir(pathOf('.'))
const { browserOf, openPage, switchTo } = await bundled('test/support/browser.ts')
const { worlds } = await bundled('test/support/pictures/worlds.ts')
const { states } = await bundled('test/support/pictures/states.ts')

/** Error responses that a state shows, and faults that chaos injects. */
const expected = /status of [45]\d\d/

/** What the control API answers in the worlds in which it does not answer normally. */
const answers = {
  loading: () => new Promise(() => {}),
  error: (route) =>
    route.fulfill({
      status: 503,
      json: {
        error: {
          code: 'DATABASE_UNAVAILABLE',
          message: 'The database is locked by another process. Stop that process, then try again.',
        },
      },
    }),
}

async function show(page, shown, state) {
  await page.goto('about:blank')
  await page.goto(`${shown.sandbox.url}/${state.path(shown.ids)}`)
  await page.waitForTimeout(300)
  if (state.world !== 'loading') await page.locator('body:not(:has(.loading))').waitFor({ timeout: 20_000 })
  await state.prepare?.(page, shown)
  await page.waitForTimeout(300)
}

async function take(page, state) {
  for (const width of widths) {
    await page.setViewportSize({ width, height: width < 500 ? 844 : 900 })
    for (const theme of themes) {
      await switchTo(page, theme)
      await page.waitForTimeout(60)
      const [wide, height] = await page.evaluate(() => [
        document.documentElement.scrollWidth - document.documentElement.clientWidth,
        document.documentElement.scrollHeight,
      ])
      if (wide > 0) console.log(`${state.name} at ${width}: ${wide} px too wide`)
      const name = `${state.name}-${width}-${theme}`
      if (state.isOverlay === true) await page.screenshot({ path: join(out, `${name}.png`) })
      else
        for (let y = 0; y < Math.min(height, mostParts * highestPicture); y += highestPicture) {
          // The bars at the top and at the side follow the scroll position.
          await page.evaluate(() => scrollTo(0, 0))
          await page.screenshot({
            path: join(out, `${name}${y === 0 ? '' : `-from-${y}`}.png`),
            fullPage: true,
            clip: { x: 0, y, width, height: Math.min(highestPicture, height - y) },
          })
        }
    }
  }
}

const selected = states.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)))
for (const world of new Set(selected.map((state) => state.world))) {
  const shown = await worlds[world]()
  const answer = answers[world]
  for (const state of selected.filter((one) => one.world === world)) {
    const { page, problems: seen } = await openPage(shown.sandbox.url, { width: widths[0], height: 900 })
    if (answer !== undefined) await page.route(/\/_sandbox\/(?!dashboard|docs)/, answer)
    try {
      await show(page, shown, state)
      await take(page, state)
    } catch (error) {
      console.log(`${state.name}: ${error.message}`)
    }
    for (const problem of seen.filter((one) => !expected.test(one))) console.log(`${state.name}: ${problem}`)
    await page.context().close()
  }
  await shown.close()
}
await (await browserOf()).close()
