/** Bundles the dashboard into a folder: the main script, the scripts for QR codes and the editor, the style sheet, the page and its icon; and the scripts and style sheets of the other pages. */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { build } from 'esbuild'
import { bundled } from './bundled.mjs'

const source = 'src/dashboard'
const packaged = 'dist/dashboard'
/** Scripts and styles, which the package has in one compressed file: 800 KB smaller than plain, and 20 KB than one by one. */
const compressed = /\.(js|css)$/
/** In that file texts stand first and styles last, which makes it 2 KB smaller. */
const order = [/^(en|es|pt|errors|scenarios)-/, /\.js$/, /\.css$/]
const place = (name) => order.findIndex((pattern) => pattern.test(name))

/**
 * Within a style sheet, so that no page changes its typeface while it loads. The file has the weights that the pages use,
 * and no contextual alternates: they would show the `->` and `2x4` of a payload as other characters.
 */
const typeface = `@font-face {
  font-family: Inter;
  font-weight: 400 700;
  src: url("./${source}/fonts/inter.woff2") format("woff2");
}
`

/** The style sheet `brand`, which all pages load first: the typeface, and the style of scripts/brand.ts. */
const brand = {
  name: 'brand',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^brand$/ }, ({ path }) => ({ path, namespace: 'brand' }))
    onLoad({ filter: /./, namespace: 'brand' }, async () => {
      const { brandStyle } = await bundled('scripts/brand.ts')
      return { contents: typeface + brandStyle, loader: 'css', resolveDir: process.cwd() }
    })
  },
}

/** The texts `texts:pt` of the dashboard and of the features, and `texts:en`, which are their keys. */
const languages = {
  name: 'languages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^texts:/ }, ({ path }) => ({ path: path.replace('texts:', ''), namespace: 'texts' }))
    onLoad({ filter: /./, namespace: 'texts' }, ({ path }) => {
      const textsIn = (language) => {
        const folders = [source, ...readdirSync('src/features').map((name) => join('src/features', name))]
        const files = folders.map((folder) => join(folder, 'languages', `${language}.json`)).filter(existsSync)
        return Object.assign({}, ...files.map((file) => JSON.parse(readFileSync(file, 'utf8'))))
      }
      const english = Object.keys(textsIn('pt'))
      const own = textsIn(path)
      return {
        contents: `export default ${JSON.stringify(path === 'en' ? english : english.map((text) => own[text]))}`,
      }
    })
  },
}

/** The texts of reports with short keys in place of their English ones, which the program has already. */
const shortKeys = {
  name: 'short-keys',
  setup({ onLoad }) {
    onLoad({ filter: /languages\/[a-z]+\.json$/ }, async ({ path }) => {
      const { textKey } = await bundled('src/base/text.ts')
      const rows = JSON.parse(readFileSync(path, 'utf8')).map(([english, ...own]) => [
        english.includes('{}') ? english : textKey(english),
        ...own,
      ])
      if (new Set(rows.map(([key]) => key)).size < rows.length) throw new Error(`${path}: two texts have the same key`)
      return { contents: JSON.stringify(rows), loader: 'json' }
    })
  },
}

/** hono's own elements for forms with server functions, scripts and metadata of the page: no view has one. */
const plainElements = {
  name: 'plain-elements',
  setup({ onLoad }) {
    onLoad({ filter: /hono\/dist\/jsx\/dom\/intrinsic-element\/components\.js$/ }, () => ({
      contents: 'export const components_exports = {}',
    }))
  },
}

/** Repetitions are found in the whole text. */
const whole = (text) => ({
  params: {
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  },
})

/** Builds the dashboard for the package. Returns the bundled source files. */
export async function buildDashboard() {
  // What an earlier build has written may not belong to this one.
  rmSync(packaged, { recursive: true, force: true })
  const inputs = await buildPages(packaged)
  const names = readdirSync(packaged)
    .filter((name) => compressed.test(name))
    .toSorted((one, other) => place(one) - place(other))
  const texts = names.map((name) => readFileSync(join(packaged, name), 'utf8'))
  if (texts.some((text) => text.includes('\0'))) throw new Error('a file of the dashboard has a zero character')
  // As JSON, which escapes quotation marks, it would be 2 KB larger.
  const together = names.map((name, at) => `${name}\n${texts[at]}`).join('\0')
  writeFileSync(join(packaged, 'pages.br'), brotliCompressSync(together, whole(together)))
  for (const name of names) rmSync(join(packaged, name))
  return inputs
}

/**
 * Tells this build from others: a result that the page of another one has stored may have another form. Types that are made from
 * the tables may not be there yet.
 */
function sourceHash() {
  const files = readdirSync('src', { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !path.startsWith(join('src', 'client', 'types')))
    .sort()
  return paths
    .reduce((hash, path) => hash.update(readFileSync(path)), createHash('sha256'))
    .digest('base64')
    .slice(0, 8)
}

const options = {
  metafile: true,
  define: { sourceHash: JSON.stringify(sourceHash()) },
  plugins: [brand, languages, shortKeys, plainElements],
  bundle: true,
  // The first versions that support `light-dark()`.
  target: ['chrome123', 'firefox120', 'safari17.5'],
  minify: true,
  legalComments: 'none',
  loader: { '.woff2': 'dataurl' },
  logLevel: 'warning',
  // The names of scripts depend on the paths of their sources, not on where a link to the dependencies leads.
  preserveSymlinks: true,
}

/** Builds the dashboard and the assets of the other pages into a folder, uncompressed. Returns the bundled source files. */
export async function buildPages(target) {
  const built = await Promise.all([
    build({
      ...options,
      entryPoints: {
        app: `${source}/main.tsx`,
        qr: 'uqr',
        editor: `${source}/editor/index.ts`,
        brand: 'brand',
        style: `${source}/app.css`,
      },
      // Dynamic imports become their own scripts.
      splitting: true,
      chunkNames: '[name]-[hash]',
      outdir: target,
      format: 'esm',
      // Elements are created by our own function, which translates them.
      alias: { 'hono/jsx/dom/jsx-runtime': `./${source}/language.ts` },
    }),
    // The payer's page and the API page load one script each, which shares nothing with the dashboard's.
    build({
      ...options,
      entryPoints: ['pay.ts', 'pay.css', 'docs.ts', 'docs.css'].map((file) => `${source}/pages/${file}`),
      outdir: target,
      format: 'iife',
    }),
  ])
  for (const file of ['index.html', 'icon.svg']) cpSync(`${source}/${file}`, `${target}/${file}`)
  return built.flatMap(({ metafile }) => Object.keys(metafile.inputs))
}
