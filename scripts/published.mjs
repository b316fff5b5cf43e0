/** The packages of others in the published program: those that the bundles contain, and those that npm installs beside it. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeVersion } from './fetch.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A package by its folder, such as `node_modules/hono`. */
function packageIn(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  return { ref: `${name}@${version}`, license, folder: join(root, folder) }
}

/** The typeface of the pages. The repository has its license and one file of the package, of which fonttools kept the weights and features in use. */
const typeface = { name: '@fontsource-variable/inter', version: '5.3.0', license: 'OFL-1.1' }
const typefaceFolder = 'src/dashboard/fonts'
const typefaceRef = `${typeface.name}@${typeface.version}`

/** Returns the packages of bundled source files, without our own files. Those of one package can differ in the way to a linked folder. */
export function bundledPackages(inputs) {
  const folders = inputs.flatMap(
    (path) => /(node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  )
  const own = { ref: typefaceRef, license: typeface.license, folder: join(root, typefaceFolder) }
  const typefaces = inputs.some((path) => path.startsWith(typefaceFolder)) ? [own] : []
  return [...[...new Set(folders)].map(packageIn), ...typefaces].sort((a, b) => (a.ref < b.ref ? -1 : 1))
}

/** Returns the packages that npm installs with ours. */
export function installedPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const folders = Object.keys(packages).filter((path) => path !== '' && packages[path].dev !== true)
  return folders.map((path) => ({ ref: `${path.replace(/^.*node_modules\//, '')}@${packages[path].version}` }))
}

/** Returns the bill of materials (CycloneDX) of a program with these bundled source files: their packages, better-sqlite3 and, in the executable, Node. */
export function billOfMaterials(inputs) {
  const bundled = new Set(bundledPackages(inputs).map(({ ref }) => ref))
  const { dependencies, ...document } = JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 ** 2,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const isDevelopment = ({ properties }) => properties.some(({ name }) => name === 'cdx:npm:package:development')
  const installed = new Set(document.components.filter((one) => !isDevelopment(one)).map((one) => one['bom-ref']))
  const isPublished = (ref) => bundled.has(ref) || installed.has(ref)
  const own = { ...document.metadata.component, name: 'payments-sandbox', type: 'application' }
  const node = { type: 'platform', 'bom-ref': `node@${nodeVersion}`, name: 'node', version: nodeVersion }
  const published = document.components.filter((component) => isPublished(component['bom-ref']))
  const { name, version, license } = typeface
  if (bundled.has(typefaceRef))
    published.push({
      ...{ type: 'file', 'bom-ref': typefaceRef, name, version, licenses: [{ license: { id: license } }] },
      purl: `pkg:npm/${encodeURIComponent('@')}fontsource-variable/inter@${version}`,
    })
  return {
    ...document,
    metadata: { ...document.metadata, component: own },
    components: [...published, { ...node, scope: 'optional', purl: `pkg:generic/node@${nodeVersion}` }],
    dependencies: dependencies
      .filter(({ ref }) => ref === own['bom-ref'] || isPublished(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isPublished) })),
  }
}
