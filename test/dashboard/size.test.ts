/** The page stays light. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'

beforeAll(async () => {
  await built()
})

const bytesOf = (name: string) => {
  const script = brotliDecompressSync(readFileSync(join(import.meta.dirname, `../../dist/dashboard/${name}.js.br`)))
  return gzipSync(script).length
}

test("the dashboard's script is at most 80 KB, compressed", () => {
  expect(bytesOf('app')).toBeLessThanOrEqual(80 * 1024)
})

test('the editor of scenarios, which is loaded when it is needed, is at most 130 KB, compressed', () => {
  expect(bytesOf('editor')).toBeLessThanOrEqual(130_000)
})
