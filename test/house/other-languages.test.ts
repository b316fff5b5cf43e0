/** The page for other languages: its commands and its Python code run unchanged from top to bottom. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { temporaryFolder } from '../support/folder.js'
import { freePort } from '../support/free-port.js'
import { ended, launchShell, startHere } from '../support/program.js'
import { requireTools } from '../support/tools.js'

const page = readFileSync(new URL('../../docs/other-languages.md', import.meta.url), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code = '']) => code)

beforeAll(async () => {
  await built()
})

test('the commands of the page for other languages work one after the other', async (context) => {
  requireTools(context, 'curl')
  const port = await freePort()
  // The program is stopped even if a command fails.
  const script = `set -eu\ntrap 'kill $SANDBOX_PID 2>/dev/null || true' EXIT\n${blocks('sh').join('\necho\n')}`
  const child = launchShell(script.replaceAll('4010', String(port)), { cwd: temporaryFolder() })
  const { code, stdout, stderr } = await ended(child)
  expect(code, stdout + stderr).toBe(0)
  for (const reported of [
    '"status":"ok"',
    'client_sandbox_merchant sk_sandbox_merchant_',
    '"external_id": "order-1"',
    '"action":"cashin.pay"',
    '"status":"delivered"',
    '"signature_valid":true',
    '"event":"cashin.expired"',
    '"name":"ready"',
    `"base_url":"http://127.0.0.1:${port}/w/worker-1"`,
    `export PAYMENTS_SANDBOX_URL='http://127.0.0.1:${port}/w/worker-1'`,
  ])
    expect(stdout).toContain(reported)
})

test('the Python test case of the page for other languages passes', async (context) => {
  requireTools(context, 'python3')
  const { ready, url, stop } = await startHere(['--clock', 'manual'])
  const [credential] = ready.accounts[0]?.credentials ?? []
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'payments.py'), blocks('python')[0] ?? '')
  const env = {
    PAYMENTS_SANDBOX_URL: url,
    PAYMENTS_SANDBOX_CLIENT_ID: credential?.client_id ?? '',
    PAYMENTS_SANDBOX_CLIENT_SECRET: credential?.client_secret ?? '',
    PAYMENTS_SANDBOX_SIGNING_KEY: credential?.signing_key ?? '',
  }
  const { code, stderr } = await ended(launchShell('python3 payments.py', { cwd: folder, env }))
  expect(await stop()).toBe(0)
  expect(code, stderr).toBe(0)
  expect(stderr).toContain('Ran 2 tests')
})
