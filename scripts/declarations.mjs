/** The type declarations of the library, which import nothing but each other. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The library, and the fixtures for test runners. */
const entries = ['index.d.ts', 'fixtures/extensions.d.ts', 'fixtures/wrapper.d.ts']

/** The declarations that the entries lead to, as CommonJS. An ES module may import those, so its own declarations are one line. */
export function writeDeclarations() {
  const made = mkdtempSync(join(tmpdir(), 'payments-sandbox-types-'))
  const target = join(root, 'dist', 'types')
  rmSync(target, { recursive: true, force: true })
  try {
    declare(made)
    for (const file of entries.reduce(
      (found, entry) => reachable(made, join(made, 'testing', entry), found),
      new Set(),
    )) {
      const text = compact(withLibs(readFileSync(file, 'utf8')))
      const to = join(target, relative(made, file))
      mkdirSync(dirname(to), { recursive: true })
      writeFileSync(to.replace(/\.d\.ts$/, '.d.cts'), text.replace(/((?:from|import\()\s*'\.[^']*)\.js'/g, "$1.cjs'"))
    }
    writeFileSync(join(target, 'testing', 'index.d.ts'), "export * from './index.cjs'\n")
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/** Unchecked: that is what `npm run types` does. */
function declare(outDir) {
  const tsc = join(root, 'node_modules/typescript7/bin/tsc')
  const args = [tsc, '--singleThreaded', '-p', join(root, 'scripts/types.tsconfig.json'), '--outDir', outDir]
  execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
}

function reachable(made, entry, found = new Set()) {
  if (found.has(entry)) return found
  found.add(entry)
  for (const [, path] of readFileSync(entry, 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)) {
    if (!path.startsWith('.'))
      throw new Error(`${relative(made, entry)} imports the types of ${path}, which users do not have`)
    reachable(made, join(dirname(entry), path.replace(/\.js$/, '.d.ts')), found)
  }
  return found
}

/** One tab for four spaces: a tenth of the package's size are these files. */
const compact = (text) =>
  text.replace(/^( {4})+/gm, (indent) => '\t'.repeat(indent.length / 4)).replace(/\n{2,}/g, '\n')

const withLibs = (text) =>
  text.includes('Symbol.asyncDispose') ? `/// <reference lib="esnext.disposable" />\n${text}` : text
