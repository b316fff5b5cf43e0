/** Bundles the dashboard into dist/dashboard: one script, one style, the page and its icon. */
import { cpSync } from 'node:fs'
import { build } from 'esbuild'

const source = 'src/dashboard'
const target = 'dist/dashboard'

export async function buildDashboard() {
  await build({
    entryPoints: { app: `${source}/main.tsx`, style: `${source}/app.css` },
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
}
