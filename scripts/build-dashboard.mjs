/** Bundles the dashboard into dist/dashboard: its script, those for QR codes and the editor, the style, the page and its icon. */
import { cpSync } from 'node:fs'
import { build } from 'esbuild'

const source = 'src/dashboard'
const target = 'dist/dashboard'

/** `@import "brand"` in a style sheet is the style of src/base/brand.ts. */
const brand = {
  name: 'brand',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^brand$/ }, ({ path }) => ({ path, namespace: 'brand' }))
    onLoad({ filter: /./, namespace: 'brand' }, async () => {
      const options = { entryPoints: ['src/base/brand.ts'], write: false, bundle: true, format: 'esm' }
      const [{ text }] = (await build(options)).outputFiles
      const { brandStyle } = await import(`data:text/javascript,${encodeURIComponent(text)}`)
      return { contents: brandStyle, loader: 'css' }
    })
  },
}

/** Returns the files that went into it. */
export async function buildDashboard() {
  const { metafile } = await build({
    metafile: true,
    plugins: [brand],
    entryPoints: {
      app: `${source}/main.tsx`,
      qr: `${source}/qr.ts`,
      editor: `${source}/editor/index.ts`,
      style: `${source}/app.css`,
    },
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
