/** Writes the library's type declarations. They import only each other. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The entry points: the library, and the fixtures for test runners. */
const entries = ['index.d.ts', 'fixtures/extensions.d.ts', 'fixtures/wrapper.d.ts']

/** Writes all declarations that the entries import, for CommonJS. ES modules may import those too, so `index.d.ts` is one line. */
export function writeDeclarations() {
  const declarations = mkdtempSync(join(tmpdir(), 'payments-sandbox-types-'))
  const target = join(root, 'dist', 'types')
  rmSync(target, { recursive: true, force: true })
  try {
    declare(declarations)
    for (const file of entries.reduce(
      (found, entry) => reachable(declarations, join(declarations, 'testing', entry), found),
      new Set(),
    )) {
      const text = compact(withLibs(readFileSync(file, 'utf8')))
      const to = join(target, relative(declarations, file))
      mkdirSync(dirname(to), { recursive: true })
      writeFileSync(to.replace(/\.d\.ts$/, '.d.cts'), text.replace(/((?:from|import\()\s*'\.[^']*)\.js'/g, "$1.cjs'"))
    }
    writeFileSync(join(target, 'testing', 'index.d.ts'), "export * from './index.cjs'\n")
  } finally {
    rmSync(declarations, { recursive: true, force: true })
  }
}

/** Emits declarations without checking types; `npm run types` checks them. */
function declare(outDir) {
  const tsc = join(root, 'node_modules/typescript7/bin/tsc')
  const args = [tsc, '--singleThreaded', '-p', join(root, 'scripts/types.tsconfig.json'), '--outDir', outDir]
  execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
}

function reachable(folder, entry, found = new Set()) {
  if (found.has(entry)) return found
  found.add(entry)
  for (const [, path] of readFileSync(entry, 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)) {
    if (!path.startsWith('.'))
      throw new Error(`${relative(folder, entry)} imports the types of ${path}, which users do not have`)
    reachable(folder, join(dirname(entry), path.replace(/\.js$/, '.d.ts')), found)
  }
  return found
}

/** Indents with tabs instead of four spaces: these files are a tenth of the package's size. */
const compact = (text) =>
  text.replace(/^( {4})+/gm, (indent) => '\t'.repeat(indent.length / 4)).replace(/\n{2,}/g, '\n')

const withLibs = (text) =>
  text.includes('Symbol.asyncDispose') ? `/// <reference lib="esnext.disposable" />\n${text}` : text
