/** Prints what differs between runs of the probes and the recordings. Exit code 0: nothing, 1: something. `--label` prints only drift or flake. */
import { parseArgs } from 'node:util'
import { bundled } from './bundled.mjs'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { label: { type: 'boolean' } } })
const { driftOf } = await bundled('scripts/recordings/drift.ts')
const { label, markdown } = await driftOf(positionals)
process.stdout.write(values.label === true ? `${label ?? ''}\n` : markdown)
process.exitCode = label === null || values.label === true ? 0 : 1
