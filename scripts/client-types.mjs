/** Writes src/client/types from the schemas: `npm run client-types`. A test tells when they are stale. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const { outputFiles } = await build({
  entryPoints: [here('client-types.ts')],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
})
const source = Buffer.from(outputFiles[0].contents).toString('base64')
const { clientTypes } = await import(`data:text/javascript;base64,${source}`)
const folder = here('../src/client/types/')
for (const [name, text] of Object.entries(clientTypes())) writeFileSync(folder + name, text)
execFileSync(process.execPath, [here('../node_modules/@biomejs/biome/bin/biome'), 'check', '--write', folder])
