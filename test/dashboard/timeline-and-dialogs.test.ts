/** The dashboard tells causes in their order and amounts as they are, and nothing that was armed outlives its view. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Sandbox } from '../../src/testing/index.js'
import { barriers, overflowing } from '../support/browser.js'
import { built } from '../support/built.js'
import { openClient } from '../support/client.js'
import { button, holdBack, live, look, see, start } from '../support/dashboard.js'
import { requireTools } from '../support/tools.js'

/** What each row of the timeline says in the lane of the platform, or else in that of the app. */
const timeline = (page: Page) =>
  page
    .locator('li.story-row')
    .evaluateAll((rows) =>
      rows.map(
        (row) => row.querySelector('.story-platform')?.textContent || row.querySelector('.story-app')?.textContent,
      ),
    )

/** Where each of these begins a row, in that order. */
async function inOrder(page: Page, beginnings: readonly string[]) {
  await see(page, '.story-row', beginnings.at(-1) ?? '')
  const rows = await timeline(page)
  expect(rows.map((text) => beginnings.find((word) => text?.startsWith(word)) ?? text)).toEqual(beginnings)
}

/** The last line of each table of postings. */
const sums = (page: Page) => page.locator('.postings li:last-child').allTextContents()

const payout = { amount: 20, currency: 'BRL', key: 'ana@example.com', external_id: 'payout-7' } as const

/** Makes a withdrawal whose response is dropped; returns its id. */
async function loseAnswer(sandbox: Sandbox): Promise<string> {
  await sandbox.scenarios.arm('lost-answer')
  await expect(sandbox.client().cashout(payout)).rejects.toThrow()
  const { data } = await sandbox.control.call('GET /transactions', { query: { external_id: payout.external_id } })
  return data[0]?.transaction_id ?? ''
}

/** A withdrawal that was sent again under another reference, and whose repeat came back; returns the first one's id. */
async function loseAnother(sandbox: Sandbox): Promise<string> {
  const other = { ...payout, amount: 21, external_id: 'payout-9' }
  await sandbox.scenarios.arm('lost-answer')
  await expect(sandbox.client().cashout(other)).rejects.toThrow()
  const { transaction_id: id } = await sandbox.client().cashout({ ...other, external_id: 'payout-10' })
  await sandbox.trigger('cashout.confirm', { id })
  await sandbox.trigger('cashout.refund', { id })
  const { data } = await sandbox.control.call('GET /transactions', { query: { external_id: other.external_id } })
  return data[0]?.transaction_id ?? ''
}

