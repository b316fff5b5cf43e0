/** Collections for Postman and Bruno: they contain every endpoint and replace only files of the same kind. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { endpointNames, endpoints } from '../../src/protocol/platform/endpoints.js'
import { temporaryFolder } from '../support/folder.js'
import { run } from '../support/program.js'
import { openSandbox } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'

let url = ''
beforeEach(async () => {
  url = (await openSandbox()).url
})

const collection = (format: string, out: string, ...more: string[]) =>
  run(['collection', '--format', format, '--out', out, '--url', url, ...more])

const paths = [...new Set(endpointNames.map((name) => endpoints[name].path))].sort()

interface Item {
  name: string
  item?: Item[]
  event?: { listen: string; script: { exec: string[] } }[]
  request?: { method: string; url: { raw: string }; body?: { raw?: string } }
}

const callsIn = (items: readonly Item[]): Item[] => items.flatMap((item) => (item.item ? callsIn(item.item) : [item]))

test('a Postman collection has every endpoint, and signs those that require a signature', async () => {
  const file = join(temporaryFolder(), 'sandbox.postman_collection.json')
  const { code, stdout } = await collection('postman', file, '--json')
  expect(code).toBe(0)
  const calls = callsIn(JSON.parse(readFileSync(file, 'utf8')).item)
  expect(JSON.parse(stdout)).toMatchObject({
    format: 'postman',
    calls: calls.length,
    files: [file, expect.any(String)],
  })
  const called = calls.map(({ request }) => String(request?.url.raw).replace(/^\{\{base_url\}\}|\?.*$/g, ''))
  expect([...new Set(called)].filter((path) => path.startsWith('/v2')).sort()).toEqual(paths)
  for (const { name, request, event = [] } of calls) {
    const path = String(request?.url.raw).replace('{{base_url}}', '')
    const isSigned = endpointNames.some((one) => endpoints[one].path === path && 'hmac' in endpoints[one])
    expect(
      event.some(({ listen, script }) => listen === 'prerequest' && script.exec.join().includes('X-Signature')),
      name,
    ).toBe(isSigned)
  }
})

test('the environment has the credentials of the account, and only its owner can read it', async () => {
  const folder = temporaryFolder()
  await collection('postman', folder, '--account', 'customer')
  const file = join(folder, 'payments-sandbox.postman_environment.json')
  const { values } = JSON.parse(readFileSync(file, 'utf8'))
  const customer = secretsOf('customer')
  expect(Object.fromEntries(values.map(({ key, value }: { key: string; value: string }) => [key, value]))).toEqual({
    base_url: url,
    client_id: customer.clientId,
    client_secret: customer.clientSecret,
    signing_key: customer.signingKey,
    admin_token: '',
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a Bruno collection is a folder with one file for each call, and replaces an earlier one', async () => {
  const folder = join(temporaryFolder(), 'bruno')
  expect((await collection('bruno', folder)).code).toBe(0)
  const again = await collection('bruno', folder, '--json')
  expect(again.code).toBe(0)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(bru|json)$/.test(file))
  expect(JSON.parse(again.stdout).files).toHaveLength(files.length)
  const called = files.flatMap(
    (file) => /url: \{\{base_url\}\}([^?\n]+)/.exec(readFileSync(join(folder, file), 'utf8'))?.[1] ?? [],
  )
  expect([...new Set(called)].filter((path) => path.startsWith('/v2')).sort()).toEqual(paths)
})

test('a file of another kind is never replaced, and then nothing else is written', async () => {
  const folder = temporaryFolder()
  const environment = join(folder, 'payments-sandbox.postman_environment.json')
  writeFileSync(environment, 'mine')
  const { code, stderr } = await collection('postman', folder)
  expect([code, stderr]).toEqual([1, expect.stringContaining('is not a Postman environment of payments-sandbox')])
  expect(readdirSync(folder)).toEqual(['payments-sandbox.postman_environment.json'])
  expect(readFileSync(environment, 'utf8')).toBe('mine')
})
