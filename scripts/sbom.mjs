/** `npm run sbom`: writes the bill of materials (CycloneDX) of the published program: the bundled packages, better-sqlite3 and, in the executable, Node. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildDashboard } from './build-dashboard.mjs'
import { buildProgram } from './build-program.mjs'
import { fetchPackage, nodeVersion } from './fetch.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'dist/binary')
const file = join(folder, 'payments-sandbox.cdx.json')

const npmSbom = () =>
  JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 ** 2,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )

/** Returns the package of a bundled file, such as `hono@4.13.19`, or undefined for our own files. */
function packageOf(path) {
  const [, name] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
  if (name === undefined) return undefined
  const manifest = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'))
  return `${manifest.name}@${manifest.version}`
}

function describe(bundled) {
  const { dependencies, ...document } = npmSbom()
  const isDevelopment = ({ properties }) => properties.some(({ name }) => name === 'cdx:npm:package:development')
  const installed = new Set(document.components.filter((one) => !isDevelopment(one)).map((one) => one['bom-ref']))
  const isPublished = (ref) => bundled.has(ref) || installed.has(ref)
  const own = { ...document.metadata.component, name: 'payments-sandbox', type: 'application' }
  const node = { type: 'platform', 'bom-ref': `node@${nodeVersion}`, name: 'node', version: nodeVersion }
  const published = document.components.filter((component) => isPublished(component['bom-ref']))
  return {
    ...document,
    metadata: { ...document.metadata, component: own },
    components: [...published, { ...node, scope: 'optional', purl: `pkg:generic/node@${nodeVersion}` }],
    dependencies: dependencies
      .filter(({ ref }) => ref === own['bom-ref'] || isPublished(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isPublished) })),
  }
}

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

const inputs = [...(await buildDashboard()), ...(await buildProgram())]
const document = describe(new Set(inputs.map(packageOf).filter((name) => name !== undefined)))
const text = `${JSON.stringify(document, null, 2)}\n`
await validate(text, document.specVersion)
mkdirSync(folder, { recursive: true })
writeFileSync(file, text)
console.log(`${file}: ${document.components.length} components, valid CycloneDX ${document.specVersion}`)
