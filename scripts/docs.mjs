/** Writes what is made from the tables: docs/assumptions.md, the tables of docs/interface.md, docs/decisions.md and docs/scenarios.md, the rules and programs of docs/certify.md, the examples and outputs of docs/command-line.md, the schema of scenario files. `npm run docs`; tests tell when something is stale. */
import { execFileSync } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = new URL('../', import.meta.url)

/** A module of src with all that it imports; the packages stay where they are. */
async function load(file) {
  const outfile = fileURLToPath(new URL(`dist/.cache-docs/${file.replaceAll('/', '-')}.mjs`, root))
  await build({
    entryPoints: [fileURLToPath(new URL(file, root))],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  })
  return import(outfile)
}

const { assumptionsPage } = await load('src/http/openapi/assumptions-page.ts')
await writeFile(new URL('docs/assumptions.md', root), assumptionsPage())

const { interfacePage } = await load('src/http/openapi/interface-page.ts')
const platform = new URL('docs/interface.md', root)
await writeFile(platform, interfacePage(await readFile(platform, 'utf8')))

const { decisionsPage } = await load('src/http/openapi/decisions-page.ts')
const decisions = new URL('docs/decisions.md', root)
await writeFile(decisions, decisionsPage(await readFile(decisions, 'utf8')))

const { scenarioPage } = await load('src/protocol/scenario/page.ts')
const page = new URL('docs/scenarios.md', root)
await writeFile(page, scenarioPage(await readFile(page, 'utf8')))

const { certifyPage } = await load('src/certify/protocol/page.ts')
const certify = new URL('docs/certify.md', root)
const programs = {}
for (const file of ['receiver.mjs', 'receiver.py', 'client.mjs', 'client.py'])
  programs[file] = await readFile(new URL(`test/certify/${file}`, root), 'utf8')
await writeFile(certify, certifyPage(await readFile(certify, 'utf8'), programs))

const { commandLinePage } = await load('src/cli/page.ts')
const { jsonSchema } = await load('src/http/openapi/json-schema.ts')
const words = new URL('docs/command-line.md', root)
await writeFile(words, await commandLinePage(await readFile(words, 'utf8'), (shape) => jsonSchema(shape, 'output', '')))

const { scenarioJsonSchema } = await load('src/protocol/scenario/file.ts')
const schema = fileURLToPath(new URL('scenarios/scenario.schema.json', root))
await writeFile(schema, JSON.stringify(scenarioJsonSchema(), null, 2))
const biome = fileURLToPath(new URL('node_modules/.bin/biome', root))
execFileSync(biome, ['format', '--write', schema], { cwd: root, stdio: 'ignore' })

await rm(new URL('dist/.cache-docs', root), { recursive: true })
