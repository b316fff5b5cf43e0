/** Installs packages that only some scripts and tests need into a temporary folder, where later runs find them again. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The newest Node.js with long-term support. */
export const nodeVersion = '24.21.0'

const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

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
