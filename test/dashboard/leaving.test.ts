/** A page that was left does nothing more. */
import { expect, test } from 'vitest'
import { button, holdBack, look, see, start } from '../support/dashboard.js'

/** A busy browser draws late. `runFrames` runs what was held back, `drawFrames` draws it, and from then on each frame at once. */
function holdFrames(): void {
  const draw = window.requestAnimationFrame.bind(window)
  const held: FrameRequestCallback[] = []
  window.requestAnimationFrame = (frame) => held.push(frame)
  window.cancelAnimationFrame = (id) => {
    held[id - 1] = () => {}
  }
  const release = (each: (frame: FrameRequestCallback) => unknown) => () => {
    window.requestAnimationFrame = draw
    for (const frame of held) each(frame)
  }
  Object.assign(window, { runFrames: release((frame) => frame(performance.now())), drawFrames: release(draw) })
}

test('pages that were left before their first frame stay away, and do not lead elsewhere', async () => {
  const sandbox = await start({ clock: 'manual' })
  const postback_url = `${sandbox.url}/_sandbox/inbox/main`
  const charge = await sandbox.client().cashin({ amount: 5, currency: 'BRL', postback_url })
  await sandbox.trigger('cashin.pay', { id: charge.transaction_id })
  const page = await look(sandbox, '', { before: holdFrames })
  for (const [view, heading] of [
    ['webhooks', 'Webhooks'],
    [`transactions/${charge.transaction_id}`, 'Charge'],
    ['inbox', 'Inbox'],
    ['settings', 'Settings'],
  ] as const) {
    await page.evaluate(`location.hash = '#/${view}'`)
    await see(page, 'h1', heading)
  }
  await page.evaluate('drawFrames()')
  // Both change what the pages that were left have shown.
  for (const _ of [1, 2, 3]) {
    const read = page.waitForResponse((response) => response.url().endsWith('/_sandbox/clock'))
    await sandbox.clock.advance('1m')
    await read
  }
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  expect(await page.evaluate('location.hash')).toBe('#/settings')
  expect(await page.locator('main h1').allTextContents()).toEqual(['Settings'])
})

test('a page that makes its address more exact does not lead back a user who has just left it', async () => {
  const sandbox = await start({ clock: 'manual' })
  const page = await look(sandbox, '#/inbox', { before: holdFrames })
  await see(page, '.empty-title', 'Nothing received yet')
  const post = () => fetch(`${sandbox.url}/_sandbox/inbox/main`, { method: 'POST', body: '{}' })
  await post()
  // The view waits for a frame to name the inbox in its address. The browser reports the new address after that frame.
  await page.locator('main .empty').waitFor({ state: 'detached' })
  await page.evaluate(`location.hash = '#/settings'; runFrames()`)
  await see(page, 'h1', 'Settings')
  await page.evaluate(`location.hash = '#/inbox/main'`)
  await post()
  await page.locator('.row-link').nth(1).waitFor()
  await page.evaluate(`location.hash = '#/settings'; document.querySelectorAll('.row-link')[1].focus()`)
  await see(page, 'h1', 'Settings')
  expect(await page.evaluate('location.hash')).toBe('#/settings')
})

test('an object that was created after its form was left does not open', async () => {
  const sandbox = await start()
  const page = await look(sandbox, '#/new/charge')
  const { asked, read } = await holdBack(page, /\/cashin$/)
  await button(page, 'Create').click()
  await asked
  await page.evaluate(`location.hash = '#/settings'`)
  await see(page, 'h1', 'Settings')
  read()
  await see(page, '.toast', 'Created: Charge')
  expect(await page.evaluate('location.hash')).toBe('#/settings')
})

test('a page that waits for an answer when it is left stays away', async () => {
  const sandbox = await start()
  const page = await look(sandbox, '#/certify/client')
  await see(page, 'h1', 'Certify')
  const reading = /\/_sandbox\/requests\?/
  const { asked, read } = await holdBack(page, reading)
  await button(page, 'Check new calls').click()
  await asked
  await page.evaluate(`location.hash = '#/settings'`)
  await see(page, 'h1', 'Settings')
  const answered = page.waitForResponse(reading)
  read()
  await (await answered).finished()
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  expect(await page.locator('main h1').allTextContents()).toEqual(['Settings'])
})
