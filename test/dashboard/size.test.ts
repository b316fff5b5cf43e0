/** The page stays light. */
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { pageFile } from '../../src/runtime/node/sandbox.js'
import { built } from '../support/built.js'

beforeAll(async () => {
  await built()
})

function textOf(name: string): string {
  const file = pageFile(name)
  if (file === undefined) throw new Error(`${name} is no file of the dashboard`)
  return file.body
}
const bytesOf = (name: string) => gzipSync(textOf(name)).length

/** The script and all that it imports at once. */
function scriptsFrom(name: string, names = new Set<string>()): Set<string> {
  if (names.has(name)) return names
  names.add(name)
  for (const [, imported = ''] of textOf(name).matchAll(/(?:from|import)"\.\/([^"]+)"/g)) scriptsFrom(imported, names)
  return names
}
const sum = (bytes: readonly number[]) => bytes.reduce((total, one) => total + one, 0)
/** The texts of a language, which have a hash in their names. */
const scriptOf = (language: string) =>
  new RegExp(`\\b${language}-[A-Z0-9]+\\.js`).exec([...scriptsFrom('app.js')].map(textOf).join('\n'))?.[0] ?? language

test('the first load of the dashboard is at most 150 KB in every language, compressed, of which scripts are at most 85', () => {
  const scripts = [...scriptsFrom('app.js')]
  expect(scripts.length).toBeGreaterThan(1)
  const scriptBytes = sum(scripts.map(bytesOf))
  const common = sum(['brand.css', 'style.css'].map(bytesOf))
  const plain = sum(['index.html', 'icon.svg'].map((name) => textOf(name).length))
  expect(scriptBytes).toBeLessThanOrEqual(85 * 1024)
  for (const names of [[], ['en', 'pt'], ['en', 'es']])
    expect(scriptBytes + common + plain + sum(names.map(scriptOf).map(bytesOf))).toBeLessThanOrEqual(150 * 1024)
})

test('the editor of scenarios, which is loaded when it is needed, is at most 130 KB, compressed', () => {
  expect(bytesOf('editor.js')).toBeLessThanOrEqual(130_000)
})
