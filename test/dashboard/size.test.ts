/** The page stays light. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'

beforeAll(async () => {
  await built()
})

const folder = join(import.meta.dirname, '../../dist/dashboard')
const unpacked = (name: string) => brotliDecompressSync(readFileSync(join(folder, `${name}.br`)))
const bytesOf = (name: string) => gzipSync(unpacked(name)).length

test('the first load of the dashboard is at most 150 KB in every language, compressed, of which the script is at most 85', () => {
  const bytes = [
    ...['app.js', 'chunk.js', 'brand.css', 'style.css'].map(bytesOf),
    ...['index.html', 'icon.svg'].map((name) => readFileSync(join(folder, name)).length),
  ]
  const common = bytes.reduce((sum, one) => sum + one, 0)
  expect(bytes[0]).toBeLessThanOrEqual(85 * 1024)
  for (const names of [[], ['en.js', 'pt.js'], ['en.js', 'es.js']])
    expect(names.map(bytesOf).reduce((sum, one) => sum + one, common)).toBeLessThanOrEqual(150 * 1024)
})

test('the editor of scenarios, which is loaded when it is needed, is at most 130 KB, compressed', () => {
  expect(bytesOf('editor.js')).toBeLessThanOrEqual(130_000)
})
