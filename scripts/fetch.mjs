/** Installs packages that only some scripts and tests need into a temporary folder, where later runs find them again. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The newest Node.js with long-term support. */
export const nodeVersion = '24.21.0'

/** Returns the folder of a package that is for another machine, so that npm would not install it. */
export function unpackPackage(name, version) {
  const folder = join(tmpdir(), `payments-sandbox-${name}-${version}-unpacked`)
  const unpacked = join(folder, 'package')
  if (existsSync(unpacked)) return unpacked
  mkdirSync(folder, { recursive: true })
  const packed = spawnSync('npm', ['pack', '--silent', `${name}@${version}`], { cwd: folder, encoding: 'utf8' })
  const tar = spawnSync('tar', ['-xzf', `${packed.stdout}`.trim()], { cwd: folder, encoding: 'utf8' })
  if (packed.status !== 0 || tar.status !== 0)
    throw new Error(`${name}@${version} could not be fetched: ${packed.stderr}${tar.stderr}`)
  return unpacked
}

/** The package with the executable of Node for this machine. */
export const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

/** Returns the folder of the installed package; `companions` are installed beside it. Throws with npm's output if the installation fails. */
export function fetchPackage(name, version, ...companions) {
  const folder = join(tmpdir(), `payments-sandbox-${name}-${version}`)
  const installed = join(folder, 'node_modules', name)
  if (existsSync(installed)) return installed
  const env = Object.fromEntries(Object.entries(process.env).filter(([variable]) => !variable.startsWith('npm_')))
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']
  const { status, stderr } = spawnSync('npm', [...args, `${name}@${version}`, ...companions], {
    env,
    encoding: 'utf8',
    timeout: 120_000,
    // On Windows npm is a batch file.
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`${name}@${version} could not be fetched: ${stderr}`)
  return installed
}

export const fetchNode = () =>
  join(fetchPackage(nodePackage, nodeVersion), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

export const nodeLicense = () => readFileSync(join(fetchPackage(nodePackage, nodeVersion), 'LICENSE'), 'utf8')
