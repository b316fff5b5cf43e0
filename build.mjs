/** Bundles the dashboard, the command line and the library; better-sqlite3 stays outside, because it is compiled where it is installed. */
import { readdirSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { build } from 'esbuild'
import { buildDashboard } from './scripts/build-dashboard.mjs'
import { buildLibrary } from './scripts/build-library.mjs'

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  external: ['better-sqlite3'],
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  // Bundled CommonJS packages call `require` for node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
}

await buildDashboard()

// In pieces: `--version` and `--help` must not pay for loading the server.
const built = await build({
  ...common,
  format: 'esm',
  entryPoints: { cli: 'src/cli/main.ts', index: 'src/testing/index.ts' },
  outdir: 'dist',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  metafile: true,
})

const wanted = new Set(Object.keys(built.metafile.outputs).map((file) => basename(file)))
for (const file of readdirSync('dist/chunks')) if (!wanted.has(file)) rmSync(`dist/chunks/${file}`, { force: true })

await buildLibrary(common)

// `npm run dev`: build, then start what was built; node starts it over when a source changes.
if (process.argv.includes('--run')) {
  process.argv.splice(2, process.argv.length, 'start')
  await import('./dist/cli.js')
}
