/** `npm run docs`: generates documentation from the tables, the schema of scenario files, and the generated files of the packages. Tests fail when a file is out of date. */
import { readFile, writeFile } from 'node:fs/promises'
import { bundled, pathOf } from './bundled.mjs'

const textOf = (file) => readFile(pathOf(file), 'utf8')

/** For each page: the module that renders it, and a function that returns the new text. */
const pages = {
  'docs/assumptions.md': ['scripts/docs/assumptions.ts', ({ assumptionsPage }) => assumptionsPage()],
  'docs/fidelity.md': ['scripts/docs/fidelity.ts', ({ fidelityPage }) => fidelityPage()],
  'docs/interface.md': ['scripts/docs/interface.ts', ({ interfacePage }, text) => interfacePage(text)],
  'docs/scenarios.md': ['scripts/docs/scenarios.ts', ({ scenarioPage }, text) => scenarioPage(text)],
  'docs/certify.md': ['scripts/docs/certify.ts', ({ certifyPage }, text) => certifyPage(text)],
  'docs/chaos.md': ['scripts/docs/certify.ts', ({ chaosPage }, text) => chaosPage(text)],
  'docs/operation.md': ['scripts/docs/metrics.ts', ({ metricsPage }, text) => metricsPage(text)],
  'docs/reliability.md': ['scripts/docs/reliability.ts', ({ reliabilityPage }, text) => reliabilityPage(text)],
  'docs/command-line.md': ['scripts/docs/command-line.ts', withAnswers],
  'recordings/index.schema.json': [
    'src/protocol/platform/fidelity.ts',
    ({ recordingsJsonSchema }) => `${JSON.stringify(recordingsJsonSchema(), null, 2)}\n`,
  ],
  'scenarios/scenario.schema.json': [
    'src/protocol/scenario/file.ts',
    ({ scenarioJsonSchema }) => `${JSON.stringify(scenarioJsonSchema())}\n`,
  ],
}

async function withAnswers({ commandLinePage }, text) {
  const { jsonSchema } = await bundled('src/http/openapi/json-schema.ts')
  const { commands } = await bundled('test/support/all-commands.ts')
  return commandLinePage(text, commands, (shape) => jsonSchema(shape, 'output', 'Sandbox'))
}

/** Pages to write (default: all). */
const only = process.argv.slice(2)
for (const [page, [module, write]] of Object.entries(pages).filter(
  ([name]) => only.length === 0 || only.includes(name),
))
  await writeFile(pathOf(page), await write(await bundled(module), await textOf(page)))

if (only.length === 0) await import('./packages.mjs')
