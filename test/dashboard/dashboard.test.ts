/** What people do at the dashboard, in a real browser. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { barriers, refusals } from '../support/browser.js'
import { advanceBy, button, editorText, live, look, pasteInEditor, see, start } from '../support/dashboard.js'
import { requireTools } from '../support/tools.js'

describe('a person at the dashboard', () => {
  test('sees a new charge appear, pays it by a click, and sees its webhook delivered', async () => {
    const sandbox = await start()
    const receiver = await sandbox.receiver()
    const page = await look(sandbox)
    await see(page, '.empty-title', 'No transaction yet')
    await live(page)
    const charge = await sandbox.client().cashin({ amount: 25.5, currency: 'BRL', payer: { name: 'Maria Souza' } })
    await page.getByRole('link', { name: charge.transaction_id }).click()
    await see(page, 'h1 .pill', 'Pending')
    // A message is shown for some seconds only, so all of them are noted.
    await page.evaluate(() => {
      const noted = new Set<Node>()
      const note = () => {
        for (const node of document.querySelectorAll('.toast')) noted.add(node)
      }
      new MutationObserver(note).observe(document.body, { childList: true, subtree: true })
      Object.assign(window, { textsOfToasts: () => [...noted].map((node) => node.textContent) })
    })
    // The second click of a double click does nothing.
    await button(page, 'Pay').dblclick()
    await see(page, 'h1 .pill', 'Confirmed')
    await see(page, '.story-row', /cashin\.confirmed\s*Delivered/)
    expect((await receiver.waitFor('cashin.confirmed')).transaction_id).toBe(charge.transaction_id)
    expect(await button(page, 'Pay').count()).toBe(0)
    await button(page, 'Refund').waitFor()
    expect(await page.evaluate('textsOfToasts()')).toEqual([expect.stringContaining('cashin.confirmed')])
  })

  test('pastes the commands of an empty sandbox into a terminal, and each of them works', async (context) => {
    requireTools(context, 'curl')
    const sandbox = await start()
    const page = await look(sandbox)
    const views = ['', 'webhooks', 'inbox', 'disputes', 'wallets', 'requests', 'scenarios', 'snapshots', 'chaos']
    const show = (view: string) => page.goto(`${page.url().split('#')[0]}#/${view}`)
    for (const view of views) {
      // A page that still reads an object which a reset removes gets a 404.
      await show('settings')
      await see(page, 'h1', 'Settings')
      await sandbox.reset()
      await show(view)
      await see(page, 'h1', view === '' ? 'Overview' : new RegExp(view.slice(0, -1), 'i'))
      const command = page.locator('main .empty pre').first()
      const { stdout } = await promisify(execFile)('sh', ['-c', (await command.textContent()) ?? ''])
      expect(stdout, view).toMatch(/^\{/)
      expect(stdout, view).not.toContain('"error":{')
      // It did what it says: there is something to be seen now.
      await command.waitFor({ state: 'detached' })
    }
  })

  test('pays with parameters, and reads mistakes in the form', async () => {
    const sandbox = await start()
    const charge = await sandbox.client().cashin({ amount: 25, currency: 'MXN' })
    const page = await look(sandbox, `#/transactions/${charge.transaction_id}`, { tolerate: refusals })
    await see(page, '.payment dd', /\d{18}/)
    await button(page, 'Pay with parameters').click()
    const form = page.getByRole('dialog')
    await form.getByText('Payer', { exact: true }).click()
    await form.getByLabel(/^Name payer\.name/).fill('João Pereira')
    await form.getByLabel(/^Amount/).fill('twelve')
    await button(form, 'Pay').click()
    await see(form, '[role=alert]', 'INVALID_AMOUNT')
    await form.getByLabel(/^Amount/).fill('24.50')
    await button(form, 'Pay').click()
    await see(page, 'h1 .pill', 'Confirmed')
    const paid = await sandbox.transactions.get(charge.transaction_id)
    expect(paid).toMatchObject({ amount: '24.50', payer: { name: 'João Pereira' } })
  })

  test('runs a scenario and watches its steps, arms one and disarms it', async () => {
    const sandbox = await start({ clock: 'manual' })
    const page = await look(sandbox, '#/scenarios')
    await page.getByLabel('Find').fill('loses it')
    await button(page, 'Run med-dispute-lost').click()
    await see(
      page,
      'dialog',
      'The scenario waits for 6 d. If you advance the clock, it advances for the whole workspace',
    )
    await button(page.getByRole('dialog'), 'Run').click()
    await see(page, 'h1', /med-dispute-lost\s*run_\w+\s*Passed/)
    expect(await page.locator('.run-steps > li.passed').count()).toBe(12)
    await see(page, '.panel p', 'Every step and check passed.')
    await page.goBack()
    await button(page, 'Arm tron-energy-fail').click()
    await button(page.getByRole('dialog'), 'Arm').click()
    await see(page, '.toast', /^Armed: tron-energy-fail/)
    await see(page, '.signs', 'Armed: tron-energy-fail')
    await button(page.locator('.toast'), 'Disarm').click()
    await button(page, 'Arm tron-energy-fail').waitFor()
    await page.locator('.signs:empty').waitFor({ state: 'attached' })
    await sandbox.scenarios.arm('lost-answer', { times: 1 })
    const withdrawal = { amount: 10, currency: 'BRL', key: 'ana@example.com', external_id: 'lost' } as const
    await expect(sandbox.client().cashout(withdrawal)).rejects.toThrow()
    await sandbox.clock.advance('3s')
    // The call itself did the first of them.
    await see(page, 'table', /lost-answer\s*run_\w+\s*Applied\s*6 of 7 steps, 1 skipped/)
    await page.getByRole('link', { name: /^lost-answer/ }).click()
    // What it used, instead of the references and the samples of its file.
    await see(page, '.run-steps', /Check\s*Status: Confirmed\s*Withdrawal tx_\w+: Confirmed/)
    expect(await page.locator('.run-steps').textContent()).not.toMatch(/\$\{|20\.00/)
    expect(await page.locator('.run-steps .pill').allTextContents()).toEqual(['By your app', 'Skipped'])
    await see(page, '.panel', /What your app did.*\/cashout No answer.*No later call is about this transaction\./)
    await see(
      page,
      '.panel p',
      /^A withdrawal is created, but the response is dropped\..*No repeat of the call has been recognized\.$/,
    )
    // The scenario would have repeated the call itself.
    expect(await page.getByText('retry', { exact: false }).locator('visible=true').count()).toBe(0)
    // To read the list is no repeat, although it is a POST that mentions the withdrawal.
    await sandbox.client().transactionList({})
    await see(page, '.panel', /What your app did.*No answer.*\/transactions\/list 200/)
    await see(page, '.panel p', /No repeat of the call has been recognized\.$/)
    await sandbox.client().cashout(withdrawal)
    await see(page, '.panel', /What your app did.*No answer.*\/cashout 202/)
    await see(page, '.panel p', 'Your app called again, and nothing was paid twice.')
    expect(await page.getByText('No later call').count()).toBe(0)
    // The call before the one that starts a run does not repeat it.
    const answered = { ...withdrawal, external_id: 'answered' }
    await sandbox.client().cashout(answered)
    await sandbox.scenarios.arm('lost-answer', { times: 1 })
    await expect(sandbox.client().cashout(answered)).rejects.toThrow()
    const runs = (await sandbox.control.call('GET /runs')).data
    const other = runs.find(({ id, scenario }) => scenario === 'lost-answer' && !page.url().endsWith(id))
    await page.goto(`${sandbox.url}/#/runs/${other?.id}`)
    await see(page, '.panel p', 'No repeat of the call has been recognized.')
  })

  test('writes a scenario, and reads line and column of a mistake', async () => {
    const page = await look(await start({ clock: 'manual' }), '#/scenarios', { tolerate: refusals })
    await page.getByRole('link', { name: 'Write a scenario' }).click()
    await see(page, '.panel', 'None: the scenario can be saved')
    const example = await editorText(page)
    await pasteInEditor(page, example.replace('cashin.pay', 'cashin.pya'))
    await page.locator('.cm-lint-marker-error').waitFor()
    expect(await page.locator('.cm-lintRange-error').textContent()).toBe('cashin.pya')
    await see(page, '.mistakes', /Line 6, column 5\s*steps\[2\]\.cashin\.pya/)
    await button(page, 'Save').click()
    await see(page, '.failure', 'line 6')
    await button(page, 'Line 6, column 5').click()
    await page.keyboard.type('cashin.pa')
    await see(page, '.cm-tooltip-autocomplete', 'cashin.pay')
    expect(await barriers(page)).toEqual([])
    // A moment after it appears, so that a word that is still typed is not replaced.
    await page.waitForTimeout(100)
    await page.keyboard.press('Enter')
    await see(page, '.panel', 'None: the scenario can be saved')
    await button(page, 'Save and run').click()
    await button(page.getByRole('dialog'), 'Run').click()
    await see(page, 'h1', /paid-after-a-minute\s*run_\w+\s*Passed/)
  })

  test('freezes and advances the clock, and sees due jobs run', async () => {
    const sandbox = await start()
    const charge = await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
    const page = await look(sandbox, `#/transactions/${charge.transaction_id}`, { tolerate: refusals })
    await button(page, 'Freeze').click()
    await button(page, 'Resume').waitFor()
    // The control stands in one line.
    const heights = await page
      .locator('.clock > button')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
    expect(new Set(heights).size).toBe(1)
    const before = Date.parse(await sandbox.clock.now())
    await advanceBy(page, '10 min')
    await see(page, '.toast', 'no job was due')
    expect(Date.parse(await sandbox.clock.now()) - before).toBe(600_000)
    await see(page, '.next-up', /Expires (at|on \d+ \w+) \d\d:\d\d:\d\d/)
    const panel = page.getByRole('dialog', { name: 'Clock controls' })
    await panel.getByText('1 day', { exact: true }).click()
    await see(page, '.clock-preview', /Jobs that run, at least 1: 1 charge expires\.[\s\S]*Charge expires\s*tx_/)
    await button(panel, 'Advance by 1 day').click()
    await see(page, 'h1 .pill', 'Expired')
    await see(page, '.clock-preview', 'No job is due until then.')
    await panel.getByText('A given time', { exact: true }).click()
    await panel.getByLabel('Time in UTC').fill('2001-01-01T00:00:00')
    await see(page, '.clock-control', 'The clock has passed this time. Enter a later one.')
    expect(await panel.getByRole('button', { name: 'Advance', exact: true }).isDisabled()).toBe(true)
    const target = new Date(Date.parse(await sandbox.clock.now()) + 60_000).toISOString().slice(0, 19)
    await panel.getByLabel('Time in UTC').fill(target)
    await button(panel, 'Advance to this time').click()
    // A time that the clock has reached is not offered again.
    await button(panel, 'Advance by 10 min').waitFor()
    expect((await sandbox.clock.now()).slice(0, 19)).toBe(target)
    await panel.getByText('A given time', { exact: true }).click()
    await panel.getByLabel('Time in UTC').fill('9500-01-01T00:00:00')
    await button(panel, 'Advance to this time').click()
    await see(page, '.clock-panel [role=alert]', 'must be before the year 9000')
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'hidden' })
    await button(page, 'Resume').click()
    await button(page, 'Freeze').waitFor()
  })

  test('recomputes a signature, and sees that one changed letter breaks it', async () => {
    const sandbox = await start()
    await sandbox.receiver()
    const charge = await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
    await sandbox.trigger('cashin.pay')
    const hook = await sandbox.webhooks.waitFor('cashin.confirmed', { transaction_id: charge.transaction_id })
    const page = await look(sandbox, `#/webhooks/${hook.id}`)
    await see(page, '.verdict', 'Equal: the signature is valid')
    const body = page.getByLabel(/^Raw body/)
    expect(await body.inputValue()).toBe(hook.body)
    await body.fill(hook.body.replace('25.00', '25.01'))
    await see(page, '.verdict', 'They differ')
    await button(page, 'Redeliver').click()
    await see(page, '.attempts > li', '#2')
    await see(page, '.verdict', 'They differ')
  })

  test.each([
    ['tampered', 'Body altered', ['They differ: respond with 401', 'The time of sending: valid']],
    ['bad-signature', 'Signature altered', ['They differ: respond with 401', 'The time of sending: valid']],
    [
      'stale',
      'Timestamp altered',
      ['Equal: the signature is valid', 'Over 300 seconds old when it was sent: respond with 401'],
    ],
  ])(
    'sees what a scenario altered in a webhook (%s), and how a receiver answers it',
    async (fault, label, verdicts) => {
      // On a clock that runs, an altered retry in flight could end after the redelivery below.
      const sandbox = await start({ clock: 'manual' })
      await sandbox.receiver()
      await sandbox.scenarios.run(`webhook-${fault}`, { fast_forward: true })
      // The receiver rejects it, so it is never delivered.
      const [{ id = '' } = {}] = await sandbox.webhooks.all({ event: 'cashin.confirmed' })
      const page = await look(sandbox, `#/webhooks/${id}`)
      await see(page, `h1 a.fault[href="#/scenarios/webhook-${fault}"]`, `${label} by scenario webhook-${fault}`)
      await see(page, '.attempts .fault', label)
      await see(page, '.attempts', 'Refused, as it should be')
      expect(await page.getByText(/^Not delivered/).count()).toBe(0)
      await page.locator('.verdict').nth(1).waitFor()
      expect(await page.locator('.verdict').allTextContents()).toEqual(verdicts)
      expect(await page.getByLabel(/^Raw body/).inputValue()).toBe((await sandbox.webhooks.get(id)).body)
      const marked = await page.locator('pre mark:visible').allTextContents()
      expect(marked.join('').replaceAll(/\s/g, '')).toBe(fault === 'tampered' ? ',"tampered":true' : '')
      expect(await barriers(page)).toEqual([])

      // A redelivery is not altered, and is judged first.
      await sandbox.webhooks.redeliver(id)
      await page.locator('.verdict .bad').waitFor({ state: 'detached' })
      await page.getByLabel('Attempt to check').selectOption('Attempt 1')
      await page.locator('.verdict .bad').waitFor()
      expect(await page.locator('.verdict').allTextContents()).toEqual(verdicts)
    },
  )

  test('reads secrets only when asked for, copies one, and changes a balance and a webhook address', async () => {
    const sandbox = await start()
    const page = await look(sandbox, '#/accounts')
    const merchant = page.locator('.panel', { hasText: 'client_sandbox_merchant' })
    await merchant.getByText('client_sandbox_merchant').waitFor()
    expect(await page.locator('main').textContent()).not.toContain('signing_key_')
    expect(await page.locator('main').textContent()).not.toContain('sk_sandbox_merchant')
    await button(merchant, 'Copy the signing_key').click()
    await see(page, '.toast', 'Copied the signing_key')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      sandbox.accounts.merchant?.credentials[0]?.signing_key,
    )
    await button(merchant, 'Show the signing_key').click()
    await see(merchant, '.credential', 'sk_sandbox_merchant_0')
    await button(page, 'Set balances of merchant').click()
    await page.getByLabel(/^BRL/).fill('12.34')
    await button(page, 'Set').click()
    await see(merchant, '.balances a', '12.34')
    await see(page, '.pill', 'Ledger balanced')
  })

  test('keeps a form open and what was typed when a webhook creates the inbox that is shown', async () => {
    const sandbox = await start()
    const page = await look(sandbox, '#/inbox')
    await button(page, 'Configure responses').click()
    await page.getByLabel('Status codes').fill('500 200')
    await fetch(`${sandbox.url}/_sandbox/inbox/main`, { method: 'POST', body: '{}' })
    await page.waitForURL(/#\/inbox\/main$/)
    await page.locator('tbody tr.data').waitFor({ state: 'attached' })
    expect(await page.getByLabel('Status codes').inputValue()).toBe('500 200')
    await button(page, 'Cancel').click()
    await page.locator('dialog[open]').waitFor({ state: 'detached' })
  })

  test('receives webhooks in the inbox, with a failure as the first planned response', async () => {
    const sandbox = await start({ clock: 'manual' })
    const page = await look(sandbox, '#/inbox')
    await button(page, 'Send the webhooks of merchant here').click()
    await see(page, '.toast', 'are sent to this inbox')
    await button(page, 'Configure responses').click()
    await page.getByLabel('Status codes').fill('500 200')
    await button(page, 'Set').click()
    await see(page, 'main', 'It answers its next messages with 500, then 200.')
    await button(page, 'Configure responses').click()
    expect(await page.getByLabel('Status codes').inputValue()).toBe('500 200')
    await button(page, 'Cancel').click()
    await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
    await sandbox.trigger('cashin.pay')
    await see(page, 'main', 'It answers with 200.')
    await see(page, 'tbody tr', /cashin\.confirmed\s*Signature valid.*25\.00 BRL/)
    const shown = await page.locator('tr.shown').getAttribute('data-key')
    await advanceBy(page, '1 min')
    await page.locator('tbody tr.data').nth(1).waitFor()
    // The shown message stays, beside the list, until another one is chosen.
    expect(await page.locator('tr.shown').getAttribute('data-key')).toBe(shown)
    await see(page, '.column .code', /"amount": "25\.00"/)
    await page.keyboard.press('j')
    await page.locator('tr.data:first-of-type.shown, tr.day + tr.shown').waitFor()
    expect(await page.locator('tr.shown').getAttribute('data-key')).not.toBe(shown)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('link', { name: 'All messages' }).click()
    await page.locator('tr.data a').last().click()
    await see(page, '.column .code', /"amount": "25\.00"/)
    await page.locator('tr.data').first().waitFor({ state: 'hidden' })
    await page.setViewportSize({ width: 1360, height: 860 })
    await page.goto(`${page.url().split('#')[0]}#/webhooks`)
    await see(page, 'tbody tr', /Delivered.*cashin\.confirmed.*25\.00 BRL.*2/)
  })

  test('saves a snapshot, resets with a confirmation, and restores', async () => {
    const sandbox = await start({ clock: 'manual' })
    await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
    const page = await look(sandbox, '#/snapshots')
    await button(page, 'Save a snapshot').click()
    await page.getByLabel(/^Name/).fill('one-charge')
    await button(page, 'Save').click()
    await see(page, 'tbody tr', 'one-charge')
    await button(page, 'Reset the workspace').click()
    await button(page, 'Reset now').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await sandbox.transactions.list()).length).toBe(0)
    await see(page, 'tbody tr', /^before-the-last-change.* ago.*B/)
    await button(page, 'Restore one-charge').click()
    await button(page.getByRole('dialog'), 'Restore').click()
    await see(page, '.toast', 'one-charge is restored')
    expect((await sandbox.transactions.list()).length).toBe(1)
    await button(page.locator('.toast', { hasText: 'one-charge' }), 'Undo').click()
    await see(page, '.toast', 'Undone')
    expect((await sandbox.transactions.list()).length).toBe(0)
    // The undo is the last change now, which the list undoes, too.
    await button(page, 'Restore before-the-last-change').click()
    await button(page.getByRole('dialog'), 'Restore').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await sandbox.transactions.list()).length).toBe(1)
    await button(page.locator('.toast', { hasText: 'Undone' }), 'Redo').click()
    await see(page, '.toast', 'Done again')
    expect((await sandbox.transactions.list()).length).toBe(0)
    expect((await sandbox.control.call('GET /snapshots')).data.map(({ name }) => name)).toEqual([
      'before-the-last-change',
      'one-charge',
    ])
    await button(page, 'Delete snapshot one-charge').click()
    await button(page.getByRole('dialog'), 'Delete').click()
    await page.getByText('one-charge', { exact: true }).waitFor({ state: 'detached' })
  })

  test('switches to another workspace, which has its own state', async () => {
    const sandbox = await start()
    const other = await sandbox.workspace('pr-12')
    await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
    const page = await look(sandbox)
    await see(page, 'tbody tr', 'Charge')
    await page.getByLabel('Workspace').selectOption('pr-12')
    await see(page, '.empty-title', 'No transaction yet')
    await live(page)
    await other.client().cashin({ amount: 31, currency: 'BRL' })
    await see(page, 'tbody tr', '31.00')
    await page.goto(other.url)
    await see(page, 'tbody tr', '31.00')
  })

  test('filters, pages, and comes back by the Back button', async () => {
    const sandbox = await start()
    const api = sandbox.client()
    await Promise.all(Array.from({ length: 60 }, (_, at) => api.cashin({ amount: at + 1, currency: 'BRL' })))
    await api.cashin({ amount: 5, currency: 'MXN', external_id: 'the-one' }).catch(() => undefined)
    await api.cashin({ amount: 50, currency: 'MXN', external_id: 'the-one' })
    const page = await look(sandbox, '#/transactions')
    await page.getByRole('link', { name: 'Older' }).click()
    await page.getByRole('link', { name: 'Newest' }).waitFor()
    expect(await page.locator('tbody .data').count()).toBe(25)
    await page.getByRole('link', { name: 'Older' }).click()
    await page.getByText('11 of 61').or(page.getByText('12 of 62')).waitFor()
    await page.getByRole('link', { name: 'Newer' }).click()
    await page.getByText(/^25 of 6/).waitFor()
    await page.getByRole('link', { name: 'Newest' }).click()
    await page.getByLabel('Your reference').pressSequentially('the-one', { delay: 10 })
    await page.getByText('1 row', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText(/^25 of 6/).waitFor()
    await page.getByLabel('Currency').selectOption('MXN')
    await see(page, 'tbody tr', 'the-one')
    await page.waitForFunction(() => document.querySelectorAll('tbody .data').length === 1)
    await page.getByRole('link', { name: 'Failed' }).click()
    await see(page, '.empty-title', 'No transaction matches')
  })
})

describe('the keyboard', () => {
  test('skips to the content, opens a form, leaves it by Escape, and keeps its place', async () => {
    const sandbox = await start()
    const page = await look(sandbox, '#/snapshots')
    await button(page, 'Save a snapshot').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
    for (let at = 0; at < 2; at++) await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Save a snapshot')
    const outline = () => page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle)
    expect(await outline()).toBe('solid')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    expect(await page.evaluate(() => document.activeElement?.closest('dialog') !== null)).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Save a snapshot')
  })

  test('continues from the new view after a link', async () => {
    const page = await look(await start(), '#/snapshots')
    await page.getByRole('link', { name: 'Request log' }).focus()
    await page.keyboard.press('Enter')
    await see(page, 'h1', 'Request log')
    await page.waitForFunction(() => document.activeElement?.id === 'main')
  })

  test('toggles the theme, which is remembered', async () => {
    const page = await look(await start())
    await page.getByRole('button', { name: /^System theme/ }).click()
    await page.getByRole('button', { name: /^Light theme/ }).click()
    await page.reload()
    await page.getByRole('button', { name: /^Dark theme/ }).waitFor()
    const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)
    expect(await scheme()).toBe('dark')
    await page.goto(`${new URL(page.url()).origin}/_sandbox/docs`)
    expect(await scheme()).toBe('dark')
    await page.locator('.sample button').first().waitFor()
  })
})
