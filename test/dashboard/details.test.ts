/** What a payment lives through, done by hand at the dashboard: disputed and answered, deposited, plotted, deleted and brought back. */
import { expect, test } from 'vitest'
import { refusals } from '../support/browser.js'
import { advanceBy, button, editorText, look, pasteInEditor, see, start } from '../support/dashboard.js'

test('a person opens a dispute of a charge, answers it with a message, and wins it', async () => {
  const sandbox = await start({ clock: 'manual' })
  await sandbox.receiver()
  const { transaction_id: id } = await sandbox.client().cashin({ amount: 88, currency: 'BRL', external_id: 'order-8' })
  await sandbox.trigger('cashin.pay', { id })
  const page = await look(sandbox, `#/transactions/${id}`, { tolerate: refusals })
  await page.getByRole('button', { name: 'Open a dispute with parameters' }).click()
  await see(page, 'dialog', 'The payer disputes 88.00 BRL, which your account merchant cannot spend')
  await page.getByLabel(/^Amount/).fill('90')
  await button(page.getByRole('dialog'), 'Open a dispute').click()
  await see(page, 'dialog [role=alert]', 'INVALID_AMOUNT')
  await page.getByLabel(/^Amount/).fill('50')
  await button(page.getByRole('dialog'), 'Open a dispute').click()
  await page
    .locator('.panel', { hasText: 'Disputes' })
    .getByRole('link', { name: /50\.00/ })
    .click()
  await see(page, 'h1 .pill', 'Open')
  await see(page, '.action-bar', /The time to reply ends on \d+ \w+ (\d{4} )?\d\d:\d\d:\d\d/)
  await page.getByRole('button', { name: 'Reply', exact: true }).click()
  await page.getByLabel(/^Message/).fill('Delivered and signed for.')
  await button(page.getByRole('dialog'), 'Reply').click()
  await see(page, 'h1 .pill', 'Responded')
  await see(page, '.reply', 'Delivered and signed for.')
  await see(page, '.story-row.right .story-app', 'Reply sent')
  await button(page, 'You win releases the money').click()
  await see(page, 'h1 .pill', 'Won')
  for (const event of ['chargeback.opened', 'chargeback.responded', 'chargeback.won']) {
    await sandbox.webhooks.waitFor(event as 'chargeback.won')
    await see(page, '.story-row', new RegExp(`${event}\\s*Delivered`))
  }
  // What it is about is a charge: that is where the row leads.
  await page.goto(`${sandbox.url}/#/webhooks?event=chargeback.won`)
  await see(page, 'tbody tr', /chargeback\.won[\s\S]*50\.00[\s\S]*order-8/)
  await page
    .locator('tbody')
    .getByRole('link', { name: /order-8/ })
    .click()
  await see(page, 'h1', /Charge\s*88\.00/)
})

test('a partial refund, a fee that was returned and the charge of a dispute are named', async () => {
  const sandbox = await start({ clock: 'manual' })
  const api = sandbox.client()
  const payer = { name: '\u{1F469}\u200D\u{1F4BB} \u0645\u06CC\u200C\u062E a\u200Db' }
  for (const external_id of ['order-1', 'order-2']) {
    const { transaction_id: id } = await api.cashin({ amount: 60, currency: 'BRL', external_id, payer })
    await sandbox.trigger('cashin.pay', { id })
  }
  await sandbox.trigger('cashin.refund', { id: 'order-1', amount: 20 })
  await sandbox.trigger('dispute.open', { id: 'order-2' })
  const { transaction_id: failed } = await api.cashout({
    amount: 10,
    currency: 'BRL',
    key: 'a@b.co',
    external_id: 'out-1',
  })
  await sandbox.trigger('cashout.fail', { id: failed })
  const page = await look(sandbox, '#/transactions', { width: 390, height: 844 })
  await see(page, 'tbody tr', /60\.00 BRL 20\.00 BRL refunded[\s\S]*Refunded[\s\S]*order-1/)
  await page.getByRole('link', { name: /refunded/ }).click()
  await see(page, 'h1', /Charge 60\.00 BRL 20\.00 BRL refunded Refunded/)
  await see(page, '.facts', payer.name.replace('a\u200Db', 'aU+200Db'))
  expect(await page.locator('.facts .hidden-char').allTextContents()).toEqual(['U+200D'])
  await page.goto(`${sandbox.url}/#/transactions/${failed}`)
  await see(page, '.facts', /Fee[\d.]+ BRL, returned/)
  await page.goto(`${sandbox.url}/#/disputes`)
  await see(page, 'tbody tr', /60\.00 BRL[\s\S]*order-2/)
})

