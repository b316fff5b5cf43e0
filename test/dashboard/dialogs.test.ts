/** Every dialog of the dashboard is submitted by Ctrl+Enter, from each of its fields. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { refusals } from '../support/browser.js'
import { button, live, look, see, start } from '../support/dashboard.js'

/** A page of the dashboard, what the palette offers there, and the title of the dialog that it opens. */
const dialogs: readonly (readonly [path: string, command: string, title: string])[] = [
  ['accounts', 'New account', 'New account'],
  ['', 'Set balances of merchant', 'Balances of merchant'],
  ['', 'Limits of merchant', 'Limits of merchant'],
  ['', 'Fees of merchant', 'Fees of merchant'],
  ['accounts', 'Add a credential of merchant', 'New credential of merchant'],
  ['', 'Edit credential client_sandbox_merchant of merchant', 'Change the credential'],
  ['transactions/payout', 'Fail with parameters', 'Let the withdrawal fail'],
  ['', 'cashin.pay on a new object', 'Pay the charge'],
  ['', 'Run lost-answer', 'Run lost-answer'],
  ['', 'Arm lost-answer', 'Arm lost-answer'],
  ['scenarios/mine', 'Delete', 'Delete the scenario “mine”?'],
  ['', 'Reset the workspace', 'Reset the workspace “default”?'],
  ['', 'Seed sample data', 'Seed sample data?'],
  ['', 'Restore kept', 'Restore “kept”?'],
  ['snapshots', 'Delete snapshot kept', 'Delete the snapshot “kept”?'],
  ['', 'Save a snapshot', 'Save a snapshot'],
  ['', 'New workspace', 'New workspace'],
  ['snapshots', 'Delete other', 'Delete the workspace “other”?'],
  ['chaos', 'Set faults', 'Set random faults'],
  ['inbox/main', 'Configure responses', 'Configure responses'],
  ['inbox/main', 'New inbox', 'New inbox'],
]

const source = join(import.meta.dirname, '../../src')

