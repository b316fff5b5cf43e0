/** `npm run recordings:add`, in a copy of the repository: masks a recording of the platform, and updates figures and states. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { recordingsIndex } from '../../src/protocol/platform/fidelity.js'
import { built } from '../support/built.js'
import { copyOfSource, runIn, startCopy } from '../support/copied-source.js'
import { temporaryFolder } from '../support/folder.js'
import { root } from '../support/packed.js'
import { run, startHereForTest } from '../support/program.js'

beforeAll(async () => void (await built()))

/** Passes calls on, and shows the fee of a charge as text, which the documentation does not allow. */
async function openDeviatingPlatform(settings: string): Promise<{ url: string; credential: string[] }> {
  const config = join(temporaryFolder(), 'platform.yaml')
  writeFileSync(config, settings)
  const sandbox = await startHereForTest(['--config', config])
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers
    const passed = await fetch(`${sandbox.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      body: request.method === 'GET' ? null : Buffer.concat(chunks),
    })
    const text = await passed.text()
    const isCharge = request.url === '/v2/transactions/cashin'
    const { 'content-length': _size, ...answered } = Object.fromEntries(passed.headers)
    response.writeHead(passed.status, answered)
    response.end(isCharge ? text.replace(/"fee":([\d.]+)/, '"fee":"$1"') : text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const [account] = sandbox.ready.accounts
  const [{ client_id, client_secret, signing_key } = { client_id: '', client_secret: '', signing_key: '' }] =
    account?.credentials ?? []
  const credential = ['--client-id', client_id, '--client-secret', client_secret, '--signing-key', signing_key]
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, credential }
}

test('a recording of a deviating platform changes the figures and the states of assumptions everywhere', async () => {
  const { url, credential } = await openDeviatingPlatform('below_minimum: INVALID_AMOUNT\n')
  const file = join(temporaryFolder(), 'platform.har')
  const env = { PAYMENTS_SANDBOX_STATE_FOLDER: temporaryFolder() }
  const probed = await run(['probe', '--target', url, ...credential, '--money', 'small', '--out', file], { env })
  expect(probed.code, probed.stderr).toBe(1)

  const folder = copyOfSource()
  cpSync(join(root, 'docs'), join(folder, 'docs'), { recursive: true })
  expect(runIn(folder, 'scripts/recordings-add.mjs', file, '--name', 'first-run')).toContain('added first-run')
  const { recordings } = recordingsIndex().parse(
    JSON.parse(readFileSync(join(folder, 'recordings/index.json'), 'utf8')),
  )
  const [row] = recordings
  expect(row).toMatchObject({ name: 'first-run', visible_to: 'everyone', documentation: { version: '2' } })
  expect(row?.differs).toEqual(['below_minimum', 'charge-fee'])
  expect(readFileSync(join(folder, 'recordings/first-run.har'), 'utf8')).not.toContain(credential[3])

  runIn(folder, 'build.mjs')
  const answer = await (await fetch(`${await startCopy(folder)}/_sandbox/fidelity`)).json()
  const stateOf = (name: string) => answer.assumptions.find((one: { name: string }) => one.name === name)
  const shown = { recording: 'first-run', date: row?.date }
  expect(stateOf('below_minimum')).toEqual({ name: 'below_minimum', state: 'refuted', ...shown })
  expect(stateOf('error_groups')).toEqual({ name: 'error_groups', state: 'confirmed', ...shown })
  expect(stateOf('dispute_deadline')).toEqual({ name: 'dispute_deadline', state: 'assumed' })
  expect(answer.divergence.limits.differs).toBe(1)
  expect(answer.divergence.core.differs).toBe(1)
  expect(answer.divergence.errors).toEqual({ differs: 0, of: expect.any(Number) })
  const page = readFileSync(join(folder, 'docs/fidelity.md'), 'utf8')
  expect(page.split('\n')[2]).toMatch(/^Recordings up to \d{4}-\d\d-\d\d show that 2 of \d+ differ/)
  expect(page).toContain(`\`below_minimum\` (refuted on ${row?.date} by first-run)`)
  expect(readFileSync(join(folder, 'docs/assumptions.md'), 'utf8')).toContain(`(refuted on ${row?.date} by first-run)`)
})

test('a private recording leaves only its results, and a file that is not a recording leaves nothing', async () => {
  const folder = copyOfSource()
  cpSync(join(root, 'docs'), join(folder, 'docs'), { recursive: true })
  const file = join(folder, 'my.har')
  const call = (name: string) => ({
    startedDateTime: '2026-11-21T15:00:00.000Z',
    request: {
      method: 'GET',
      url: 'https://api.platform.example/v2/account/balance',
      headers: [{ name, value: 'my-own-secret-token' }],
    },
    response: { status: 503, headers: [], content: { text: '' } },
  })
  writeFileSync(file, JSON.stringify({ log: { version: '1.2', entries: [call('Authorization')] } }))
  runIn(folder, 'scripts/recordings-add.mjs', file, '--private')
  const index = readFileSync(join(folder, 'recordings/index.json'), 'utf8')
  expect(recordingsIndex().parse(JSON.parse(index)).recordings[0]).toMatchObject({
    name: '2026-11-21',
    visible_to: 'maintainers',
  })
  expect(index).not.toContain('my-own-secret-token')
  expect(readdirSync(join(folder, 'recordings')).filter((name) => name.endsWith('.har'))).toEqual([])
  writeFileSync(file, '{"log":{"version":"1.2","entries":[]}}')
  expect(() => runIn(folder, 'scripts/recordings-add.mjs', file)).toThrow('the recording was not added')
  expect(readFileSync(join(folder, 'recordings/index.json'), 'utf8')).toBe(index)
})

test('the index of recordings fits its schema, and every public recording has its file', () => {
  const { recordings } = recordingsIndex().parse(JSON.parse(readFileSync(join(root, 'recordings/index.json'), 'utf8')))
  const files = readdirSync(join(root, 'recordings')).filter((name) => name.endsWith('.har'))
  const named = recordings.flatMap(({ name, visible_to: who }) => (who === 'everyone' ? [`${name}.har`] : []))
  expect(files.sort()).toEqual(named.sort())
})
