/** The dashboard tells causes in their order and amounts as they are, and nothing that was armed outlives its view. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { button, live, look, see, start } from '../support/dashboard.js'
import { requireTools } from '../support/tools.js'

const timeline = (page: Page) =>
  page
    .locator('.timeline-body')
    .evaluateAll((bodies) => bodies.map((body) => body.querySelector('p')?.textContent ?? ''))

/** Where each of these begins an entry, in that order. */
async function inOrder(page: Page, beginnings: readonly string[]) {
  await see(page, '.timeline-body', beginnings.at(-1) ?? '')
  const entries = await timeline(page)
  expect(entries.map((entry) => beginnings.find((word) => entry.startsWith(word)) ?? entry)).toEqual(beginnings)
}

describe('the timeline', () => {
  test.each(['manual', 'realtime'] as const)('shows each change after its cause, on a %s clock', async (clock) => {
    await built()
    const sandbox = await start({ clock })
    await sandbox.receiver()
    const { transaction_id: id } = await sandbox.client().cashin({ amount: 149.9, currency: 'BRL' })
    await sandbox.trigger('cashin.pay', { id })
    const { infraction_id } = (await sandbox.trigger('dispute.open', { id })).object
    await sandbox.trigger('dispute.lose', { id: infraction_id })
    const page = await look(sandbox, `#/transactions/${id}`)
    const paid = ['POST /v2/transactions/cashin', 'Created', 'Pay', 'Ledger:', 'cashin.confirmed']
    await inOrder(page, [...paid, 'chargeback.opened', 'chargeback.lost', 'Lose dispute', 'Ledger:', 'cashin.refunded'])
    await page.goto(`${sandbox.url}#/disputes/${infraction_id}`)
    await inOrder(page, ['Created', 'Ledger:', 'chargeback.opened', 'Lose', 'Ledger:', 'Ledger:', 'chargeback.lost'])
    const { ledger } = await sandbox.control.call('GET /disputes/{id}', { params: { id: String(infraction_id) } })
    const own = ledger.filter(({ account, bucket }) => account === 'merchant' && bucket === 'available')
    expect(own.map(({ amount }) => amount)).toEqual(['-149.90', '149.90', '-149.90'])
  })
})

test('a failed withdrawal shows one amount in the list, on its page and in its event', async () => {
  const sandbox = await start({ clock: 'manual' })
  await sandbox.control.call('PATCH /accounts/{username}', {
    params: { username: 'merchant' },
    body: { fees: [{ currency: 'BRL', operation: 'cashout', fixed: 1 }] },
  })
  const key = { key: '52998224725', key_type: 'cpf' as const }
  const { transaction_id: id } = await sandbox
    .client()
    .cashout({ amount: 25, currency: 'BRL', external_id: 'out', ...key })
  await sandbox.trigger('cashout.fail', { id, error_code: 'PROVIDER_TIMEOUT' })
  const { data } = await sandbox.control.call('GET /webhooks')
  const failed = data.find(({ event }) => event === 'cashout.failed')
  expect(failed?.amount).toBe('25.00')
})

describe('a dialog', () => {
  const isOpen = (page: Page) => page.locator('dialog[open]').count()

  test('closes whenever its view is left', async () => {
    const sandbox = await start({ clock: 'manual' })
    const page = await look(sandbox, '#/')
    await page.goto(`${sandbox.url}#/snapshots`)
    await live(page)
    await button(page, 'Reset the workspace').click()
    await page.locator('dialog[open]').waitFor()
    await page.goBack()
    await see(page, 'h1', /Overview/)
    expect(await isOpen(page)).toBe(0)
    await page.goForward()
    await button(page, 'Reset the workspace').waitFor()
    expect(await isOpen(page)).toBe(0)
    await button(page, 'Reset the workspace').click()
    await page.evaluate(() => {
      location.hash = '#/webhooks?status=failed'
    })
    await page.locator('dialog[open]').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.locator('#palette[open]').waitFor()
    await page.goBack()
    await button(page, 'Reset the workspace').waitFor()
    await page.locator('dialog[open]').waitFor({ state: 'detached' })
    await button(page, 'Reset the workspace').click()
    await page.goto(`${sandbox.url}/_sandbox/docs`)
    await page.goBack()
    await button(page, 'Reset the workspace').waitFor()
    expect(await isOpen(page)).toBe(0)
  })
})

describe('the inbox page', () => {
  test.for([false, true])(
    'gives a command that fills it when it is pasted (a month of sample data: %s)',
    async (isSeeded, context) => {
      requireTools(context, 'curl')
      const sandbox = await start()
      if (isSeeded) await sandbox.control.call('POST /seed/{name}', { params: { name: 'demo' }, body: { days: 2 } })
      const page = await look(sandbox, '#/inbox/fresh')
      await page.locator('.empty pre').waitFor()
      const command = (await page.locator('.empty pre').textContent()) ?? ''
      await promisify(execFile)('bash', ['-c', command])
      await see(page, '.messages', 'cashin.confirmed')
    },
  )

  test('opens the newest inbox that has messages', async () => {
    const sandbox = await start()
    for (const name of ['older', 'newer'])
      await fetch(`${sandbox.url}/_sandbox/inbox/${name}`, { method: 'POST', body: '{}' })
    await sandbox.control.call('PUT /inbox/{name}', { params: { name: 'planned' }, body: { responses: [] } })
    const page = await look(sandbox, '#/inbox')
    await see(page, '.tabs [aria-current]', 'newer')
    await see(page, '.messages', 'Not a webhook of this sandbox')
    expect(page.url()).toContain('#/inbox/newer')
    await page.goto(`${sandbox.url}#/inbox/unused`)
    await see(page, '.tabs [aria-current]', 'unused')
  })
})
