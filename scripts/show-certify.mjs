/** Makes the picture of docs/certify.md from a real run: an animated terminal. Run `node scripts/show-certify.mjs` after a build. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { bundled, folder, pathOf } from './bundled.mjs'
import { terminalPicture } from './terminal-picture.mjs'

/** Starts the reference receiver with one fault that prevents no other check: a late expiry takes back a payment. */
async function openFaulty() {
  const source = readFileSync(pathOf('examples/receiver.mjs'), 'utf8')
  const faulty = source.replace('{ expired: true }', '{ expired: true, credited: 0n }')
  if (faulty === source) throw new Error('examples/receiver.mjs has changed; adapt the fault to it')
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

const { startSandbox } = await import(pathToFileURL(pathOf('dist/index.js')))
const sandbox = await startSandbox()
const server = await openFaulty()
try {
  writeFileSync(
    pathOf('docs/images/certify-terminal.svg'),
    terminalPicture(command, await record(sandbox), (await bundled('scripts/brand.ts')).colors),
  )
} finally {
  server.close()
  server.closeAllConnections()
  await sandbox.close()
}