/** The places in the source that open a dialog: limits and fees share one. */
const openings = ['dashboard', 'features']
  .flatMap((folder) => readdirSync(join(source, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .flatMap(
    (entry) =>
      readFileSync(join(entry.parentPath, entry.name), 'utf8').match(/^ *openForm(<(?!Terms)|\()|= termsForm\(/gm) ??
      [],
  )

/** Records where a form was submitted from, and keeps it from its work. */
const watchSubmits = () => {
  const submits: string[] = []
  Object.assign(window, { submits })
  addEventListener(
    'submit',
    (event) => {
      submits.push(document.activeElement?.getAttribute('name') ?? '')
      event.preventDefault()
      event.stopPropagation()
    },
    { capture: true },
  )
}
const submitsOf = (page: Page) => page.evaluate(() => (window as unknown as { submits: string[] }).submits.splice(0))

/** Presses Ctrl+Enter where the focus is, and then in each field; returns the names of the fields. */
async function submitFromEachField(page: Page, dialog: string): Promise<(string | null)[]> {
  const fields = page.locator(`${dialog} :is(input, select, textarea)`).filter({ visible: true })
  await page.keyboard.press('Control+Enter')
  for (let at = 0; at < (await fields.count()); at++) {
    await fields.nth(at).focus()
    await page.keyboard.press('Control+Enter')
  }
  return fields.evaluateAll((all) => all.map((field) => field.getAttribute('name')))
}

test('every dialog is submitted once by Ctrl+Enter, wherever the focus is in it', async () => {
  expect(dialogs).toHaveLength(openings.length)
  const sandbox = await start({ clock: 'manual' })
  const { transaction_id: payout } = await sandbox
    .client()
    .cashout({ amount: 20, currency: 'BRL', key: 'ana@example.com', external_id: 'out' })
  await sandbox.control.call('POST /scenarios', { body: { name: 'mine', title: 'Mine', steps: [{ wait: '1s' }] } })
  await sandbox.scenarios.disarm('lost-answer')
  await sandbox.snapshot('kept')
  await sandbox.workspace('other')
  const page = await look(sandbox, '', { before: watchSubmits })
  await live(page)
  for (const [path, command, title] of dialogs) {
    await page.evaluate(
      (hash) => {
        location.hash = hash
      },
      `#/${path.replace('payout', payout)}`,
    )
    await page.locator('body:not(:has(.loading))').waitFor()
    if (path !== '') await page.getByRole('button', { name: command, exact: true }).first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type(command)
    await see(page, '.palette [aria-selected=true] .palette-title', command)
    await page.keyboard.press('Enter')
    await see(page, 'dialog[open] h2', title)
    await page.locator('dialog[open] :focus').waitFor()
    const names = await submitFromEachField(page, 'dialog[open]')
    const submits = await submitsOf(page)
    expect([title, submits.slice(1)]).toEqual([title, names.map((name) => name ?? '')])
    expect([title, submits.length]).toEqual([title, names.length + 1])
    await page.keyboard.press('Escape')
    await page.locator('dialog[open]').waitFor({ state: 'detached' })
  }
})

test('g k leads the focus into the clock controls, which Ctrl+Enter submits, and Escape back', async () => {
  const page = await look(await start({ clock: 'manual' }), '', { before: watchSubmits })
  await live(page)
  await page.getByRole('link', { name: 'New charge' }).first().focus()
  for (const key of ['g', 'k']) await page.keyboard.press(key)
  await page.locator('.clock-panel :checked:focus').waitFor()
  await page.keyboard.press('Control+Enter')
  expect(await submitsOf(page)).toEqual(['target'])
  await page.keyboard.press('Escape')
  await page.locator('.clock-panel').waitFor({ state: 'hidden' })
  await page.locator('a:focus', { hasText: 'New charge' }).waitFor()
})

test('a deposit has an amount from the start, and without one the dialog says so at the field and sends nothing', async () => {
  const sandbox = await start({ clock: 'manual' })
  const { wallet_id: id } = await sandbox.client().wallet({ currency: 'MXN' })
  const page = await look(sandbox, `#/wallets/${id}`)
  const sent: string[] = []
  page.on('request', (request) => request.url().endsWith('/trigger') && sent.push(request.url()))
  await button(page, 'Deposit').click()
  const dialog = page.getByRole('dialog')
  const amount = dialog.getByLabel(/^Amount in MXN/)
  expect(Number(await amount.inputValue())).toBeGreaterThan(0)
  expect(await dialog.textContent()).not.toContain('create')
  await amount.fill('')
  await button(dialog, 'Deposit').click()
  await see(dialog, '.field:has([aria-invalid]) [role=alert]', 'This field is required.')
  expect(sent).toEqual([])
  await amount.fill('500')
  await button(dialog, 'Deposit').click()
  await see(page, 'tbody tr', /500\.00 MXN[\s\S]*Confirmed/)
})

test('a form in Portuguese shows and takes amounts as Portuguese writes them, and sends only what was changed', async () => {
  const sandbox = await start({ clock: 'manual' })
  const page = await look(sandbox, '#/accounts', { locale: 'pt-BR' })
  const sent: unknown[] = []
  page.on('request', (request) => request.url().endsWith('/balances') && sent.push(request.postDataJSON()))
  for (const [typed, shown] of [
    ['1.234.567,8', '1.234.567,80'],
    ['25.50', '25,50'],
  ] as const) {
    await button(page, 'Definir saldos de merchant').click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel(/^SOL/).inputValue()).toBe('10,00')
    await dialog.getByLabel(/^BRL/).fill(typed)
    await button(dialog, 'Definir').click()
    await see(page, '.balances', shown)
  }
  expect(sent).toEqual([{ BRL: '1234567.8' }, { BRL: '25.50' }])
})

test('the dialog of a dispute offers the known type, and the API accepts others', async () => {
  const sandbox = await start({ clock: 'manual' })
  const { transaction_id: id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', { id })
  const page = await look(sandbox, `#/transactions/${id}`)
  await page.getByRole('button', { name: 'Open a dispute with parameters' }).click()
  const dialog = page.getByRole('dialog')
  const list = await dialog.getByLabel(/^Type/).getAttribute('list')
  expect(
    await dialog.locator(`[id="${list}"] option`).evaluateAll((all) => all.map((one) => one.getAttribute('value'))),
  ).toEqual(['REFUND_REQUEST'])
  await dialog.getByLabel(/^Type/).fill('FRAUD')
  await button(dialog, 'Open a dispute').click()
  await page.getByText('Dispute opened').first().waitFor()
  expect((await sandbox.disputes.list())[0]).toMatchObject({ type: 'FRAUD' })
})

test.each([
  ['chaos', 'Set faults', 'Slow: Delay', 'soon', 'Must be a duration such as 500ms, 3s or 2m.'],
  ['accounts', 'Limits of merchant', 'BRL, Charge: Smallest amount', 'little', 'Must be a number or a decimal string.'],
  ['accounts', 'Fees of merchant', 'BRL, Withdrawal: Percentage', 'some', /^Must be/],
] as const)(
  'in the table of %s, %s, the error of a value stands below it',
  async (path, command, label, text, error) => {
    const page = await look(await start(), `#/${path}`, { tolerate: refusals })
    await live(page)
    if (path === 'chaos') await button(page, command).click()
    else {
      await page.keyboard.press('/')
      await page.keyboard.type(command)
      await see(page, '.palette [aria-selected=true] .palette-title', command)
      await page.keyboard.press('Enter')
    }
    const dialog = page.locator('dialog[open]:not(.palette)')
    const field = dialog.getByLabel(label)
    await field.fill(text)
    if (path === 'chaos') await dialog.getByLabel('Slow: Rate').fill('5%')
    await dialog.locator('[type=submit]').click()
    await see(dialog, 'td:has([aria-invalid]) [role=alert]', error)
    expect(await field.getAttribute('aria-invalid')).toBe('true')
  },
)

test('a dialog stays open when the browser reports late that the one before it has closed', async () => {
  const page = await look(await start(), '#/snapshots')
  await live(page)
  await button(page, 'New workspace').click()
  const before = await page.locator('dialog[open]').elementHandle()
  await page.keyboard.press('Escape')
  await button(page, 'Save a snapshot').click()
  await see(page, 'dialog[open] h2', 'Save a snapshot')
  await before?.evaluate((dialog) => dialog.dispatchEvent(new Event('close')))
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
  expect(await page.locator('dialog[open] h2').allTextContents()).toEqual(['Save a snapshot'])
})

test('a credential keeps the webhook URL of the sandbox when its form is saved, and returns to it when its own is emptied', async () => {
  const page = await look(await start({ webhookUrl: 'http://127.0.0.1:9/hooks' }), '#/accounts')
  const sent: unknown[] = []
  page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.postDataJSON()))
  const credential = page.locator('.credential').first()
  const dialog = page.getByRole('dialog')
  for (const [url, shown] of [
    ['', /hooks .*from the settings/],
    ['http://127.0.0.1:9/own', /\/own/],
    ['', /hooks .*from the settings/],
  ] as const) {
    await button(credential, 'Edit credential client_sandbox_merchant').click()
    await see(dialog, '.hint', 'If empty, they go to the URL of the sandbox: http://127.0.0.1:9/hooks')
    await dialog.getByLabel(/^Webhook URL/).fill(url)
    await button(dialog, 'Save').click()
    await dialog.waitFor({ state: 'detached' })
    await see(page, '.credential:first-child', shown)
  }
  expect(sent.map((body) => Object(body).postback_url)).toEqual([undefined, 'http://127.0.0.1:9/own', null])
})

test('the keyboard alone arms and disarms a scenario from its row, where the focus stays', async () => {
  const page = await look(await start(), '#/scenarios')
  await live(page)
  const focused = (name: RegExp) => page.locator(':focus', { hasText: name }).waitFor()
  await page.getByRole('button', { name: 'Arm lost-answer' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('dialog:modal [name=times]').waitFor()
  await page.keyboard.press('Control+Enter')
  await focused(/^Disarm$/)
  await page.keyboard.press('Enter')
  await focused(/^Arm$/)
})
