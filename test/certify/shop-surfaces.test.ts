/** Shops in Node and Python use the statement, books, load, chaos and client from the command line, the library, the page and HTTP. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { certifyBooks, certifyClient, certifyReceiver } from '../../src/testing/index.js'
import { built } from '../support/built.js'
import { button, grouped, live, look, see } from '../support/dashboard.js'
import { figure } from '../support/figures.js'
import { closeAfter } from '../support/hooks.js'
import { run, runProcess } from '../support/program.js'
import { openShop, type Shop, type ShopLanguage } from '../support/shops.js'
import { requireTools } from '../support/tools.js'

/** The faults that the mistakes of the wrong shop meet. The seed is one with which the first payout meets one. */
const faults = { seed: '3', dropped_response: '25%', duplicate: '30%' }
const wrongBugs = 'new-id,twice'

interface Case {
  shop: Shop
  page: Page
  isRight: boolean
}
interface Judged {
  verdict: string
  rules: readonly { id: string; result: string }[]
}

const failed = ({ rules }: Judged) => rules.filter(({ result }) => result === 'failed').map(({ id }) => id)

const postControl = async ({ sandbox }: Shop, path: string, body: string, type = 'application/json') => {
  const answer = await fetch(`${sandbox.url}/_sandbox${path}`, {
    method: 'POST',
    headers: { 'Content-Type': type },
    body,
  })
  const text = await answer.text()
  expect(answer.status, text.slice(0, 300)).toBe(200)
  return JSON.parse(text)
}

const goTo = async (page: Page, hash: string) => {
  await page.evaluate((next) => {
    location.hash = next
  }, hash)
}

const verdictShown = (page: Page, isRight: boolean) => see(page, '.view-head .pill', isRight ? 'Passed' : 'Failed')

/** Sets chaos from everywhere; what one of them sets, another one reads. */
async function setChaos({ shop: { sandbox }, page }: Case): Promise<void> {
  const cli = (...args: string[]) => run(['chaos', ...args, '--url', sandbox.url, '--json'])
  await goTo(page, '#/chaos')
  await button(page, 'Chaos gentle').click()
  await see(page, 'tbody tr', 'dropped_response')
  expect(await sandbox.chaos.read()).toMatchObject({ error: '1%' })
  await sandbox.chaos.set({ duplicate: '30%', seed: '3' })
  expect(JSON.parse((await cli()).stdout)).toEqual({ duplicate: '30%', seed: '3' })
  expect((await cli('set', 'dropped_response=25%')).code).toBe(0)
  const url = `${sandbox.url}/_sandbox/chaos`
  expect(await (await fetch(url)).json()).toEqual(faults)
  const headers = { 'Content-Type': 'application/json' }
  expect((await fetch(url, { method: 'PUT', headers, body: JSON.stringify(faults) })).status).toBe(200)
  await see(page, 'tbody tr', '25%')
}

/** The shop runs for a day; library, page and HTTP judge the same calls. */
async function certifyTheClient({ shop, page, isRight }: Case): Promise<void> {
  const { sandbox, day } = shop
  await goTo(page, '#/certify/client')
  await button(page, 'Check new calls').click()
  await button(page, 'Stop and judge').waitFor()
  const wrong = isRight ? [] : ['repeat.same']
  expect(failed(await certifyClient(day, { sandbox })), 'library').toEqual(wrong)
  expect(failed(await postControl(shop, '/certify/client', '{"account":"merchant"}')), 'HTTP').toEqual(wrong)
  await button(page, 'Stop and judge').click()
  await verdictShown(page, isRight)
  await sandbox.chaos.off()
}

async function compareStatement({ shop, page, isRight }: Case): Promise<void> {
  const { sandbox, ledgerFile } = shop
  const path = '/_sandbox/accounts/merchant/statement?currency=BRL&format=csv'
  const cli = await run(['account', 'statement', 'merchant', '--currency', 'BRL', '--csv', '--url', sandbox.url])
  const statement = await sandbox.statement('merchant', { currency: 'BRL' })
  await goTo(page, '#/accounts/merchant?currency=BRL')
  await see(page, '.panel', grouped(statement.closing))
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Download CSV').click()])
  const texts = {
    'command line': cli.stdout,
    library: JSON.stringify(statement),
    HTTP: await (await fetch(sandbox.url + path)).text(),
    page: readFileSync(await download.path(), 'utf8'),
  }
  expect(readFileSync(ledgerFile, 'utf8')).toContain('charge')
  for (const [name, text] of Object.entries(texts))
    expect((await shop.run('compare', text)).stdout, name).toMatch(
      isRight ? /^the books agree\n/ : /^the books differ by/,
    )
}

