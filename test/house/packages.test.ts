/** The packages for other languages: their generated files are up to date, and they stay small and out of the npm package. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { coordinateFiles } from '../../scripts/packages/coordinates.js'
import { generatedNote } from '../../scripts/packages/data.js'
import { packageFiles } from '../../scripts/packages/index.js'

const root = join(import.meta.dirname, '../..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

/** Largest number of lines of one package without tests, generated files and blank lines. */
const maxLines = 800
const sourceFile = /\.(py|java|go|php)$/
const testFile = /(^|\/)tests?\/|_test\.go$/

test('the generated files of the packages are up to date: `npm run docs` writes them', () => {
  for (const [file, text] of Object.entries(packageFiles())) {
    expect(text).toContain(generatedNote)
    expect(textOf(file), `${file} is stale: run \`npm run docs\``).toBe(text)
  }
})

test('coordinates follow from package.json: `npm run docs` writes them', () => {
  for (const [file, text] of Object.entries(coordinateFiles(root)))
    expect(textOf(file), `${file} is stale: run \`npm run docs\``).toBe(text)
})

test('with another repository nothing keeps the address of the placeholder, except package.json that names it', () => {
  const repository = { type: 'git', url: 'git+https://github.com/Some-Body/payments-sandbox.git' }
  const { 'package.json': ownManifest, ...files } = coordinateFiles(root, { ...manifest, repository })
  const placeholder = new URL(manifest.repository.url.replace('git+', '')).hostname
  expect(ownManifest).toContain('"homepage": "https://github.com/Some-Body/payments-sandbox#readme"')
  expect(Object.keys(files).filter((file) => files[file]?.includes(placeholder))).toEqual([])
  expect(files['packages/go/go.mod']).toMatch(/^module github\.com\/Some-Body\/payments-sandbox\/packages\/go\n/)
  expect(files['packages/java/pom.xml']).toContain('<groupId>io.github.some-body</groupId>')
  expect(files['packages/php/composer.json']).toContain('"name": "some-body/payments-sandbox"')
})

test(`each package has at most ${maxLines} lines that are written by hand`, () => {
  const folders = readdirSync(join(root, 'packages'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name } of folders) {
    const files = readdirSync(join(root, 'packages', name), { recursive: true, encoding: 'utf8' })
    const lines = files
      .filter((file) => sourceFile.test(file) && !testFile.test(file))
      .map((file) => textOf(join('packages', name, file)))
      .filter((text) => !text.includes(generatedNote))
      .flatMap((text) => text.split('\n').filter((line) => line.trim() !== ''))
    expect(lines.length, name).toBeLessThanOrEqual(maxLines)
  }
})

test('the npm package contains only the texts of the packages for other languages', () => {
  expect(manifest.files.filter((pattern) => pattern.startsWith('packages'))).toEqual([
    'packages/*/README.md',
    'packages/*.md',
  ])
})
