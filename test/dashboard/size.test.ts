/** The page stays light. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'

beforeAll(async () => {
  await built()
})

test("the dashboard's script is at most 80 KB, compressed", () => {
  const script = readFileSync(join(import.meta.dirname, '../../dist/dashboard/app.js'))
  expect(gzipSync(script).length).toBeLessThanOrEqual(80 * 1024)
})