async function certifyTheBooks({ shop, page, isRight }: Case): Promise<void> {
  const { sandbox, ledgerFile } = shop
  const csv = readFileSync(ledgerFile, 'utf8')
  const cli = await run(['certify', 'books', ledgerFile, '--sandbox', sandbox.url, '--json'])
  const reports: Record<string, Judged> = {
    'command line': JSON.parse(cli.stdout),
    library: await certifyBooks(csv, { sandbox }),
    HTTP: await postControl(shop, '/certify/books', csv, 'text/csv'),
  }
  // The payment that is booked twice comes with its fee row: one cause, one mistake.
  for (const [name, report] of Object.entries(reports))
    expect(failed(report), name).toEqual(isRight ? [] : ['entry.missing', 'entry.once'])
  expect(cli.code).toBe(isRight ? 0 : 1)
  await goTo(page, '#/certify/books')
  await page.getByLabel('Ledger').setInputFiles(ledgerFile)
  await button(page, 'Certify').click()
  await verdictShown(page, isRight)
}

async function certifyLoad({ shop, page, isRight }: Case): Promise<void> {
  const { sandbox } = shop
  const origin = await shop.serve()
  const [url, stateUrl] = [`${origin}/webhooks`, `${origin}/state`]
  const load = { rate: '100/s', for: '1s' }
  const flags = ['--url', url, '--state-url', stateUrl, '--load', load.rate, '--for', load.for]
  const cli = await run(['certify', 'receiver', ...flags, '--sandbox', sandbox.url, '--json'])
  const reports: Record<string, Judged> = {
    'command line': JSON.parse(cli.stdout),
    library: await certifyReceiver({ url, stateUrl, load, sandbox }),
    HTTP: await postControl(shop, '/certify/receiver', JSON.stringify({ url, state_url: stateUrl, load })),
  }
  // In a load of a second, a busy machine delays more answers than load.soon allows.
  for (const [name, report] of Object.entries(reports))
    expect(
      failed(report).filter((id) => id !== 'load.soon'),
      name,
    ).toEqual(isRight ? [] : ['load.once'])
  await goTo(page, '#/certify')
  await page.getByLabel('Receiver URL').fill(url)
  await page.getByLabel('State URL').fill(stateUrl)
  await page.getByText('Load test').click()
  await page.getByLabel('Rate').fill(load.rate)
  await page.getByLabel('Duration').fill(load.for)
  await button(page, 'Run the load test').click()
  await verdictShown(page, isRight)
}

/** The command line and the library open a sandbox of their own for each run. */
async function certifyUnderChaos({ shop: { day, ledgerFile }, isRight }: Case): Promise<void> {
  const options = { chaos: faults, runs: 2, seed: 3, getBooks: () => readFileSync(ledgerFile, 'utf8') }
  const { chaos, ...report } = await certifyClient(day, options)
  expect(failed(report)).toEqual(isRight ? [] : ['chaos.once', 'chaos.books'])
  for (const failure of chaos?.failures ?? []) expect(failure.faults.length).toBeLessThanOrEqual(2)
  const { code, stdout } = await runProcess(['certify', 'client', '--observe', '--json', '--', ...day])
  expect([code, JSON.parse(stdout).verdict]).toEqual([0, 'passed'])
}

beforeAll(built)

const cases: { language: ShopLanguage; kind: 'correct' | 'wrong' }[] = [
  { language: 'node', kind: 'wrong' },
  { language: 'python', kind: 'correct' },
  { language: 'node', kind: 'correct' },
  { language: 'python', kind: 'wrong' },
]

test.for(cases.slice(0, figure(2, cases.length)))(
  'the $kind shop in $language gets the same results from the command line, the library, the page and HTTP',
  async ({ language, kind }, context) => {
    if (language === 'python') requireTools(context, 'python3')
    const isRight = kind === 'correct'
    const shop = await openShop(language, { bugs: isRight ? '' : wrongBugs, hours: figure(1, 8) })
    closeAfter(() => shop.sandbox.close())
    const page = await look(shop.sandbox, '#/chaos')
    await live(page)
    const one: Case = { shop, page, isRight }
    await setChaos(one)
    await certifyTheClient(one)
    await compareStatement(one)
    await certifyTheBooks(one)
    // A wrong state is read again for three seconds each time.
    if (figure(isRight, true)) await certifyLoad(one)
    if (figure(false, true)) await certifyUnderChaos(one)
  },
)