test('a wallet lists its deposits, and the overview plots payments and webhooks', async () => {
  const sandbox = await start({ clock: 'manual' })
  const receiver = await sandbox.receiver()
  receiver.respond(500, 200)
  const { wallet_id: id } = await sandbox.client().wallet({ currency: 'BRL' })
  const page = await look(sandbox, `#/wallets/${id}`)
  await see(page, '.story', /POST \/v2\/transactions\/wallet[\s\S]*Fixed wallet created[\s\S]*Response/)
  await see(page, '.empty-title', 'No deposit yet')
  await button(page, 'Deposit').click()
  await page.getByLabel(/^Amount/).fill('1234.50')
  await button(page.getByRole('dialog'), 'Deposit').click()
  await see(page, 'tbody tr', /1,234\.50[\s\S]*Confirmed/)
  expect(await page.locator('thead th').allTextContents()).toEqual([
    'Amount',
    'Status',
    'Counterparty',
    'Reference',
    'Time',
  ])
  await advanceBy(page, '1 min')
  await see(page, '.toast', 'due job')
  await page.getByRole('link', { name: 'Overview' }).click()
  await see(page, 'tbody tr', /1,234\.50[\s\S]*Deposit/)
  await see(page, 'tbody tr', 'Deposit confirmed')
  await see(page, '.plot', /Money[\s\S]*In\s*1,234\.50\s*BRL/)
  await see(page, '.plot', /Delivery attempts[\s\S]*Delivered\s*2[\s\S]*Failed\s*1/)
  await button(page, '24 hours').click()
  await page.getByText('Show as table').click()
  await page.waitForFunction(() => document.querySelectorAll('table[aria-label=Activity] tbody tr').length === 24)
  const now = page.getByRole('table', { name: 'Activity' }).locator('tbody tr').first()
  expect(await now.locator('td').allTextContents()).toEqual([expect.any(String), '1,234.50', '0.00', '2', '1'])
  const money = page.locator('.plot', { hasText: 'Money' })
  await money.locator('.chart-plot').focus()
  await page.keyboard.press('ArrowLeft')
  await see(money, '.chart-tip', /In\s*1,234\.50\s*BRL\s*Out\s*0\.00/)
  expect(await money.locator('.chart-values').textContent()).toMatch(/0.*1K.*1\.5K/)
})

test('a scenario is copied as a file, its run shows parameters and objects, and a deleted one can be restored', async () => {
  const sandbox = await start({ clock: 'manual' })
  const page = await look(sandbox, '#/scenarios', { tolerate: refusals })
  await page.getByRole('link', { name: 'Write a scenario' }).click()
  const form = page.getByRole('dialog')
  await see(page, '.panel', 'None: the scenario can be saved')
  const example = await editorText(page)
  await pasteInEditor(page, example.replace('- wait: 1m', '- wait: soon').replace('amount: 25', 'amount: x'))
  await button(page, 'Save').click()
  await see(page, '.failure-details', /line 4, column \d+: steps\[0\][\s\S]*line 5, column \d+: steps\[1\]/)
  await pasteInEditor(page, example)
  await button(page, 'Save').click()
  await button(page, 'Copy the scenario').click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(example)
  await button(page, 'Run').click()
  await button(form, 'Run').click()
  await see(page, '.run-steps li', /Create the charge 25\.00 BRL/)
  await page.locator('.facts').getByRole('link', { name: /^tx_/ }).first().waitFor()
  await page.getByRole('link', { name: 'The scenario' }).click()
  await button(page, 'Delete').click()
  await button(form, 'Delete').click()
  await page
    .getByRole('table', { name: 'Scenarios' })
    .getByRole('link', { name: 'A PIX charge is paid' })
    .first()
    .waitFor()
  await page.locator('[aria-label=Scenarios]', { hasText: 'paid-after-a-minute' }).waitFor({ state: 'detached' })
  await page.locator('.toast', { hasText: 'Deleted: paid-after' }).getByRole('button', { name: 'Undo' }).click()
  await see(page, 'h1', 'A PIX charge is paid after a minute')
  expect((await sandbox.control.call('GET /scenarios')).data.some(({ origin }) => origin === 'uploaded')).toBe(true)

  await sandbox.snapshot('release')
  await page.getByRole('link', { name: 'Snapshots' }).click()
  await button(page, 'Delete snapshot release').click()
  await button(form, 'Delete').click()
  await see(page, 'tbody tr', 'deleted-last')
  await page.locator('.toast', { hasText: 'Deleted: release' }).getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Restore release' }).waitFor()
  expect((await sandbox.control.call('GET /snapshots')).data.map(({ name }) => name)).not.toContain('deleted-last')
})

