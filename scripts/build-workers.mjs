/** Bundles the sandbox for Durable Objects into dist/workers: the program, the dashboard and the built-in scenarios in one module. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildPages } from './build-dashboard.mjs'
import { withoutUnused } from './build-program.mjs'
import { bundled } from './bundled.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

const pages = 'dist/workers/pages'

/** Virtual modules. Each holds the texts of a folder's files by name. */
const folderModules = {
  'bundled:scenarios': { folder: 'scenarios', pattern: /\.yaml$/ },
  'bundled:pages': { folder: pages, pattern: /./ },
}

const folders = {
  name: 'folders',
  setup(building) {
    building.onResolve({ filter: /^bundled:/ }, ({ path }) => ({ path, namespace: 'folders' }))
    building.onLoad({ filter: /./, namespace: 'folders' }, ({ path }) => {
      const { folder, pattern } = folderModules[path]
      const names = readdirSync(join(root, folder)).filter((name) => pattern.test(name))
      const texts = names.map((name) => [name, readFileSync(join(root, folder, name), 'utf8')])
      return { contents: JSON.stringify(Object.fromEntries(texts)), loader: 'json' }
    })
  },
}

export const workerFile = join(root, 'dist/workers/program/worker.js')

/** Tests pass an `entry` that extends the worker. */
export async function buildWorkers({ entry = 'src/runtime/workers/worker.ts', outfile = workerFile } = {}) {
  await buildPages(pages)
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['browser', 'module', 'main'],
    external: ['node:*', 'cloudflare:*'],
    plugins: [folders, withoutUnused],
    minify: true,
    keepNames: true,
    legalComments: 'none',
    logLevel: 'warning',
  })
  await writeAssets()
}

/** Writes the dashboard as static assets, which the host serves without waking an object. Paths and headers equal those of the sandbox. */
async function writeAssets() {
  const folder = join(root, 'dist/workers/assets')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  for (const name of readdirSync(join(root, pages)))
    cpSync(join(root, pages, name), join(folder, name === 'index.html' ? name : `assets/${name}`))
  const { pageSecurity } = await bundled('src/http/html.ts')
  const lines = Object.entries(pageSecurity).map(([name, value]) => `  ${name}: ${value}`)
  writeFileSync(join(folder, '_headers'), `/*\n${lines.join('\n')}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildWorkers()
