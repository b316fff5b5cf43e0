/** Every page in every state that is looked at in pictures: address, world, and what is done before. */
import type { Page } from 'playwright-core'
import { button, see } from '../page.js'
import type { Shown, WorldName } from './worlds.js'

export interface State {
  /** The name of its pictures. */
  name: string
  world: WorldName
  path(ids: Record<string, string>): string
  /** Default: nothing. */
  prepare?(page: Page, shown: Shown): Promise<unknown>
  /** Shows only the window, since what is looked at lies over the page. */
  isOverlay?: boolean
}

const view = (world: WorldName, name: string, prepare?: State['prepare']): State => ({
  name: `${world}-${name === '' ? 'overview' : name.replaceAll(/[/?=]/g, '-')}`,
  world,
  path: () => `#/${name}`,
  ...(prepare === undefined ? {} : { prepare }),
})

/** A view of one object. */
const object = (world: WorldName, name: string, path: string, id: string): State => ({
  name: `${world}-${name}`,
  world,
  path: (ids) => `#/${path}/${ids[id]}`,
})

const overlay = (name: string, path: State['path'], prepare: State['prepare']): State => ({
  name: `overlay-${name}`,
  world: 'full',
  path,
  ...(prepare === undefined ? {} : { prepare }),
  isOverlay: true,
})

const lists = ['', 'transactions', 'wallets', 'disputes', 'accounts', 'accounts/merchant', 'webhooks', 'requests']
const integration = ['inbox', 'certify', 'certify/client', 'certify/books', 'compare']
const control = ['scenarios', 'scenarios/med-dispute-lost', 'editor', 'chaos', 'clock', 'snapshots', 'settings']
const creations = ['new/charge', 'new/withdrawal', 'new/transfer', 'new/conversion', 'new/wallet']
const everyView = [...lists, ...integration, ...control]

const transactions = {
  paid: 'paid',
  waiting: 'waiting',
  crypto: 'crypto',
  cryptoPaid: 'cryptoPaid',
  spei: 'spei',
  expired: 'expired',
  refunded: 'refunded',
  cashout: 'cashout',
  failed: 'failed',
  transfer: 'transfer',
  conversion: 'conversion',
}

const certified = async (page: Page, shown: Shown) => {
  await page.getByLabel('Receiver URL').fill(`${shown.sandbox.url}/_sandbox/inbox/believes-all`)
  await button(page, 'Certify').click()
  await see(page, '.view-head .pill', 'Failed')
}

const loaded = async (page: Page, shown: Shown) => {
  await page.getByLabel('Receiver URL').fill(`${shown.sandbox.url}/_sandbox/inbox/busy`)
  await page.getByText('Load test').click()
  await page.getByLabel('Rate').fill('20/s')
  await page.getByLabel('Duration').fill('3s')
  await button(page, 'Run the load test').click()
  await page.locator('.facts dt[title="acknowledgement"]').waitFor()
}

const clientObserved = async (page: Page, { sandbox }: Shown) => {
  await button(page, 'Check new calls').click()
  await button(page, 'Stop and judge').waitFor()
  await sandbox.client().cashin({ amount: 25.5, currency: 'BRL' })
  await see(page, '[role=status]', /[1-9] calls? of your app/)
  await button(page, 'Stop and judge').click()
  await see(page, '.view-head .pill', 'Failed')
}

