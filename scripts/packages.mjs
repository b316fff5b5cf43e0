/** Writes the generated files of the packages for other languages. `npm run docs` runs it; a house test fails when a file is out of date. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../', import.meta.url))

const { outputFiles } = await build({
  entryPoints: [`${root}scripts/packages/index.ts`],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  logLevel: 'error',
})
const source = Buffer.from(outputFiles[0].contents).toString('base64')
const { packageFiles } = await import(`data:text/javascript;base64,${source}`)

for (const [file, text] of Object.entries(packageFiles())) {
  await mkdir(dirname(root + file), { recursive: true })
  await writeFile(root + file, text)
}