test('the settings page shows what differs from the defaults first, and is filtered by subject and text', async () => {
  const sandbox = await start({ clock: 'manual', cashoutSettle: '5s', fees: { BRL: { cashin: { percent: '1.5' } } } })
  const { data } = await sandbox.control.call('GET /settings')
  const page = await look(sandbox, '#/settings')
  const group = (title: string) =>
    page.locator('.subject', { has: page.getByRole('heading', { name: title, exact: true }) })
  const setting = (name: string) => page.locator(`[data-key="${name}"]`)
  await see(page.locator('main'), '.panel >> nth=0', /^Changed/)
  await see(
    group('Changed'),
    '[data-key=clock]',
    /Clock mode[\s\S]*clock runs by itself[\s\S]*manual\s*Default: realtime · library/,
  )
  await see(
    group('Changed'),
    '[data-key=cashout_settle]',
    /When a withdrawal settles[\s\S]*5s\s*Default: auto · library/,
  )
  await see(group('Charges and withdrawals'), 'summary', /Time until an unpaid PIX charge expires: 1h · /)
  await see(group('Webhooks'), 'summary', / webhook URLs: Off/)
  // Each is one line, whatever its values are.
  const heights = await page
    .locator('.subject:not([open]) > summary')
    .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().height)))
  expect([heights.length > 5, new Set(heights).size]).toEqual([true, 1])
  await group('Charges and withdrawals').locator('summary').first().click()
  await see(group('Charges and withdrawals'), '[data-key=pix_charge_life]', /expires\s*pix_charge_life\s*1h$/)
  // Every setting stands in one group, and the last group has those of no subject.
  expect(
    await page.locator('.setting').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key')).sort()),
  ).toEqual(data.map(({ name }) => name).sort())
  await setting('fees').locator('summary').click()
  await see(setting('fees'), '.code', /"percent": "1.5"/)
  await page
    .getByRole('link', { name: /^Webhooks \d/ })
    .last()
    .click()
  await setting('clock').waitFor({ state: 'detached' })
  await see(group('Webhooks'), '[data-key=webhook_url]', /None$/)
  await page.getByRole('link', { name: /^All settings \d/ }).click()
  await page.getByPlaceholder('Search settings').fill('STRICT_WEBHOOKS')
  await setting('clock').waitFor({ state: 'detached' })
  await setting('strict_webhooks').locator('summary').click()
  await page.getByText('PAYMENTS_SANDBOX_STRICT_WEBHOOKS').waitFor()
  await page.getByRole('button', { name: 'Copy --strict-webhooks' }).click()
  await page.getByRole('button', { name: 'Copy the line of strict_webhooks' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('strict_webhooks: false')
  await page.getByPlaceholder('Search settings').fill('no such setting')
  await see(page, '.empty', 'No setting matches')
})

