/** Writes the generated files of the packages for other languages. `npm run docs` runs it; a house test fails when a file is out of date. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { bundled, pathOf } from './bundled.mjs'

const { packageFiles } = await bundled('scripts/packages/index.ts')

for (const [file, text] of Object.entries(packageFiles())) {
  await mkdir(dirname(pathOf(file)), { recursive: true })
  await writeFile(pathOf(file), text)
}
