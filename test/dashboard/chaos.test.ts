/** Chaos on the page: switched on and off, and marked where a fault shows. */
import { expect, test } from 'vitest'
import { barriers, overflowing } from '../support/browser.js'
import { button, live, look, see, start } from '../support/dashboard.js'

test('chaos is switched on by a preset, changed in a form, and switched off', async () => {
  const sandbox = await start()
  const page = await look(sandbox, '#/chaos')
  await live(page)
  await button(page, 'Chaos rough').click()
  await see(page, 'tbody tr', 'dropped_response')
  await see(page, 'tbody tr', '5%, delayed by 10 min')
  expect(await sandbox.chaos.read()).toMatchObject({ error: '5%', late: { share: '5%', by: '10m' } })
  expect(await barriers(page)).toEqual([])
  await button(page, 'Set faults').click()
  await page.locator('#field-error').fill('2%')
  await button(page, 'Set').click()
  await see(page, 'tbody tr', '2%')
  expect(await sandbox.chaos.read()).toMatchObject({ error: '2%', duplicate: '10%' })
  await button(page, 'Chaos off').click()
  await see(page, '.empty', 'Chaos is off')
  expect(await sandbox.chaos.read()).toEqual({})
})

test('the page of chaos counts its faults, and the timeline marks those of a call, its event and the attempt', async () => {
  const sandbox = await start()
  await sandbox.receiver()
  await sandbox.client().cashin({ amount: 10, currency: 'BRL' })
  await sandbox.chaos.set({ slow: { share: '100%', by: '1ms' }, duplicate: '100%' })
  const { transaction_id: id } = await sandbox.client().cashin({ amount: 25.5, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', { id })
  await sandbox.clock.advance({ until: 'idle' })
  const page = await look(sandbox, '#/chaos')
  await see(page, 'tbody tr', /^Slow.*slow[\s\S]*100%.*1$/)
  await see(page, 'tbody tr', /^Duplicate.*duplicate[\s\S]*100%.*2$/)
  await see(page, '.panel-note', 'counted in the newest calls and webhooks (100 each), not since chaos was switched on')
  await page.goto(`${sandbox.url}/#/transactions/${id}`)
  await see(page, '.story-row.left .story-platform', 'delayed by chaos')
  await see(page, '.story-row.left .story-platform', /Delivered[\s\S]*Sent 2 times by chaos/)
  await see(page, '.story-row.left .story-platform', /Sent again after it was acknowledged[\s\S]*Sent 2 times by chaos/)
  await page.setViewportSize({ width: 390, height: 800 })
  expect(await overflowing(page)).toEqual([])
})

test.for([
  ['reset', 'Dropped before processing by chaos', 'did not process the call: nothing was created or changed', 1],
  ['dropped_response', 'Dropped by chaos', 'responded with 200', 2],
] as const)(
  'the request log says whether a call without a response was processed (%s)',
  async ([fault, short, said, charges]) => {
    const sandbox = await start({ clock: 'manual' })
    const api = sandbox.client()
    await api.cashin({ amount: 10, currency: 'BRL' })
    await sandbox.chaos.set({ [fault]: '100%' })
    await expect(api.cashin({ amount: 25, currency: 'BRL' })).rejects.toThrow()
    await sandbox.chaos.set({})
    expect((await sandbox.control.call('GET /transactions')).data).toHaveLength(charges)
    const page = await look(sandbox, '#/requests')
    await see(page, 'tr.data', new RegExp(`No answer.*${short}`))
    await page.locator('.row-link', { hasText: '25.00' }).click()
    await see(page, '.failure', new RegExp(`Your app got no response. ${short}.*${said}`))
    expect(await page.locator('.panel h2', { hasText: 'Response' }).count()).toBe(charges - 1)
  },
)

test('what chaos will do to an event is planned until the event is sent', async () => {
  const sandbox = await start({ clock: 'manual' })
  await sandbox.receiver()
  await sandbox.chaos.set({ duplicate: '100%', late: { share: '100%', by: '10m' } })
  const { transaction_id: id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', { id })
  const page = await look(sandbox, '#/webhooks')
  await see(page, 'tr.data', 'Planned: sent 2 times, sent late by chaos')
  await sandbox.clock.advance('10m')
  await see(page, 'tr.data', /Delivered.*Sent 2 times, sent late by chaos/)
  await page.goto(`${sandbox.url}/#/transactions/${id}`)
  await see(page, '.story-row', /Delivered.*Sent late by chaos/)
})
