/** Loads TypeScript modules in scripts. Imports of the library resolve to the built library. */
import { mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = new URL('../', import.meta.url)
export const pathOf = (file) => fileURLToPath(new URL(file, root))
/** A folder within node_modules, so that bundles find their packages. */
export const folder = pathOf('node_modules/.show')
mkdirSync(folder, { recursive: true })

const library = {
  name: 'library',
  setup({ onResolve }) {
    onResolve({ filter: /src\/testing\/index\.js$/ }, () => ({ path: pathOf('dist/index.js'), external: true }))
  },
}

const modules = new Map()

/** Bundles a module once, also for callers at the same time, who would read a file that the other is writing. */
export function bundled(file) {
  if (!modules.has(file)) modules.set(file, bundle(file))
  return modules.get(file)
}

async function bundle(file) {
  // Of its own process: builds may run at the same time.
  const outfile = `${folder}/${process.pid}-${file.replaceAll('/', '-').replace('.ts', '.mjs')}`
  const options = {
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    plugins: [library],
  }
  await build({ ...options, entryPoints: [pathOf(file)], outfile })
  return import(pathToFileURL(outfile)).finally(() => rmSync(outfile, { force: true }))
}
