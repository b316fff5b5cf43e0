/** The page stays light. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'

beforeAll(async () => {
  await built()
  const together = brotliDecompressSync(readFileSync(join(folder, 'pages.br')))
    .toString()
    .split('\0')
  pages = Object.fromEntries(together.map((file) => file.split(/\n(.*)/s)))
})

const folder = join(import.meta.dirname, '../../dist/dashboard')
let pages: Readonly<Record<string, string>> = {}
const textOf = (name: string) => pages[name] ?? readFileSync(join(folder, name), 'utf8')
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
const scriptOf = (language: string) => Object.keys(pages).find((name) => name.startsWith(`${language}-`)) ?? language

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
