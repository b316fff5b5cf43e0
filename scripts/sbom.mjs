/** `npm run sbom`: writes and validates the bill of materials of the published program. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildDashboard } from './build-dashboard.mjs'
import { buildProgram } from './build-program.mjs'
import { fetchPackage } from './fetch.mjs'
import { billOfMaterials } from './published.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'dist/binary')
const file = join(folder, 'payments-sandbox.cdx.json')

/** Throws if the document violates the schema of CycloneDX. */
async function validate(text, version) {
  const name = '@cyclonedx/cyclonedx-library'
  const companions = ['ajv@8.20.0', 'ajv-formats@3.0.1', 'ajv-formats-draft2019@1.6.1', 'packageurl-js@2.0.1']
  const library = fetchPackage(name, '10.3.0', ...companions, 'spdx-expression-parse@4.0.0')
  const { Spec, Validation } = createRequire(join(library, 'package.json'))(name)
  const problems = await new Validation.JsonStrictValidator(Spec.Version[`v${version.replace('.', 'dot')}`]).validate(
    text,
  )
  if (problems !== null) throw new Error(`the bill of materials is not valid: ${JSON.stringify(problems)}`)
}

const document = billOfMaterials([...(await buildDashboard()), ...(await buildProgram())])
const text = `${JSON.stringify(document, null, 2)}\n`
await validate(text, document.specVersion)
mkdirSync(folder, { recursive: true })
writeFileSync(file, text)
console.log(`${file}: ${document.components.length} components, valid CycloneDX ${document.specVersion}`)
