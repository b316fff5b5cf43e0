/** `npm run release`: writes every artifact of a release to `release/`. It publishes nothing. */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { buildExecutable, machines } from '../build-binary.mjs'
import { coordinates, doRows, folder, NotHere, root, run, version } from './common.mjs'
import { languageRows } from './languages.mjs'

const megabytes = (file) => `${(statSync(file).size / 1e6).toFixed(1)} MB`

function tarball() {
  run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder])
  const name = `payments-sandbox-${version}.tgz`
  return `${name}, ${megabytes(join(folder, name))}`
}

/** Only GNU's tar writes equal archives of equal files. */
const gnuTar = process.platform === 'darwin' ? 'gtar' : 'tar'

const archiveOf = (machine) => `payments-sandbox-${version}-${machine}.tar.gz`

async function executable(machine) {
  const work = join(folder, machine)
  const name = machine.startsWith('windows') ? 'payments-sandbox.exe' : 'payments-sandbox'
  const node = await buildExecutable(join(work, name), machine)
  copyFileSync(join(root, 'LICENSE'), join(work, 'LICENSE'))
  const archive = join(folder, archiveOf(machine))
  run('sh', [
    '-c',
    `${gnuTar} -cf - -C '${work}' --owner=0 --group=0 --sort=name --mtime=@0 . | gzip -9n > '${archive}'`,
  ])
  rmSync(work, { recursive: true })
  const unsigned =
    machine.startsWith('macos') && process.platform !== 'darwin'
      ? '; not signed: macOS runs it only after `codesign --force --sign -`'
      : ''
  return `${archiveOf(machine)}, ${megabytes(archive)}, Node ${node}${unsigned}`
}

function billOfMaterials() {
  run('npm', ['run', '--silent', 'sbom'])
  copyFileSync(
    join(root, 'dist/binary/payments-sandbox.cdx.json'),
    join(folder, `payments-sandbox-${version}.cdx.json`),
  )
}

/** buildah needs no daemon. Without a registry of images the base is made here, for this processor only. */
function image(architecture) {
  if (process.getuid?.() !== 0) throw new NotHere('buildah mounts the layers of the image as root')
  const own = { x64: 'amd64', arm64: 'arm64' }[process.arch]
  if (architecture !== own) {
    const [, base] = /^ARG BASE=(\S+)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))
    try {
      run('buildah', ['pull', '--quiet', '--arch', architecture, base])
    } catch {
      throw new NotHere(
        `no registry of images is reachable, and the base for ${architecture} is made only on that processor`,
      )
    }
    run('buildah', [
      'build',
      '--quiet',
      '--arch',
      architecture,
      '--format',
      'docker',
      '--tag',
      `payments-sandbox-${architecture}`,
      '.',
    ])
  }
  const tested = architecture === own ? run('npm', ['run', '--silent', 'image']) : 'not run: another processor'
  const name = architecture === own ? 'localhost/payments-sandbox' : `localhost/payments-sandbox-${architecture}`
  const file = join(folder, `payments-sandbox-${version}-image-${architecture}.tar`)
  rmSync(file, { force: true })
  run('buildah', ['push', '--quiet', name, `oci-archive:${file}`])
  return `OCI layout in a tar file, ${megabytes(file)}; ${tested.trim().split('\n').at(-1)}`
}

const hashOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')

/** The formula installs the executables of the release. */
function formula() {
  const part = (machine, guard) => {
    const file = join(folder, archiveOf(machine))
    return `    ${guard} do
      url "${coordinates.repository}/releases/download/v${version}/${archiveOf(machine)}"
      sha256 "${hashOf(file)}"
    end`
  }
  const text = `class PaymentsSandbox < Formula
  desc "High-fidelity sandbox of a payments platform"
  homepage "${coordinates.repository}"
  version "${version}"
  license "MIT"

  on_macos do
${part('macos-arm64', 'on_arm')}
${part('macos-x64', 'on_intel')}
  end

  on_linux do
${part('linux-arm64', 'on_arm')}
${part('linux-x64', 'on_intel')}
  end

  def install
    bin.install "payments-sandbox"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/payments-sandbox --version")
  end
end
`
  writeFileSync(join(folder, 'payments-sandbox.rb'), text)
  return `payments-sandbox.rb, for ${coordinates.repository}`
}

function checksums() {
  const files = readdirSync(folder, { recursive: true })
    .filter((name) => name !== 'checksums.txt' && statSync(join(folder, name)).isFile())
    .sort()
  const lines = files.map((name) => `${hashOf(join(folder, name))}  ${relative(folder, join(folder, name))}\n`)
  writeFileSync(join(folder, 'checksums.txt'), lines.join(''))
  return `checksums.txt, ${files.length} files`
}

const tagAt = process.argv.indexOf('--tag') + 1
if (tagAt > 0 && process.argv[tagAt] !== `v${version}`)
  throw new Error(`the tag ${process.argv[tagAt]} is not the version of package.json: v${version}`)
if (!process.argv.includes('--only')) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
run(process.execPath, ['build.mjs'])
await doRows([
  { name: 'npm tarball', work: tarball },
  ...Object.keys(machines).map((machine) => ({ name: `executable ${machine}`, work: () => executable(machine) })),
  { name: 'bill of materials', work: billOfMaterials },
  { name: 'notices', work: () => copyFileSync(join(root, 'dist/dashboard/notices.txt'), join(folder, 'notices.txt')) },
  ...languageRows,
  ...['amd64', 'arm64'].map((architecture) => ({
    name: `image ${architecture}`,
    needs: ['buildah --version', 'debootstrap --version'],
    work: () => image(architecture),
  })),
  { name: 'Homebrew formula', work: formula },
  { name: 'checksums', work: checksums },
])
if (coordinates.npx.length === 0) {
  console.log(`nothing of this can be published: ${coordinates.repository} is a placeholder`)
  if (tagAt > 0) process.exitCode = 1
}
