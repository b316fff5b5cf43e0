/** A feature is removed by deleting its folder and its lines in the composition roots: tried on copies of the source. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { expect, test } from 'vitest'
import { copyOfSource, runIn, startCopy } from '../support/copied-source.js'
import { features } from '../support/features.js'
import { root } from '../support/packed.js'

/** The text of a composition root without the lines and list entries of a feature. */
function withoutFeature(text: string, name: string): string {
  const own: string[] = []
  const rest = text.replace(
    new RegExp(`^(import|export|@import)[^'"]*["']\\./${name}/[^'"]*["'];?\\n`, 'gm'),
    (line) => {
      own.push(...(line.match(/\b[A-Za-z]\w+(?=[\s,}])/g) ?? []))
      return ''
    },
  )
  const words = own.filter((word) => !['import', 'export', 'type', 'from'].includes(word))
  if (words.length === 0) return rest
  const entry = new RegExp(`(?<=[\\[{ ])(\\.{3})?(${words.join('|')})(\\([^)]*\\))?(, |(?= ?[\\]}]))`, 'g')
  return rest
    .split('\n')
    .map((line) => (/[[{]/.test(line) ? line.replace(entry, '') : line))
    .join('\n')
}

/** The files that a test file loads, and those that they load, within `test`: types are gone when they run, and some load others later. */
function loadedBy(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file) || !existsSync(file)) return found
  found.add(file)
  const text = readFileSync(file, 'utf8').replaceAll(/^(import|export) type [^;]*? from '[^']*'$/gm, '')
  for (const [, target = ''] of text.matchAll(/(?:from|^import) '(\.[^']+)'/gm)) {
    const path = join(dirname(file), target.replace(/\.js$/, '.ts'))
    if (path.startsWith(join(root, 'test'))) loadedBy(path, found)
    else found.add(path)
  }
  return found
}

test.each(features)('%s: only test files in a folder of its name load its code', (name) => {
  const others = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.test.ts') && !file.split(sep).includes(name),
  )
  const code = join(root, 'src/features', name) + sep
  const loading = others.filter((file) =>
    [...loadedBy(join(root, 'test', file))].some((loaded) => loaded.startsWith(code)),
  )
  expect(loading).toEqual([])
})

test.each(features)('%s: the rest has no type error, builds and starts', async (name) => {
  const folder = copyOfSource()
  const roots = join(folder, 'src/features')
  rmSync(join(roots, name), { recursive: true })
  for (const file of readdirSync(roots).filter((one) => /\.(ts|css)$/.test(one)))
    writeFileSync(join(roots, file), withoutFeature(readFileSync(join(roots, file), 'utf8'), name))
  runIn(folder, 'build.mjs')
  const tsc = 'node_modules/typescript7/bin/tsc'
  writeFileSync(join(folder, 'sources.json'), JSON.stringify({ extends: './tsconfig.json', include: ['src'] }))
  runIn(folder, tsc, '-p', 'sources.json', '--singleThreaded')
  const url = await startCopy(folder)
  expect((await fetch(`${url}/_sandbox/health`)).status).toBe(200)
  expect(readFileSync(join(folder, 'dist/program.cjs'), 'utf8')).not.toContain(`src/features/${name}/`)
})
