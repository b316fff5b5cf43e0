/** Writes docs/assumptions.md from the tables: `npm run docs`. A test tells when the page is stale. */
import { writeFile } from 'node:fs/promises'
import { build } from 'esbuild'

const { outputFiles } = await build({
  entryPoints: ['src/http/openapi/assumptions-page.ts'],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
})
const source = Buffer.from(outputFiles[0].contents).toString('base64')
const { assumptionsPage } = await import(`data:text/javascript;base64,${source}`)
await writeFile(new URL('../docs/assumptions.md', import.meta.url), assumptionsPage())
