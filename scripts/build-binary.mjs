/** Builds `dist/binary/payments-sandbox`: the program with its pages, scenarios and V8's code cache in one executable, for the machine that this runs on. */
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
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fetchNode, fetchPackage, nodeVersion } from './fetch.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const isMac = process.platform === 'darwin'
export const binary = join(
  root,
  'dist/binary',
  process.platform === 'win32' ? 'payments-sandbox.exe' : 'payments-sandbox',
)

/** Marks a Node into which a program can be put; Node's own name of it. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
const cacheTimeoutMs = 30_000

const folders = ['dist/dashboard', 'scenarios']
const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder))
    .sort()
    .map((name) => `${folder}/${name}`),
)

/** The Node that runs, if it is of this version and whole: distributions put parts of it into libraries. */
function baseNode() {
  const isUsable = process.versions.node === nodeVersion && readFileSync(process.execPath).includes(fuse)
  return isUsable ? process.execPath : fetchNode()
}

function run(file, args) {
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} failed: ${error ?? `${stdout}${stderr}`}`)
}

/** Starts the built program until it has written the cache of what a start compiles. */
async function codeCacheOf(node) {
  const version = spawnSync(node, ['-p', 'process.versions.v8'], { encoding: 'utf8' }).stdout.trim()
  const found = () =>
    readdirSync(join(root, 'dist')).find((name) => name.startsWith(`.cache-${version}-`) && /-\d+$/.test(name))
  const child = spawn(node, [join(root, 'bin/payments-sandbox.js'), 'start', '--port', '0'], { stdio: 'ignore' })
  try {
    for (let waitedMs = 0; found() === undefined; waitedMs += 100) {
      if (waitedMs > cacheTimeoutMs) throw new Error('the program did not write its code cache')
      await pause(100)
    }
    return join(root, 'dist', found())
  } finally {
    child.kill()
  }
}

async function build() {
  const node = baseNode()
  const work = mkdtempSync(join(tmpdir(), 'payments-sandbox-binary-'))
  try {
    const own = (name, contents) => {
      writeFileSync(join(work, name), contents)
      return join(work, name)
    }
    const { wrapped } = createRequire(import.meta.url)('../bin/code-cache.js')
    const main = join(root, 'scripts/binary-main.cjs')
    const assets = {
      'main.cjs': main,
      'program.cjs': own('program.cjs', wrapped(readFileSync(join(root, 'dist/program.cjs')))),
      'code-cache': await codeCacheOf(node),
      'list.txt': own('list.txt', files.join('\n')),
      ...Object.fromEntries(files.map((path) => [path, join(root, path)])),
    }
    const blob = join(work, 'blob')
    const config = { main, output: blob, disableExperimentalSEAWarning: true, execArgvExtension: 'none', assets }
    run(node, ['--experimental-sea-config', own('config.json', JSON.stringify(config))])
    const made = join(work, 'made')
    copyFileSync(node, made)
    chmodSync(made, 0o755)
    if (isMac) run('codesign', ['--remove-signature', made])
    const postject = join(fetchPackage('postject', '1.0.0-alpha.6'), 'dist/cli.js')
    const segment = isMac ? ['--macho-segment-name', 'NODE_SEA'] : []
    run(process.execPath, [postject, made, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse, ...segment])
    if (isMac) run('codesign', ['--sign', '-', made])
    mkdirSync(join(root, 'dist/binary'), { recursive: true })
    rmSync(binary, { force: true })
    copyFileSync(made, binary)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

await build()
const megabytes = Math.round(statSync(binary).size / 1e6)
console.log(`${binary}: ${megabytes} MB, Node ${nodeVersion}, ${process.platform} ${process.arch}`)
