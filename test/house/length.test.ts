/** Limits for the length of texts, so that a reader gets through them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { run } from '../support/program.js'

beforeAll(async () => void (await built()))

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
/** Counts like `wc -w`. */
const wordsIn = (text: string): number => text.split(/\s+/).filter(Boolean).length
const withoutCode = (text: string): string => text.replace(/^```.*\n[\s\S]*?^```$/gm, '')
const withoutTables = (text: string): string => text.replace(/^\|.*$/gm, '')

const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.md'),
)
const texts = pages.map((name) => read(join('docs', name)))

test('the README has at most 900 words outside code', () => {
  expect(wordsIn(withoutCode(read('README.md')))).toBeLessThanOrEqual(900)
})

test('docs has at most 45,000 words, of which at most 14,000 are outside tables and code', () => {
  const sum = (count: (text: string) => number) => texts.map(count).reduce((one, other) => one + other, 0)
  expect(sum(wordsIn)).toBeLessThanOrEqual(45_000)
  expect(sum((text) => wordsIn(withoutTables(withoutCode(text))))).toBeLessThanOrEqual(14_000)
})

test('the help of start fits one screen of 30 lines', async () => {
  const { code, stdout } = await run(['start', '--help'])
  expect(code).toBe(0)
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(30)
})

test('code and tables are left out of the count, and the words around them are not', () => {
  const page = 'one two\n\n```sh\nnot counted\n```\n\n| not | counted |\n|---|---|\n\nthree\n'
  expect(wordsIn(withoutTables(withoutCode(page)))).toBe(3)
})
