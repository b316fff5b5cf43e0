/** The base of the image: pulled by its digest, or built here from Debian and Node if no image registry is reachable. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fetchNode, fetchPackage, nodeLicense, nodeVersion } from './fetch.mjs'

const suite = 'bookworm'
const localBase = `localhost/payments-sandbox-base:${nodeVersion}`
const npmVersion = '11.21.2'

const run = (file, ...args) => execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

/** Returns the name of the base, and whether it is the pinned one. */
export function openBase(pinned) {
  try {
    run('buildah', 'pull', '--quiet', pinned)
    return { base: pinned, isPinned: true }
  } catch {
    if (run('buildah', 'images', '--all', '--format', '{{.Name}}:{{.Tag}}').split('\n').includes(localBase))
      return { base: localBase, isPinned: false }
    return { base: makeBase(), isPinned: false }
  }
}

/** The mirror of Debian that this machine uses. */
function mirror() {
  const folder = '/etc/apt/sources.list.d'
  const files = [
    '/etc/apt/sources.list',
    ...(existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []),
  ]
  const texts = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'))
  for (const text of texts) {
    const [, url] = /^(?:URIs:|deb(?: \[[^\]]*\])?) (\S+\/debian\/?)(?:\s|$)/m.exec(text) ?? []
    if (url !== undefined) return url
  }
  throw new Error('no Debian mirror found under /etc/apt')
}

/** Builds the base from Debian, Node and npm of the package registry, the user `node`, and the certificates that this machine trusts. */
function makeBase() {
  const work = mkdtempSync(join(tmpdir(), 'payments-sandbox-base-'))
  const root = join(work, 'root')
  try {
    console.log(`debootstrap ${suite} …`)
    run('debootstrap', '--variant=minbase', suite, root, mirror())
    for (const folder of ['var/cache/apt/archives', 'var/lib/apt/lists'])
      rmSync(join(root, folder), { recursive: true })
    cpSync(fetchNode(), join(root, 'usr/local/bin/node'))
    chmodSync(join(root, 'usr/local/bin/node'), 0o755)
    writeFileSync(join(root, 'usr/local/LICENSE'), nodeLicense())
    cpSync(fetchPackage('npm', npmVersion), join(root, 'usr/local/lib/node_modules/npm'), { recursive: true })
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
    chmodSync(join(root, 'usr/local/lib/node_modules/npm/bin/npm-cli.js'), 0o755)
    run('chroot', root, 'useradd', '--create-home', '--shell', '/bin/bash', '--user-group', '--uid', '1000', 'node')
    const { NODE_EXTRA_CA_CERTS } = process.env
    const trusted = NODE_EXTRA_CA_CERTS === undefined ? [] : ['--env', 'NODE_EXTRA_CA_CERTS=/etc/ssl/trusted.pem']
    if (NODE_EXTRA_CA_CERTS !== undefined) cpSync(NODE_EXTRA_CA_CERTS, join(root, 'etc/ssl/trusted.pem'))
    const container = run('buildah', 'from', 'scratch')
    run('buildah', 'copy', '--quiet', container, root, '/')
    run(
      'buildah',
      'config',
      '--env',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      ...trusted,
      container,
    )
    run('buildah', 'commit', '--quiet', '--rm', container, localBase)
    return localBase
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
