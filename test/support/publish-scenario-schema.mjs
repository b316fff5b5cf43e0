/** Writes scenarios/scenario.schema.json from the schema that the program checks by: `node test/support/publish-scenario-schema.mjs`. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
const file = `${root}scenarios/scenario.schema.json`
const contents = "export { scenarioJsonSchema } from './src/protocol/scenario/file.ts'"
const common = { bundle: true, format: 'esm', platform: 'node', write: false }
const { outputFiles } = await build({ ...common, stdin: { contents, resolveDir: root } })
const code = Buffer.from(outputFiles[0].text).toString('base64')
const { scenarioJsonSchema } = await import(`data:text/javascript;base64,${code}`)
writeFileSync(file, JSON.stringify(scenarioJsonSchema(), null, 2))
execFileSync(`${root}node_modules/.bin/biome`, ['format', '--write', file], { cwd: root, stdio: 'ignore' })
