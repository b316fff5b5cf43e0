/** What a test pays for a sandbox of its own, beside an empty server with an empty database. */
import { mkdirSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const here = (file) => fileURLToPath(new URL(file, import.meta.url))

export async function measure(report) {
  const outfile = here('../node_modules/.cache/payments-sandbox/library.mjs')
  mkdirSync(here('../node_modules/.cache/payments-sandbox'), { recursive: true })
  await build({
    entryPoints: [here('library.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3'],
    logLevel: 'warning',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  const { timeLibrary } = await import(pathToFileURL(outfile).href)
  const { start, bare, reset, open, workspace } = await timeLibrary()
  const ms = (value) => `${value.toFixed(2)} ms`
  console.log(
    `in process: startSandbox ${ms(start)}, bare server and empty database ${ms(bare)}; reset ${ms(reset)}, empty database ${ms(open)}; workspace ${ms(workspace)}`,
  )
  report('startSandbox, of an empty server and database', start / bare, ['atMost', 3], 'x')
  report('reset over the library, of an empty database', reset / open, ['atMost', 2], 'x')
}