describe('the timeline', () => {
  test.each(['manual', 'realtime'] as const)('shows each change after its cause, on a %s clock', async (clock) => {
    await built()
    const sandbox = await start({ clock })
    await sandbox.receiver()
    const { transaction_id: id } = await sandbox.client().cashin({ amount: 149.9, currency: 'BRL' })
    await sandbox.trigger('cashin.pay', { id })
    const { infraction_id } = (await sandbox.trigger('dispute.open', { id })).object
    const page = await look(sandbox, `#/transactions/${id}`)
    await see(page, '.action-bar', /^Disputed: the time to reply ends (in|on) /)
    expect(await page.locator(`.story-next a[href="#/disputes/${infraction_id}"]`).count()).toBe(1)
    await sandbox.trigger('dispute.lose', { id: infraction_id })
    const paid = ['POST /v2/transactions/cashin', 'Charge created', 'Response', 'Charge paid', 'cashin.confirmed']
    const disputed = ['Dispute opened', 'chargeback.opened', 'Dispute lost', 'chargeback.lost']
    await inOrder(page, [...paid, ...disputed, 'Charge refunded', 'cashin.refunded'])
    await page.locator('.action-bar').waitFor({ state: 'detached' })
    // The payment, what the dispute blocked and released, and the refund.
    for (const change of ['Charge paid', 'Dispute opened', 'Dispute lost', 'Charge refunded'])
      await page.locator('.story-row', { hasText: change }).locator('.postings').waitFor()
    expect(await sums(page)).toEqual(Array(4).fill('Sum, BRL 0.00'))
    await page.locator('.story').getByRole('link', { name: 'Dispute opened' }).click()
    await see(page, 'h1', /^Dispute/)
    await inOrder(page, disputed)
    const { ledger } = await sandbox.control.call('GET /disputes/{id}', { params: { id: String(infraction_id) } })
    const own = ledger.filter(({ account, bucket }) => account === 'merchant' && bucket === 'available')
    expect(own.map(({ amount }) => amount)).toEqual(['-149.90', '149.90', '-149.90'])
  })

  test.each(['manual', 'realtime'] as const)(
    'shows events in the order in which the receiver got them, on a %s clock',
    async (clock) => {
      await built()
      const sandbox = await start({ clock })
      await sandbox.receiver()
      await sandbox.scenarios.run('webhook-reordered', { fast_forward: true })
      const { data } = await sandbox.control.call('GET /transactions', {})
      const page = await look(sandbox, `#/transactions/${data[0]?.transaction_id}`)
      const paid = ['Charge created', 'Charge paid', 'cashin.confirmed']
      await inOrder(page, [...paid, 'Charge refunded', 'cashin.refunded', 'Attempt 1 of 6 cashin.confirmed'])
      const rows = page.locator('.story-row:not(.none)')
      expect(await rows.locator('.story-platform code').allTextContents()).toEqual([
        'cashin.refunded',
        ' cashin.confirmed',
      ])
    },
  )

  test('has the order of arrival on the page of a run, too, and there the clock advances to the end of a wait', async () => {
    const sandbox = await start({ clock: 'manual' })
    await sandbox.receiver()
    await sandbox.scenarios.arm('webhook-reordered')
    await sandbox.client().cashin({ amount: 25.5, currency: 'BRL' })
    const { data: runs } = await sandbox.control.call('GET /runs', {})
    const page = await look(sandbox, `#/runs/${runs[0]?.id}`)
    await live(page)
    await button(page.locator('.run-steps'), 'Advance the clock to this time').click()
    await see(page, '.panel', /What your app did.*cashin\.refunded.*cashin\.confirmed/)
    await see(page, 'h1', /Applied$/)
    expect(await button(page, 'Advance the clock to this time').count()).toBe(0)
  })

  test('shows a dropped response as a broken arrow with its cause, and the repeated call as two arrows', async () => {
    const sandbox = await start({ clock: 'manual' })
    await sandbox.receiver()
    await loseAnswer(sandbox)
    const { transaction_id: id } = await sandbox.client().cashout(payout)
    const page = await look(sandbox, `#/transactions/${id}`)
    await see(
      page,
      '.story-row.left.broken .story-app',
      /^No answerDropped by scenario lost-answer.*The caller repeated the call/,
    )
    await see(page, '.story-row.left.broken .story-platform', `Response 202${id}Lost`)
    await see(page, '.story-row.left:not(.broken) .story-platform', `Response 202${id}`)
    expect(await page.locator('.broken a').getAttribute('href')).toBe('#/scenarios/lost-answer')
    const call = ['POST /v2/transactions/cashout', 'Response']
    await inOrder(page, [call[0] ?? '', 'Withdrawal created', 'Response', ...call])
    const [line, cross] = await page
      .locator('.broken .story-arrow')
      .evaluate((cell) => ['::before', '::after'].map((part) => Number.parseFloat(getComputedStyle(cell, part).left)))
    const { width = 0 } = (await page.locator('.broken .story-arrow').boundingBox()) ?? {}
    expect([line, cross].map((left = 0) => left > width / 5 && left < width * 0.8)).toEqual([true, true])
    await page.goto(`${sandbox.url}/#/requests`)
    const rows = page.locator('tbody tr', { hasText: 'cashout' })
    await rows.nth(1).waitFor()
    expect(await rows.locator('.pill').allTextContents()).toEqual(['202', 'No answer'])
    await see(page, 'tr', 'Dropped by scenario lost-answer')
    await rows.nth(1).locator('a').first().click()
    const lost = ['Your app got no response. Dropped by scenario lost-answer', 'responded with 202.', id]
    for (const text of lost) await see(page, '.sticky > .failure', text)
    await see(page, '.sticky .panel', 'Dropped body')
    expect(await barriers(page)).toEqual([])
    expect(await overflowing(page)).toEqual([])
    await page.getByRole('link', { name: 'Open', exact: true }).click()
    await see(page, 'h1', 'POST /v2/transactions/cashout No answer')
  })

  test('says that a call was not repeated after its response was lost, and which reference repeats it', async () => {
    const sandbox = await start({ clock: 'manual' })
    const page = await look(sandbox, `#/transactions/${await loseAnswer(sandbox)}`)
    await see(
      page,
      '.broken .story-app',
      /No repeat has been recognized\. One with the same reference returns this transaction/,
    )
  })

  test.each([
    [
      'cashin',
      'pt',
      /Esta foi uma repetição de uma chamada respondida com 200 às [\d:]+\. Ela não criou uma segunda transação\.$/,
    ],
    [
      'cashout',
      'en',
      /lost-answer; still armed: cashout-pix-key-not-foundThis was a repeat of a call that was answered 202 at [\d:]+\. It created no second transaction\.$/,
    ],
    [
      'cashout',
      'es',
      /lost-answer; aún armado: cashout-pix-key-not-foundFue la repetición de una llamada respondida con 202 a las [\d:]+\. No creó una segunda transacción\.$/,
    ],
  ] as const)(
    'says of a lost response of a repeated %s, in the language %s, that the first call was answered, and what stays armed',
    async (operation, language, words) => {
      const sandbox = await start({ clock: 'manual' })
      const send = () => sandbox.client()[operation](payout)
      const { transaction_id: id } = await send()
      // A withdrawal that has failed meanwhile was answered, too.
      if (language === 'es') await sandbox.trigger('cashout.fail', { id })
      if (operation === 'cashout') await sandbox.scenarios.arm('cashout-pix-key-not-found')
      await sandbox.scenarios.arm(operation === 'cashin' ? 'cashin-lost-answer' : 'lost-answer')
      await expect(send()).rejects.toThrow()
      const page = await look(sandbox, `?lang=${language}#/transactions/${id}`)
      await see(page, '.broken .story-app', words)
    },
  )

  test('says when the run that dropped the response continues', async () => {
    const sandbox = await start({ clock: 'manual' })
    await sandbox.scenarios.arm('lost-answer')
    await expect(sandbox.client().cashout(payout)).rejects.toThrow()
    const [sent] = await sandbox.transactions.list()
    const page = await look(sandbox, `#/transactions/${sent?.transaction_id}`)
    await see(page, '.next-up', /^The scenario continues at [\d:]+$/)
    await page.locator('.story-next').getByRole('link', { name: 'The scenario continues' }).click()
    await see(page, 'h1', 'Run of lost-answer')
  })

  test('says why a repeat with the same reference and another amount was rejected', async () => {
    const sandbox = await start({ clock: 'manual' })
    const id = await loseAnswer(sandbox)
    await expect(sandbox.client().cashout({ ...payout, amount: 21 })).rejects.toThrow()
    const page = await look(sandbox, `#/transactions/${id}`)
    await see(
      page,
      '.broken .story-app',
      /The caller repeated the call at .*409 Its fields differ from those of the first call, so it created nothing\./,
    )
  })

  test('says which tool of the sandbox made a call, and nothing of a call of the app', async () => {
    const sandbox = await start({ clock: 'manual' })
    const { origin } = new URL(sandbox.url)
    const api = await openClient(sandbox.url)
    const page = await look(sandbox, '#/transactions')
    for (const [headers, words] of [
      [{ 'User-Agent': 'payments-sandbox-cli' }, 'cashin By the command line'],
      [{ Origin: origin }, 'cashin By the dashboard'],
      [{}, 'cashin'],
    ] as const) {
      const { data } = (await api.cashin({ amount: 9, currency: 'BRL' }, headers)).body
      await page.goto(`${sandbox.url}/#/transactions/${data.transaction_id}`)
      await see(page, '.story-row.right .story-app', new RegExp(`${words}$`))
    }
  })

  test('says that a scenario dropped the repeated call as well', async () => {
    const sandbox = await start({ clock: 'manual' })
    await sandbox.scenarios.arm('lost-answer', { times: 2 })
    for (const _ of [1, 2]) await expect(sandbox.client().cashout(payout)).rejects.toThrow()
    const page = await look(sandbox, '#/requests')
    await see(page, 'tbody', /Dropped again by scenario lost-answer.*Dropped by scenario lost-answer/)
  })

  test('says that a repeat with the same reference paid nothing twice', async () => {
    const sandbox = await start({ clock: 'manual' })
    const id = await loseAnswer(sandbox)
    await sandbox.client().cashout(payout)
    const page = await look(sandbox, `#/transactions/${id}`)
    await see(page, '.broken .story-app', 'The repeat returned this transaction and created no second one.')
    expect(await page.getByText('Probably paid twice').count()).toBe(0)
  })

  test('says of a lost response and of the same payment under another reference that it was paid twice', async () => {
    const sandbox = await start({ clock: 'manual' })
    const id = await loseAnswer(sandbox)
    const { transaction_id: second } = await sandbox.client().cashout({ ...payout, external_id: 'payout-8' })
    const page = await look(sandbox, `#/transactions/${id}`)
    await see(page, '.broken .story-app', 'Two withdrawals exist, and both can be paid out. Sent again as payout-8')
    expect(await page.getByText('No repeat').count()).toBe(0)
    await sandbox.clock.advance('1m')
    await page.reload()
    await see(page, '.broken .story-app', /Probably paid twice\. Sent again as payout-8/)
    await page.getByRole('link', { name: 'payout-8' }).click()
    await see(page, '.story-row.right .story-app', /Probably paid twice\. .*, and the response was lost: payout-7/)
    expect(page.url()).toContain(second)
    await page.getByRole('link', { name: 'payout-7' }).first().click()
    await see(page, '.broken .story-app', 'Probably paid twice')
    await page.goto(`${sandbox.url}/#/requests?warnings=true`)
    await page.locator('tbody tr', { hasText: '1 warning' }).locator('a').first().click()
    await see(page, '.sticky .warnings', `paid_twice probably made again: no response to ${id} arrived`)
    expect(await page.locator('.warnings a').getAttribute('href')).toBe(`#/transactions/${id}`)
    expect(await barriers(page)).toEqual([])
  })

  test('says of an equal charge without a payer that it was perhaps sent again, on both pages', async () => {
    const sandbox = await start({ clock: 'manual' })
    const charge = { amount: 91.5, currency: 'BRL' } as const
    await sandbox.scenarios.arm('cashin-lost-answer')
    await expect(sandbox.client().cashin({ ...charge, external_id: 'order-1' })).rejects.toThrow()
    const { transaction_id: id } = await sandbox.client().cashin({ ...charge, external_id: 'order-2' })
    const page = await look(sandbox, `#/transactions/${id}`)
    const words =
      /^POST .*Perhaps sent before, and the response was lost: order-1, [\d:]+\. Neither names a payer, so it may be for another order\.$/
    await see(page, '.story-row.right .story-app', words)
    await page.locator('.story-row.right .story-app p a').click()
    await see(page, '.broken .story-app', /Perhaps sent again as order-2, [\d:]+\. Neither names a payer/)
    expect(await page.locator('.story strong.bad-text').allTextContents()).toEqual(['No answer'])
  })

  test('says once that a payment was made more than twice', async () => {
    const sandbox = await start({ clock: 'manual' })
    const api = sandbox.client()
    await api.balance()
    await sandbox.control.call('PUT', '/chaos', { dropped_response: '100%' })
    for (const external_id of ['one', 'two']) await expect(api.cashout({ ...payout, external_id })).rejects.toThrow()
    await sandbox.control.call('DELETE', '/chaos')
    await api.cashout({ ...payout, external_id: 'three' })
    const { data } = await sandbox.control.call('GET /transactions', { query: { external_id: 'one' } })
    const page = await look(sandbox, `#/transactions/${data[0]?.transaction_id}`)
    const words = /Probably made more than twice\. Sent again as two, [\d:]+ ?Sent again as three, [\d:]+ ?$/
    await see(page, '.broken .story-app', words)
    expect(await page.locator('.story strong.bad-text', { hasText: 'Probably' }).count()).toBe(1)
  })

  test('says of the same charge under another reference, or without one, that both can be paid, and then that both were', async () => {
    const sandbox = await start({ clock: 'manual' })
    const charge = { amount: 91.5, currency: 'BRL', payer: { name: 'Joana' } } as const
    for (const [first, second] of [
      [
        { ...charge, external_id: 'order-1' },
        { ...charge, external_id: 'order-2' },
      ],
      [charge, charge],
    ] as const) {
      await sandbox.scenarios.arm('cashin-lost-answer')
      await expect(sandbox.client().cashin(first)).rejects.toThrow()
      const { transaction_id: id } = await sandbox.client().cashin(second)
      const page = await look(sandbox, `#/transactions/${id}`)
      const warning = /Two charges exist, and the payer could pay both\. Sent before, and the response was lost:/
      await see(page, '.story-row.right .story-app', warning)
      const lost = String(await page.locator('.story-row.right .story-app p a').getAttribute('href'))
      await sandbox.trigger('cashin.pay', { id })
      await see(page, '.story-step', /^Charge paid/)
      expect(await page.getByText('charged twice').count()).toBe(0)
      await sandbox.trigger('cashin.pay', { id: lost.replace('#/transactions/', '') })
      await page.reload()
      await see(page, '.story-row.right .story-app', /Probably charged twice\. Sent before, and the response was lost:/)
      await page.locator('.story-row.right .story-app p a').click()
      await see(
        page,
        '.broken .story-app',
        `Probably charged twice. Sent again as ${'external_id' in second ? second.external_id : id}`,
      )
      expect(await page.getByText('No repeat').count()).toBe(0)
    }
  })

  test('says of a withdrawal that was sent again under another reference, and one of which failed, that nothing was paid twice', async () => {
    const sandbox = await start({ clock: 'manual' })
    const id = await loseAnswer(sandbox)
    const { transaction_id: second } = await sandbox.client().cashout({ ...payout, external_id: 'payout-8' })
    await sandbox.trigger('cashout.fail', { id })
    const page = await look(sandbox, `#/transactions/${id}`)
    await see(
      page,
      '.broken .story-app',
      /Sent again as payout-8, .*; the first withdrawal failed, so nothing was paid twice/,
    )
    await page.goto(`${sandbox.url}/#/transactions/${second}`)
    await see(
      page,
      '.story-row.right .story-app',
      /Sent before, .* payout-7, .*; the first withdrawal failed, so nothing was paid twice/,
    )
    expect(await page.getByText('Probably').count()).toBe(0)
  })

  test('says of a withdrawal that was sent again and of which a part came back that it was paid twice', async () => {
    const sandbox = await start({ clock: 'manual' })
    const id = await loseAnswer(sandbox)
    const { transaction_id: second } = await sandbox.client().cashout({ ...payout, external_id: 'payout-8' })
    await sandbox.clock.advance('1m')
    await sandbox.trigger('cashout.refund', { id: second, amount: 5 })
    const page = await look(sandbox, `#/transactions/${id}`)
    await see(page, '.broken .story-app', /Probably paid twice\. Sent again as payout-8, [^;]*$/)
    // The fee of a withdrawal that comes back stays.
    const third = await loseAnother(sandbox)
    await page.goto(`${sandbox.url}/#/transactions/${third}`)
    await see(
      page,
      '.broken .story-app',
      /Sent again as payout-10, .*; the second withdrawal came back without its fee$/,
    )
  })

  test('begins with a call that was dropped before it was executed, and with the repeat that created the transaction', async () => {
    const sandbox = await start({ clock: 'manual' })
    await sandbox.scenarios.arm('lost-request')
    await expect(sandbox.client().cashout(payout)).rejects.toThrow()
    const { transaction_id: id } = await sandbox.client().cashout(payout)
    const page = await look(sandbox, `#/transactions/${id}`)
    const call = 'POST /v2/transactions/cashout'
    await inOrder(page, [call, 'Response', call, 'Withdrawal created', 'Response'])
    const words =
      /^No answerDropped before processing by scenario lost-request.*The caller did not learn.*The repeat created this transaction\.$/
    await see(page, '.broken .story-app', words)
    const { data: runs } = await sandbox.control.call('GET /runs', {})
    await page.goto(`${sandbox.url}/#/runs/${runs[0]?.id}`)
    await see(page, '.panel', /What your app did.*\/cashout No answer.*\/cashout 202/)
    await see(page, '.panel p', 'Your app called again, and nothing was paid twice.')
  })

  test.each([
    ['calls', /\/requests\?transaction_id=/],
    ['attempts', /\/webhooks\/evt_/],
  ])('is not shown before its %s have been read, as a part of it tells another story', async (_what, url) => {
    const sandbox = await start({ clock: 'manual' })
    await sandbox.receiver()
    const { transaction_id: id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
    await sandbox.trigger('cashin.pay', { id })
    const page = await look(sandbox, '')
    const { asked, read } = await holdBack(page, url)
    await page.goto(`${sandbox.url}/#/transactions/${id}`)
    await asked
    await see(page, '.panel', /^TimelineLoading…$/)
    expect(await timeline(page)).toEqual([])
    read()
    await inOrder(page, [
      'POST /v2/transactions/cashin',
      'Charge created',
      'Response',
      'Charge paid',
      'cashin.confirmed',
    ])
    await see(page, '.story-app', 'Response 200')
  })

  test('has a bar of actions that waits for the disputes before it says that nothing is scheduled', async () => {
    const sandbox = await start({ clock: 'manual' })
    const { transaction_id: id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
    await sandbox.trigger('cashin.pay', { id })
    await sandbox.trigger('dispute.open', { id })
    const page = await look(sandbox, '')
    const { asked, read } = await holdBack(page, /\/disputes\?transaction_id=/)
    await page.goto(`${sandbox.url}/#/transactions/${id}`)
    await asked
    await page.locator('.action-bar, .story-row').first().waitFor()
    expect(await page.getByText('Nothing scheduled').count()).toBe(0)
    read()
    await see(page, '.action-bar', /^Disputed: the time to reply ends/)
  })

  test.each([
    ['with', 'tron-energy-fail', 'cashout'],
    ['without', 'pix-paid', 'cashin'],
  ] as const)('names a scenario as the origin of what no call has created, %s a reference', async (_, name, type) => {
    const sandbox = await start({ clock: 'manual' })
    const { id: run } = await sandbox.scenarios.run(name, { fast_forward: true })
    const { data } = await sandbox.control.call('GET /transactions', { query: { type } })
    const page = await look(sandbox, `#/transactions/${data[0]?.transaction_id}`)
    await see(page, '.story-app', 'Created by a scenario')
    expect(await page.locator('.story-app a').first().getAttribute('href')).toBe(`#/runs/${run}`)
  })

  test.each([
    ['lost-answer', 'Withdrawal created', 202],
    ['cashin-lost-answer', 'Charge created', 200],
    ['lost-then-failed', 'Withdrawal created', 202],
  ] as const)('shows the response that the run of %s loses, and its repeat', async (name, created, status) => {
    const sandbox = await start({ clock: 'manual' })
    const sample = { cashout: { amount: 20, currency: 'BRL', key: 'ana@example.com', external_id: `payout-\${run}` } }
    const fail = { 'cashout.fail': { error_code: 'PIX_KEY_NOT_FOUND' } } as const
    await sandbox.scenarios.upload({
      name: 'lost-then-failed',
      steps: [{ disconnect: 'after' }, { create: sample }, { create: sample }, { wait: '2s' }, fail],
    })
    await sandbox.scenarios.run(name, { fast_forward: true })
    const { data } = await sandbox.control.call('GET /transactions', {})
    const id = String(data[0]?.transaction_id)
    const page = await look(sandbox, `#/transactions/${id}`)
    await see(page, '.story-app', 'Repeated by a scenario')
    expect((await timeline(page)).slice(0, 5).map((text) => text?.trim())).toEqual([
      'Created by a scenario',
      expect.stringMatching(`^${created}`),
      `Response ${status}${id}Lost`,
      'Repeated by a scenario',
      `Response ${status}${id}`,
    ])
    await see(
      page,
      '.broken .story-app',
      new RegExp(`^No answerDropped by scenario ${name}The caller did not learn.*repeat`),
    )
    expect(await page.locator('.story strong.bad-text').allTextContents()).toEqual(['No answer'])
  })

  test('names a scenario that repeats a webhook, and each copy', async () => {
    const sandbox = await start({ clock: 'manual' })
    await sandbox.receiver()
    await sandbox.scenarios.arm('webhook-duplicate')
    const { transaction_id: id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
    await sandbox.clock.advance('1m')
    const page = await look(sandbox, `#/transactions/${id}`)
    await see(page, '.story-platform', 'Sent 3 times')
    expect(await page.getByText('Sent again after it was acknowledged').count()).toBe(2)
    await page.goto(`${sandbox.url}/#/webhooks`)
    await see(page, 'td', 'Sent 3 times')
  })

  test('shows each attempt with the response of the app, what happens next, and the days', async () => {
    const sandbox = await start({ clock: 'manual' })
    const receiver = await sandbox.receiver()
    receiver.respond(500, 503)
    const { transaction_id: id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
    const page = await look(sandbox, `#/transactions/${id}`)
    await see(page, '.action-bar', /Expires (at|on \d+ \w+) \d\d:\d\d:\d\d/)
    await button(page.getByRole('group', { name: 'Payer' }), 'Pay').click()
    await see(page, '.story-row.failed', /Response 500[\s\S]*cashin\.confirmed/)
    await see(page, '.action-bar', /Webhook: Charge confirmed, attempt 2 of 6 at (\d+ \w+ )?\d\d:\d\d:\d\d/)
    await button(page, 'Advance the clock to this time: Webhook: Charge confirmed, attempt 2 of 6').click()
    await see(page, '.story-row.failed', /\+1 s\s*Response 503[\s\S]*Attempt 2 of 6/)
    await page.getByRole('button', { name: 'Show the JSON of attempt 2' }).click()
    await see(page, '.story-more', /"event": "cashin\.confirmed"[\s\S]*X-Webhook-Signature/)
    expect(await page.locator('.story-day').count()).toBe(1)
    await sandbox.clock.advance('3d')
    await button(page.getByRole('group', { name: 'Platform' }), 'Refund').click()
    await see(page, 'li.story-day', /^[A-Z][a-z]+day,? \d+ [A-Z][a-z]+ \d{4}$/)
    expect(await page.locator('.story-day').count()).toBe(2)
    expect((await sums(page)).every((text) => text === 'Sum, BRL 0.00')).toBe(true)
    await see(page, '.story-row', /Attempt 2 of 6 cashin\.confirmed/)
  })

  test.each([
    ['BRL', 25, ['payer.name', 'payer.document', 'hash']],
    ['MXN', 250, ['payer.name', 'payer.document', 'amount', 'hash']],
    ['BTC', 0.002, ['amount', 'hash']],
  ] as const)('asks for a payment in %s only what its rail has', async (currency, amount, fields) => {
    const sandbox = await start({ clock: 'manual' })
    const { transaction_id: id } = await sandbox
      .client()
      .cashin({ amount, currency, ...(currency === 'BTC' ? { chain: 'bitcoin' } : {}) })
    const page = await look(sandbox, `#/transactions/${id}`)
    await page.getByRole('button', { name: 'Pay with parameters' }).click()
    const names = page.getByRole('dialog').locator('input')
    expect(new Set(await names.evaluateAll((inputs) => inputs.map((input) => input.getAttribute('name'))))).toEqual(
      new Set(fields),
    )
  })
})

test('an object lists its scheduled jobs, and none once they have run or are not needed', async () => {
  const sandbox = await start({ clock: 'manual' })
  const dueOf = async (id: string) => (await sandbox.control.call('GET /transactions/{id}', { params: { id } })).due
  const { transaction_id: id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
  const { now, next_due } = await sandbox.control.call('GET /clock')
  expect(await dueOf(id)).toEqual([{ job: 'expire', at: next_due }])
  expect(Date.parse(next_due ?? '')).toBeGreaterThan(Date.parse(now))
  await sandbox.trigger('cashin.pay', { id })
  expect(await dueOf(id)).toEqual([])
  const { object } = await sandbox.trigger('dispute.open', { id })
  const dispute = await sandbox.control.call('GET /disputes/{id}', { params: { id: String(object.infraction_id) } })
  expect(dispute.due).toEqual([{ job: 'deadline', at: dispute.deadline_at }])
  await sandbox.trigger('dispute.respond', { id: dispute.infraction_id })
  expect((await sandbox.control.call('GET /clock')).next_due).toBeNull()
})

test('a page of an object that does not exist has a heading and a way back', async () => {
  const page = await look(await start(), '', { tolerate: /status of 404/ })
  const lists = {
    ...{ transactions: 'Transactions', wallets: 'Fixed wallets', disputes: 'Disputes', webhooks: 'Webhooks' },
    ...{ requests: 'Request log', scenarios: 'Scenarios', runs: 'Scenarios' },
  }
  for (const [path, title] of Object.entries(lists)) {
    await page.evaluate((hash) => location.assign(hash), `#/${path}/unknown`)
    await see(page, 'h1', 'Not found')
    await see(page, '.empty', 'It is not in the workspace')
    await page.getByRole('main').getByRole('link', { name: title }).click()
    await see(page, 'h1', title)
  }
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
    await page.evaluate(() => {
      location.hash = '#/webhooks'
    })
    await see(page, 'h1', 'Webhooks')
    await page.keyboard.press('?')
    await page.locator('.help[open]').waitFor()
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
      await see(page, 'tbody tr', 'cashin.confirmed')
    },
  )

  test('opens the newest inbox that has messages', async () => {
    const sandbox = await start()
    for (const name of ['older', 'newer'])
      await fetch(`${sandbox.url}/_sandbox/inbox/${name}`, { method: 'POST', body: '{}' })
    await sandbox.control.call('PUT /inbox/{name}', { params: { name: 'planned' }, body: { responses: [] } })
    const page = await look(sandbox, '#/inbox')
    await see(page, '.tabs [aria-current]', 'newer')
    await see(page, 'tbody tr', 'Not a webhook of this sandbox')
    expect(page.url()).toContain('#/inbox/newer')
    await page.goto(`${sandbox.url}#/inbox/unused`)
    await see(page, '.tabs [aria-current]', 'unused')
  })
})
