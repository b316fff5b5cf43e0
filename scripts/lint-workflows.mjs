/** Checks the workflows and the action with GitHub's language service for Actions, fetched from the package registry. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { fetchPackage } from './fetch.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Bundles the service, because it imports JSON in a way that Node rejects. */
async function loadService() {
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-lint-'))
  try {
    const contents = `export { validate } from '@actions/languageservice'
      export { TextDocument } from 'vscode-languageserver-textdocument'`
    const resolveDir = fetchPackage('@actions/languageservice', '0.3.61')
    const outfile = join(folder, 'service.cjs')
    await build({ stdin: { contents, resolveDir }, outfile, bundle: true, platform: 'node', format: 'cjs' })
    return createRequire(import.meta.url)(outfile)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns a line for each problem. */
export async function lintWorkflows() {
  const { validate, TextDocument } = await loadService()
  const workflows = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`)
  const problems = []
  for (const file of ['action.yml', ...workflows]) {
    const text = readFileSync(join(root, file), 'utf8')
    const found = await validate(TextDocument.create(`file:///${file}`, 'yaml', 0, text))
    problems.push(...found.map(({ range, message }) => `${file}:${range.start.line + 1}: ${message}`))
  }
  return problems
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = await lintWorkflows()
  console.log(problems.length === 0 ? 'no problems' : problems.join('\n'))
  process.exitCode = problems.length === 0 ? 0 : 1
}
