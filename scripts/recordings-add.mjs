/** `npm run recordings:add FILE.har`: adds a recording of the platform to `recordings`, and writes the pages with its results. */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { bundled, pathOf } from './bundled.mjs'

const usage = 'npm run recordings:add FILE.har -- [--name NAME] [--private]'
try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { name: { type: 'string' }, private: { type: 'boolean', default: false } },
  })
  if (positionals.length !== 1) throw new Error(`name one recording: ${usage}`)
  const { addRecording } = await bundled('scripts/recordings/add.ts')
  const [file] = positionals
  console.log(await addRecording({ file, folder: pathOf('recordings'), name: values.name, isPrivate: values.private }))
  // In a process of its own, which reads the new index.
  const pages = ['docs/fidelity.md', 'docs/assumptions.md']
  spawnSync(process.execPath, [pathOf('scripts/docs.mjs'), ...pages], { stdio: 'inherit' })
} catch (error) {
  console.error(`the recording was not added: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 2
}