test.each(['body', 'signature', 'timestamp'] as const)(
  'an app that accepts a webhook with an altered %s is wrong in its own lane, and the platform names what was altered',
  async (tamper) => {
    const sandbox = await start({ clock: 'manual' })
    const { client_id } = sandbox.accounts.merchant
    const inbox = { postback_url: `${sandbox.url}/_sandbox/inbox/main` }
    await sandbox.control.call('PATCH /credentials/{client_id}', { params: { client_id }, body: inbox })
    const steps = [
      { webhooks: { tamper } },
      { create: { cashin: { amount: 25, currency: 'BRL' } } },
      { 'cashin.pay': {} },
    ]
    await sandbox.scenarios.upload({ name: 'altered', title: 'Altered', on: { operation: 'cashin' }, steps })
    await sandbox.scenarios.arm('altered')
    const { transaction_id: id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
    await sandbox.webhooks.waitFor('cashin.confirmed', { transaction_id: id })
    const page = await look(sandbox, `#/transactions/${id}`)
    const wrong = tamper === 'timestamp' ? 'timestamp is too old' : 'signature is wrong'
    await see(page, '.story-row.failed .story-app', `Accepted although the ${wrong}; expected 401`)
    expect(await page.locator('.story-app .fault').count()).toBe(0)
    await see(page, '.story-row.failed .story-platform', 'altered by scenario altered')
  },
)

test.each([
  ['run', 'app'],
  ['armed', 'app'],
  ['run', 'inbox'],
])(
  'the page of a scenario that alters a webhook shows what the receiver answered, and blames an app, but not the built-in inbox (%s, %s)',
  async (how, receiver) => {
    const sandbox = await start({ clock: 'manual' })
    if (receiver === 'app') (await sandbox.receiver()).respond(200)
    else {
      const { client_id } = sandbox.accounts.merchant
      const body = { postback_url: `${sandbox.url}/_sandbox/inbox/main` }
      await sandbox.control.call('PATCH /credentials/{client_id}', { params: { client_id }, body })
    }
    if (how === 'armed') await sandbox.scenarios.arm('webhook-tampered')
    const page = await look(sandbox, how === 'run' ? '#/scenarios/webhook-tampered' : '#/scenarios')
    if (how === 'run') {
      await button(page, 'Run').first().click()
      await button(page.getByRole('dialog'), 'Run').click()
      await see(page, '.toast', 'Started: run of webhook-tampered. Your app should refuse its webhooks.')
    } else {
      await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
      await sandbox.clock.advance('1m')
      await page.getByRole('link', { name: /^webhook-tampered run_/ }).click()
    }
    const verdict = 'Accepted although the signature is wrong; expected 401'
    await see(
      page,
      '.panel',
      new RegExp(
        receiver === 'app'
          ? `What your app did.*cashin\\.confirmed.*Body altered.*Response 200.*${verdict}`
          : `What the built-in inbox did.*cashin\\.confirmed.*Body altered.*Built-in inbox: Response 200.*${verdict}`,
      ),
    )
    if (receiver === 'app') {
      await see(page, 'h1 .pill.bad', 'Wrongly accepted')
      await page.locator('.panel .bad-text', { hasText: verdict }).waitFor()
    } else {
      await see(page, 'h1 .pill.info', 'Applied')
      await page.locator('.panel .faint', { hasText: 'The built-in inbox accepts everything' }).waitFor()
    }
  },
)

test.for([
  [
    'en',
    /^Charge\s*101\.07 BRL\s*Rejected: 502 PROVIDER_ERROR$/,
    /^Withdrawal\s*slow@sandbox\.example\s*Pending for a day/,
  ],
  [
    'pt',
    /^Cobrança\s*101,07 BRL\s*Rejeitada: 502 PROVIDER_ERROR$/,
    /^Saque\s*slow@sandbox\.example\s*Pendente por um dia/,
  ],
] as const)(
  'a scenario of magic values lists which value leads to which outcome (%s)',
  async ([language, amount, key]) => {
    const page = await look(await start(), '#/scenarios/magic-values', { locale: language })
    await see(page, 'tr.data', amount)
    await see(page, 'tr.data', key)
    expect(await page.locator('tr.data').count()).toBe(22)
  },
)

test('the altered line of a body is in view, and a phone cuts no box', async () => {
  const sandbox = await start({ clock: 'manual' })
  await sandbox.receiver()
  await sandbox.scenarios.run('webhook-tampered', { fast_forward: true })
  const [{ id = '' } = {}] = await sandbox.webhooks.all({ event: 'cashin.confirmed' })
  for (const width of [390, 1360]) {
    const page = await look(sandbox, `#/webhooks/${id}`, { width })
    await page.locator('pre mark').last().waitFor({ state: 'attached' })
    const hidden = await page.locator('pre:visible').evaluateAll((boxes) =>
      boxes.flatMap((box) => {
        const { top, bottom } = box.getBoundingClientRect()
        const marks = [...box.querySelectorAll('mark')].map((mark) => mark.getBoundingClientRect())
        return marks.some((mark) => mark.top < top || mark.bottom > bottom) ? [box.textContent] : []
      }),
    )
    expect(hidden).toEqual([])
    const isCut = (boxes: Element[]) => boxes.some((box) => box.scrollHeight > box.clientHeight + 1)
    if (width === 390) expect(await page.locator('pre:visible').evaluateAll(isCut)).toBe(false)
  }
})

test('a failed withdrawal with long values has three lines on a phone: amount, reference, reason', async () => {
  const sandbox = await start({ clock: 'manual' })
  const { transaction_id: id } = await sandbox.client().cashout({
    ...{ amount: 1250.5, currency: 'BRL', key: `${'maria.fernanda.albuquerque'.repeat(2)}@example.com` },
    external_id: 'payout-2026-11-27-0000000123456789-abcdef',
  })
  await sandbox.trigger('cashout.fail', { id, error_code: 'PIX_KEY_NOT_FOUND' })
  const page = await look(sandbox, '#/transactions', { width: 390 })
  await see(page, 'tr.data', 'PIX key not found in the directory')
  const row = page.locator('tr.data')
  expect(await row.getByText('maria.fernanda').isVisible()).toBe(false)
  const heights = await row.evaluate((one) => [one.clientHeight, Number.parseFloat(getComputedStyle(one).fontSize)])
  expect(heights[0]).toBeLessThan(6.5 * (heights[1] ?? 0))
})

test('the postings of a fee say so, in the timeline and in the API', async () => {
  const sandbox = await start({ clock: 'manual' })
  const fees = [{ currency: 'BRL' as const, operation: 'cashout' as const, fixed: 1 }]
  await sandbox.control.call('PATCH /accounts/{username}', { params: { username: 'merchant' }, body: { fees } })
  const { transaction_id: id } = await sandbox
    .client()
    .cashout({ amount: 1, currency: 'BRL', key: 'a@b.co', external_id: 'o' })
  await sandbox.trigger('cashout.confirm', { id })
  const { ledger } = await sandbox.control.call('GET /transactions/{id}', { params: { id } })
  expect(ledger.map(({ type }) => type)).toEqual(['withdrawal', null, 'withdrawal_fee', null, null, null, null, null])
  const page = await look(sandbox, `#/transactions/${id}`)
  await see(page, '.postings', 'fees · Fee')
  const rows = await page.locator('.postings li').allTextContents()
  expect(rows.map((text) => text.includes('Fee'))).toEqual([
    false,
    false,
    true,
    true,
    false,
    false,
    false,
    true,
    true,
    false,
  ])
})

test('the panel beside a list stays below the bar with the clock at the end of the list', async () => {
  const sandbox = await start({ clock: 'manual' })
  const api = sandbox.client()
  for (let number = 0; number < 40; number++) await api.cashin({ amount: 5, currency: 'BRL' })
  const page = await look(sandbox, '#/transactions', { width: 1440, height: 900 })
  await page.locator('tbody .row-link').nth(20).click()
  await page.locator('.sticky .panel-head').first().waitFor()
  const gap = await page.evaluate(() => {
    scrollTo(0, document.body.scrollHeight)
    const top = document.querySelector('.sticky')?.getBoundingClientRect().top ?? 0
    return scrollY > 200 ? top - (document.querySelector('header')?.getBoundingClientRect().bottom ?? 0) : Number.NaN
  })
  expect(gap).toBeGreaterThan(0)
})
