/** Writes the generated files of the packages for other languages, and their coordinates. `npm run docs` runs it; a house test fails when a file is out of date. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { bundled, pathOf } from './bundled.mjs'

const { packageFiles } = await bundled('scripts/packages/index.ts')
const { coordinateFiles } = await bundled('scripts/packages/coordinates.ts')

for (const [file, text] of Object.entries({ ...packageFiles(), ...coordinateFiles(pathOf('')) })) {
  await mkdir(dirname(pathOf(file)), { recursive: true })
  await writeFile(pathOf(file), text)
}
