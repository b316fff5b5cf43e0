/** Bundles the dashboard into dist/dashboard: its script, the one for QR codes, the style, the page and its icon. */
import { cpSync } from 'node:fs'
import { build } from 'esbuild'

const source = 'src/dashboard'
const target = 'dist/dashboard'

/** Returns the files that went into it. */
export async function buildDashboard() {
  const { metafile } = await build({
    metafile: true,
    entryPoints: { app: `${source}/main.tsx`, qr: `${source}/qr.ts`, style: `${source}/app.css` },
    // What is imported dynamically stays a script of its own.
    splitting: true,
    chunkNames: '[name]',
    outdir: target,
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'hono/jsx/dom',
    // Browsers that know `light-dark()`.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  })
  for (const file of ['index.html', 'icon.svg']) cpSync(`${source}/${file}`, `${target}/${file}`)
  return Object.keys(metafile.inputs)
}