const ledgerCertified = async (page: Page) => {
  const text = 'id,type,currency,amount\ntx_unknown,charge,BRL,10.00\n'
  await page.getByLabel('Ledger').setInputFiles({ name: 'ledger.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await button(page, 'Certify').click()
  await see(page, '.view-head .pill', 'Failed')
}

const compared = async (page: Page, { recording }: Shown) => {
  await page.getByLabel('Recording').setInputFiles(recording)
  await see(page, 'summary', 'Confirmed assumptions')
}

/** Six charges, of which five are paid: an inbox with several events. */
const inboxFilled = async (page: Page, { sandbox }: Shown) => {
  const url = `${sandbox.url}/_sandbox/inbox/main`
  for (const amount of [12, 13.5, 14, 150, 16]) {
    const { transaction_id: id } = await sandbox.client().cashin({ amount, currency: 'BRL', postback_url: url })
    await sandbox.trigger('cashin.pay', { id })
  }
  await sandbox.clock.advance('1s')
  await page.locator('tbody tr.data').nth(4).waitFor()
}

const chaotic = async (page: Page, { sandbox }: Shown) => {
  await button(page, 'Chaos rough').click()
  await see(page, 'tbody tr', 'dropped_response')
  for (let count = 0; count < 30; count++)
    await sandbox
      .client()
      .cashin({ amount: 10, currency: 'BRL' })
      .catch(() => undefined)
}

const press = (keys: string) => async (page: Page) => {
  for (const key of keys.split(' ')) await page.keyboard.press(key)
}

const here = () => '#/'

const overlays: State[] = [
  overlay('palette', here, press('/')),
  overlay('palette-found', here, async (page) => {
    await page.keyboard.press('/')
    await page.keyboard.type('maria')
    await see(page, 'dialog [role=option]', /Maria/)
  }),
  overlay('help', here, press('?')),
  overlay('clock', here, (page) => page.getByRole('button', { name: /^Clock:/ }).click()),
  overlay(
    'pay-form',
    ({ crypto }) => `#/transactions/${crypto}`,
    async (page) => {
      await page.getByRole('button', { name: 'Pay with parameters' }).click()
      await page.getByLabel(/^Amount/).fill('a lot')
      await page.getByRole('dialog').getByRole('button', { name: 'Pay', exact: true }).click()
      await page.getByRole('alert').waitFor()
    },
  ),
  overlay(
    'dispute-form',
    ({ dispute }) => `#/disputes/${dispute}`,
    (page) =>
      page
        .getByRole('button', { name: /^Reply/ })
        .first()
        .click(),
  ),
  overlay(
    'reset-form',
    () => '#/snapshots',
    (page) =>
      page
        .getByRole('button', { name: /^Reset/ })
        .first()
        .click(),
  ),
  overlay(
    'chaos-form',
    () => '#/chaos',
    (page) => button(page, 'Set faults').click(),
  ),
  overlay(
    'toast',
    ({ crypto }) => `#/transactions/${crypto}`,
    async (page) => {
      await page.getByRole('button', { name: 'Copy the transaction id' }).click()
      await page.locator('.toast').waitFor()
    },
  ),
  overlay('selected', () => '#/webhooks', press('j x j x')),
  overlay(
    'charge-error',
    () => '#/new/charge',
    async (page) => {
      await page.getByLabel(/^Amount/).fill('0.001')
      await button(page, 'Create').click()
      await page.locator('.field [role=alert], .failure').first().waitFor()
    },
  ),
]

const paymentStates = [
  ...['waiting', 'paid', 'expired', 'refunded', 'pixRefunded'],
  ...['spei', 'speiPaid', 'speiExpired', 'speiRefunded'],
  ...['crypto', 'cryptoPaid', 'cryptoExpired', 'cryptoRefunded'],
]
const paymentPages: State[] = (['pt', 'es', 'en'] as const).flatMap((lang) =>
  paymentStates.map((id) => ({
    name: `pay-${id}-${lang}`,
    world: 'full' as const,
    path: (ids: Record<string, string>) => `pay/${ids[id]}?lang=${lang}`,
  })),
)

export const states: readonly State[] = [
  ...everyView.map((name) => view('full', name)),
  ...creations.map((name) => view('full', name)),
  view('full', 'webhooks?status=failed'),
  view('full', 'nowhere'),
  ...Object.keys(transactions).map((id) => object('full', `transaction-${id}`, 'transactions', id)),
  object('full', 'wallet', 'wallets', 'wallet'),
  object('full', 'dispute', 'disputes', 'dispute'),
  object('full', 'webhook', 'webhooks', 'webhook'),
  object('full', 'request', 'requests', 'request'),
  object('full', 'request-unsigned', 'requests', 'unsigned'),
  object('full', 'run', 'runs', 'run'),
  { name: 'full-api', world: 'full', path: () => '_sandbox/docs' },
  ...overlays,
  ...paymentPages,
  ...everyView.map((name) => view('empty', name)),
  ...everyView.map((name) => view('loading', name)),
  ...everyView.map((name) => view('error', name)),
  ...lists.map((name) => view('texts', name)),
  object('texts', 'transaction', 'transactions', 'text1'),
  object('texts', 'transaction-long', 'transactions', 'text3'),
  object('texts', 'dispute', 'disputes', 'dispute'),
  object('texts', 'wallet', 'wallets', 'wallet'),
  object('texts', 'webhook', 'webhooks', 'webhook'),
  view('texts', 'snapshots'),
  { name: 'texts-pay', world: 'texts', path: ({ waiting }) => `pay/${waiting}?lang=pt` },
  { name: 'texts-pay-paid', world: 'texts', path: ({ text3 }) => `pay/${text3}?lang=pt` },
  ...lists.map((name) => view('many', name)),
  // These change the world, so they come last.
  { ...view('full', 'inbox/main', inboxFilled), name: 'full-inbox-filled' },
  { ...view('full', 'certify', certified), name: 'full-certify-results' },
  { ...view('full', 'certify', loaded), name: 'full-certify-load' },
  { ...view('full', 'certify/client', clientObserved), name: 'full-certify-client-results' },
  { ...view('full', 'certify/books', ledgerCertified), name: 'full-certify-books-results' },
  { ...view('full', 'compare', compared), name: 'full-compare-results' },
  { ...view('full', 'chaos', chaotic), name: 'full-chaos-rough' },
]
