/** Generates src/client/types from the schemas. `npm run client-types` runs it, and so do the build and `npm run types`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundled } from './bundled.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const folder = here('../src/client/types/')

export async function writeClientTypes() {
  const { clientTypes } = await bundled('scripts/client-types.ts')
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(clientTypes())) writeIfChanged(folder + name, text)
}

/** An unchanged file keeps its modification time, so that watchers rebuild only after a change. */
function writeIfChanged(file, text) {
  if (read(file) !== text) writeFileSync(file, text)
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeClientTypes()
