/** The time of starting another sandbox in a process, and of a reset, compared with opening an empty database and creating its tables. */
import { mkdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { here } from './sandbox.mjs'

export async function measure(wants, report) {
  const ms = (value) => `${value.toFixed(2)} ms`
  if (wants('library') || wants('floor-library')) {
    const { timeLibrary } = await bundled('library')
    const { start, bare, open, workspace } = await timeLibrary()
    console.log(
      `startSandbox ${ms(start)}, bare server and empty database ${ms(bare)}, empty database ${ms(open)}, workspace ${ms(workspace)}`,
    )
    report('library', start / open)
    report('floor-library', bare / open)
  }
  if (wants('reset')) {
    const { timeResets } = await bundled('reset')
    const { resetMs, openMs } = await timeResets()
    console.log(`reset ${ms(resetMs)}, opening an empty :memory: database and creating its tables ${ms(openMs)}`)
    report('reset', resetMs / openMs)
  }
}

/** Bundles into the checkout, where the import of the compiled driver resolves. */
async function bundled(name) {
  const folder = here('../node_modules/.cache/payments-sandbox')
  mkdirSync(folder, { recursive: true })
  const outfile = `${folder}/${name}.mjs`
  await build({
    entryPoints: [here(`${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3'],
    logLevel: 'error',
    banner: {
      js: "import { createRequire as requiring } from 'node:module'; const require = requiring(import.meta.url);",
    },
  })
  return import(pathToFileURL(outfile).href)
}
