/** Bundles the command line and the library; better-sqlite3 stays outside, because it is compiled where it is installed. */
import { build } from 'esbuild'

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

await build({ ...common, format: 'esm', entryPoints: { cli: 'src/cli/main.ts' }, outdir: 'dist' })
