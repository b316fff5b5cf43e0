/** The page stays light. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'

beforeAll(async () => {
  await built()
})

test("the dashboard's script is at most 80 KB, compressed", () => {
  const script = brotliDecompressSync(readFileSync(join(import.meta.dirname, '../../dist/dashboard/app.js.br')))
  expect(gzipSync(script).length).toBeLessThanOrEqual(80 * 1024)
})
