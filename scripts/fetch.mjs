/** Installs packages that only some scripts and tests need, once for each machine, so that `npm ci` stays small. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The newest Node.js with long-term support. */
export const nodeVersion = '24.21.0'

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'payments-sandbox')

/** Returns the stored folder, which `fill` writes if it is missing. Of processes that fetch at the same time, the first rename wins. */
function stored(name, fill) {
  const place = join(cache, name.replaceAll('/', '-'))
  if (existsSync(place)) return place
  mkdirSync(cache, { recursive: true })
  const beside = mkdtempSync(`${place}.`)
  try {
    fill(beside)
    renameSync(beside, place)
  } catch (error) {
    rmSync(beside, { recursive: true, force: true })
    if (!existsSync(place)) throw error
  }
  return place
}

/** Returns the folder of a package that is for another machine, so that npm would not install it. */
export function unpackPackage(name, version) {
  const folder = stored(`${name}-${version}-unpacked`, (beside) => {
    const packed = spawnSync('npm', ['pack', '--silent', `${name}@${version}`], { cwd: beside, encoding: 'utf8' })
    const tar = spawnSync('tar', ['-xzf', `${packed.stdout}`.trim()], { cwd: beside, encoding: 'utf8' })
    if (packed.status !== 0 || tar.status !== 0)
      throw new Error(`${name}@${version} could not be fetched: ${packed.stderr}${tar.stderr}`)
  })
  return join(folder, 'package')
}

/** The package with the executable of Node for this machine. */
export const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

/** Returns the folder of the installed package; `companions` are installed beside it. Throws with npm's output if the installation fails. */
export function fetchPackage(name, version, ...companions) {
  const folder = stored(`${name}-${version}`, (beside) => {
    const env = Object.fromEntries(Object.entries(process.env).filter(([variable]) => !variable.startsWith('npm_')))
    const args = ['install', '--prefix', beside, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']
    const { status, stderr } = spawnSync('npm', [...args, `${name}@${version}`, ...companions], {
      env,
      encoding: 'utf8',
      timeout: 300_000,
      // On Windows npm is a batch file.
      shell: process.platform === 'win32',
    })
    if (status !== 0) throw new Error(`${name}@${version} could not be fetched: ${stderr}`)
  })
  return join(folder, 'node_modules', name)
}

export const fetchNode = () =>
  join(fetchPackage(nodePackage, nodeVersion), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

export const nodeLicense = () => readFileSync(join(fetchPackage(nodePackage, nodeVersion), 'LICENSE'), 'utf8')
