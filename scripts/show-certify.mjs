/** Makes the pictures of docs/certify.md from a real run: an animated terminal and the dashboard's page. Run `node scripts/show-certify.mjs` after a build. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { bundled, folder, pathOf } from './bundled.mjs'
import { withPalette } from './palette-png.mjs'
import { terminalPicture } from './terminal-picture.mjs'

/** Starts the reference receiver with one fault that prevents no other check: a late expiry takes back a payment. */
async function openFaulty() {
  const source = readFileSync(pathOf('test/certify/receiver.mjs'), 'utf8')
  const faulty = source.replace('{ expired: true }', '{ expired: true, credited: 0n }')
  if (faulty === source) throw new Error('test/certify/receiver.mjs has changed; adapt the fault to it')
  const file = `${folder}/receiver.mjs`
  writeFileSync(file, faulty)
  const { openReceiver } = await import(pathToFileURL(file))
  const secret = 'whsec_sandbox_merchant_0000000000000000000000000000000000000000'
  writeFileSync(`${folder}/events.jsonl`, '')
  const server = openReceiver({ secret, file: `${folder}/events.jsonl`, production: false }).listen(3000, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const receiver = 'http://localhost:3000'
const command = `payments-sandbox certify receiver --url ${receiver}/webhooks --state-url ${receiver}/state`

/** Runs the command and returns each printed line with its time in milliseconds. */
async function record({ url }) {
  const env = { ...process.env, FORCE_COLOR: '1', PAYMENTS_SANDBOX_URL: url }
  const args = [pathOf('bin/payments-sandbox.js'), ...command.split(' ').slice(1)]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const startedMs = performance.now()
  const lines = []
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts.map((line) => ({ text: line, atMs: Math.round(performance.now() - startedMs) })))
  })
  await once(child, 'close')
  return lines
}

/** Pixels of the neighbouring requirements that the picture shows above and below the failed one. */
const neighbours = 36

async function takePictures(sandbox) {
  const { openBrowser, openPage } = await bundled('test/support/browser.ts')
  const browser = await openBrowser()
  const take = async (colorScheme, file, show) => {
    const { page } = await openPage(browser, sandbox.url, { colorScheme, width: 1360, height: 860 })
    await page.goto(`${sandbox.url}/#/certify`)
    await page.locator('.connection.live').waitFor({ state: 'attached' })
    await page.getByLabel('Receiver URL').fill(`${receiver}/webhooks`)
    await page.getByLabel('State URL').fill(`${receiver}/state`)
    await page.getByRole('button', { name: 'Certify', exact: true }).click()
    const clip = await show(page)
    writeFileSync(pathOf(`docs/images/${file}`), await withPalette(await page.screenshot({ clip })))
    await page.context().close()
  }
  try {
    await take('dark', 'certify-failed-dark.png', async (page) => {
      const failed = page.locator('.messages li', { hasText: 'order.expired-late' })
      await failed.locator('summary').click()
      await failed.locator('.hint-box').waitFor()
      await failed.evaluate((element) => element.scrollIntoView({ block: 'start' }))
      await page.evaluate(() => scrollBy(0, -180))
      const { x, y, width, height } = await failed.boundingBox()
      return { x, y: y - neighbours, width, height: height + 2 * neighbours }
    })
  } finally {
    await browser.close()
  }
}

const { startSandbox } = await import(pathToFileURL(pathOf('dist/index.js')))
const sandbox = await startSandbox()
const server = await openFaulty()
try {
  writeFileSync(
    pathOf('docs/images/certify-terminal.svg'),
    terminalPicture(command, await record(sandbox), (await bundled('src/base/brand.ts')).colours),
  )
  await takePictures(sandbox)
} finally {
  server.close()
  server.closeAllConnections()
  await sandbox.close()
}
