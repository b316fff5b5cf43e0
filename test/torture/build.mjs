/** Bundles the simulation together with the sandbox. `plugins` may change source files, for example to plant a fault. */
import { mkdirSync } from 'node:fs'
import { build } from 'esbuild'

export async function buildSimulation(outfile, plugins = [], entry = 'main') {
  mkdirSync(new URL('.', `file://${outfile}`), { recursive: true })
  await build({
    entryPoints: [`test/torture/simulation/${entry}.ts`],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: ['better-sqlite3'],
    outfile,
    sourcemap: 'inline',
    logLevel: 'warning',
    plugins,
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  })
}
