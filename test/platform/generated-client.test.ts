/** A client that a common generator creates from the OpenAPI document compiles strictly and calls both APIs. */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import { fetchPackage } from '../../scripts/fetch.mjs'
import { openWithReceivers } from '../support/sandbox.js'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'generated-client-'))
afterAll(() => rmSync(folder, { recursive: true }))
const node = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: folder })

test('a generated client compiles and drives both APIs', async () => {
  const sandbox = await openWithReceivers()
  const document = (await sandbox.control('GET', '/openapi.json')).text
  writeFileSync(join(folder, 'openapi.json'), document)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  cpSync(join(import.meta.dirname, '../support/generated-client.ts'), join(folder, 'client.ts'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        ...{ strict: true, noUncheckedIndexedAccess: true, noEmit: true, target: 'es2023', module: 'nodenext' },
        ...{ lib: ['es2023', 'dom'], types: ['node'], skipLibCheck: false },
      },
      files: ['client.ts'],
    }),
  )
  const generator = join(fetchPackage('openapi-typescript', '7.13.0', 'typescript@5.9.3'), 'bin/cli.js')
  await node(generator, 'openapi.json', '-o', 'schema.d.ts')
  const { stdout: mistakes } = await node(
    join(root, 'node_modules/typescript7/bin/tsc'),
    '--singleThreaded',
    '-p',
    '.',
  ).catch((error: { stdout: string }) => error)
  expect(mistakes).toBe('')
  const entry = join(folder, 'client.ts')
  const outfile = join(folder, 'client.js')
  await build({ entryPoints: [entry], outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20' })
  const { stdout } = await node('client.js', sandbox.url)
  expect(JSON.parse(stdout)).toEqual({
    code: '000201',
    status: 'confirmed',
    event: 'cashin.confirmed',
    onlyDelivered: true,
    listed: 1,
    allowed: ['cashin.refund', 'dispute.open'],
    payer: { name: null, document: null },
    refusal: 'NOT_FOUND',
    gone: 204,
  })
})
