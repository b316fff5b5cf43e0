/** `npm run release:try`: installs each artifact of `release/` in an empty folder with an empty home, and runs its first test. */
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { machines } from '../build-binary.mjs'
import { fetchNode, fetchPackage } from '../fetch.mjs'
import {
  answers,
  buildingPython,
  codeOf,
  coordinates,
  doRows,
  folder,
  junitJar,
  NotHere,
  run,
  shell,
  version,
} from './common.mjs'
import { mavenFolder } from './languages.mjs'

const work = mkdtempSync(join(tmpdir(), 'payments-sandbox-try-'))
const artifact = (ending) => {
  const name = readdirSync(folder, { recursive: true }).find((file) => file.endsWith(ending))
  if (name === undefined) throw new NotHere(`release/ has no ${ending}`)
  return join(folder, name)
}

/** npm's settings of this machine that an empty home would hide: where packages come from, and where Node's headers are. */
const npmSettings = Object.fromEntries(
  ['registry', 'cafile', 'nodedir'].flatMap((name) => {
    const value = run('npm', ['config', 'get', name]).trim()
    return ['undefined', 'null', ''].includes(value) ? [] : [[`npm_config_${name}`, value]]
  }),
)

/** An empty folder with an empty home, and an environment without anything of this repository. */
function emptyPlace(more = {}) {
  const cwd = mkdtempSync(join(work, 'project-'))
  const HOME = mkdtempSync(join(work, 'home-'))
  const { PATH } = process.env
  return { cwd, env: { PATH, HOME, LANG: 'C.UTF-8', ...more } }
}

const own = `${process.platform === 'darwin' ? 'macos' : process.platform === 'win32' ? 'windows' : 'linux'}-${process.arch}`

/** Unpacks the executable of a machine and returns its path. */
function unpacked(machine) {
  const to = join(work, machine)
  mkdirSync(to, { recursive: true })
  run('tar', ['-xzf', artifact(`-${machine}.tar.gz`), '-C', to])
  return join(to, machine.startsWith('windows') ? 'payments-sandbox.exe' : 'payments-sandbox')
}

/** The tests of the packages use the executable of this release. */
const sandboxCommand = () => ({ PAYMENTS_SANDBOX_COMMAND: unpacked(own), PAYMENTS_SANDBOX_URL: '' })

const last = (text) => text.trim().split('\n').at(-1).trim()

function nodeProject(install, more = {}) {
  const place = emptyPlace({ ...npmSettings, ...more })
  writeFileSync(join(place.cwd, 'package.json'), '{ "name": "shop", "private": true }\n')
  const code = codeOf('docs/library.md', 'js').find((block) => block.code.includes("'payments-sandbox/node-test'"))
  writeFileSync(join(place.cwd, 'payments.test.mjs'), code.code)
  shell(install, place)
  const output = shell('node --test payments.test.mjs', place)
  if (!/^. pass 1$/m.test(output)) throw new Error(output)
  return `its first test passed on Node ${shell('node -p process.versions.node', place).trim()}`
}

/** Node's newest version with long-term support has SQLite, so nothing is compiled. */
const withNewestNode = () => ({ PATH: `${join(fetchNode(), '..')}:${process.env.PATH}` })

function managed(name, nameVersion, script, words) {
  const manager = join(fetchPackage(name, nameVersion), script)
  return nodeProject(`node ${manager} ${words} ${artifact(`x-${version}.tgz`)}`, withNewestNode())
}

/** Machine and format as the first bytes of an executable tell them. */
const headers = {
  'linux-arm64': ['7f454c46', 18, 'b700'],
  'linux-x64': ['7f454c46', 18, '3e00'],
  'macos-x64': ['cffaedfe', 4, '07000001'],
  'macos-arm64': ['cffaedfe', 4, '0c000001'],
  'windows-x64': ['4d5a', null, '50450000' + '6486'],
}

function checkHeaders(machine) {
  const file = unpacked(machine)
  const head = Buffer.alloc(4096)
  const descriptor = openSync(file)
  readSync(descriptor, head)
  closeSync(descriptor)
  const [magic, at, processor] = headers[machine]
  const place = at ?? head.readUInt32LE(0x3c)
  const found = head.subarray(place, place + processor.length / 2).toString('hex')
  if (!head.toString('hex').startsWith(magic) || found !== processor) throw new Error(`${file} is not for ${machine}`)
  // Node runs the embedded program only if its marker says so.
  if (!readFileSync(file).includes('NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1'))
    throw new Error('no program is embedded')
  return file
}

/** Debian has an emulator and the libraries of arm64. */
const emulators = { 'linux-arm64': 'qemu-aarch64-static -L /usr/aarch64-linux-gnu' }

function executable(machine) {
  const file = checkHeaders(machine)
  const emulator = machine === own ? '' : emulators[machine]
  if (
    machine !== own &&
    (emulator === undefined || !answers(`${emulator} --version && test -d /usr/aarch64-linux-gnu`))
  )
    throw new NotHere('its headers are right; it cannot run here')
  const place = emptyPlace()
  const health = `fetch(process.env.PAYMENTS_SANDBOX_URL + "/_sandbox/health").then(r => r.text()).then(console.log)`
  const output = shell(`${emulator} ${file} exec -- ${process.execPath} -e '${health}'`, place)
  const { status, version: found } = JSON.parse(last(output))
  if (status !== 'ok' || found !== version) throw new Error(output)
  return emulator === '' ? 'runs' : `runs under ${emulator.split(' ')[0]}`
}

/** pytest, and the backend that builds an sdist, come from the machine; nothing is downloaded. */
function pythonProject(file, python) {
  const place = emptyPlace(sandboxCommand())
  for (const { name, code } of codeOf('packages/python/README.md', 'python')) writeFileSync(join(place.cwd, name), code)
  const install = 'install --quiet --no-index --no-build-isolation --no-deps'
  shell(`${python} -m venv --system-site-packages venv && venv/bin/python -m pip ${install} ${file}`, place)
  const pytest = 'import os, pytest; print(os.path.dirname(os.path.dirname(pytest.__file__)))'
  const found = `PYTHONPATH=$(python3 -c '${pytest}') venv/bin/python -m pytest -q -p no:cacheprovider`
  return last(shell(found, place))
}

function javaProject() {
  const place = emptyPlace(sandboxCommand())
  for (const { name, code } of codeOf('packages/java/README.md', 'java')) writeFileSync(join(place.cwd, name), code)
  const jar = artifact(`junit-${version}.jar`)
  shell(`javac -d classes -cp ${junitJar}:${jar} *.java`, place)
  const output = shell(
    `java -jar ${junitJar} --class-path classes:${jar} --scan-class-path --disable-banner --disable-ansi-colors`,
    place,
  )
  const [passed] = /\d+ tests successful/.exec(output) ?? []
  if (passed === undefined) throw new Error(output)
  return `${passed}, without Maven`
}

/** Where the Maven of this machine keeps what it has downloaded. */
const knownToMaven = join(homedir(), '.m2/repository')

/** Maven's plugins come from Maven Central, or from what this machine knows of it. */
function mavenProject() {
  const place = emptyPlace(sandboxCommand())
  const tests = join(place.cwd, 'src/test/java')
  mkdirSync(tests, { recursive: true })
  for (const { name, code } of codeOf('packages/java/README.md', 'java')) writeFileSync(join(tests, name), code)
  const plugin = (name, its) =>
    `<plugin><artifactId>maven-${name}-plugin</artifactId><version>${its}</version></plugin>`
  const dependency = (group, name, its) =>
    `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${its}</version><scope>test</scope></dependency>`
  writeFileSync(
    join(place.cwd, 'pom.xml'),
    `<project><modelVersion>4.0.0</modelVersion><groupId>shop</groupId><artifactId>shop</artifactId><version>1</version>
<properties><maven.compiler.release>17</maven.compiler.release><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<repositories><repository><id>release</id><url>file://${mavenFolder}</url></repository></repositories>
<dependencies>${dependency(coordinates.mavenGroup, 'payments-sandbox-junit', version)}${dependency('org.junit.jupiter', 'junit-jupiter-api', '5.10.3')}</dependencies>
<build><plugins>${plugin('resources', '3.3.1')}${plugin('compiler', '3.13.0')}${plugin('surefire', '3.2.5')}</plugins></build></project>`,
  )
  const mirror = `<mirror><id>known</id><mirrorOf>central</mirrorOf><url>file://${knownToMaven}</url></mirror>`
  const settings = join(place.cwd, 'settings.xml')
  const mvn = (mirrors) => {
    writeFileSync(settings, `<settings><mirrors>${mirrors}</mirrors></settings>`)
    return shell(`mvn -B -ntp -s ${settings} -Dmaven.repo.local=$HOME/.m2/repository test`, place)
  }
  let output
  try {
    output = mvn(existsSync(knownToMaven) ? mirror : '')
  } catch (error) {
    if (/could not be resolved|Could not (find|transfer) artifact (?!.*payments)/.test(error.message))
      throw new NotHere(/Could not[^\n]*/.exec(error.message)?.[0] ?? error.message)
    throw error
  }
  return [...output.matchAll(/Tests run: [^\n]*/g)].at(-1)?.[0] ?? last(output)
}

function goProject() {
  const settings = {
    GOPROXY: `file://${join(folder, 'go')}`,
    GONOSUMDB: '*',
    GONOSUMCHECK: '1',
    GOFLAGS: '-mod=mod -modcacherw',
    GOSUMDB: 'off',
  }
  const place = emptyPlace({ ...sandboxCommand(), ...settings })
  for (const { name, code } of codeOf('packages/go/README.md', 'go')) writeFileSync(join(place.cwd, name), code)
  return last(
    shell(`go mod init payments && go get ${coordinates.goModule}@v${version} && go test -count=1 ./...`, place),
  )
}

/** `unpack` installs from a folder, otherwise from the archive as a registry names it. */
function phpProject(unpack) {
  const place = emptyPlace({ ...sandboxCommand(), COMPOSER_ALLOW_SUPERUSER: '1' })
  const archive = artifact(`php-${version}.zip`)
  if (unpack) shell(`mkdir package && cd package && unzip -q ${archive}`, place)
  const dist = { type: 'zip', url: `file://${archive}` }
  const entry = () => ({ ...JSON.parse(run('unzip', ['-p', archive, 'composer.json'])), dist })
  const repository = unpack ? { type: 'path', url: 'package' } : { type: 'package', package: entry() }
  const manifest = {
    repositories: [repository, { 'packagist.org': false }],
    'require-dev': { [coordinates.composerName]: version },
  }
  writeFileSync(join(place.cwd, 'composer.json'), JSON.stringify(manifest))
  for (const { name, code } of codeOf('packages/php/README.md', 'php')) {
    const installed = code.replace(/require_once .*;/, "require_once __DIR__ . '/vendor/autoload.php';")
    writeFileSync(join(place.cwd, name), installed)
  }
  shell('composer install --quiet --no-interaction', place)
  return last(shell('phpunit --do-not-cache-result PaymentsTest.php', place))
}

const npmTarball = () => artifact(`x-${version}.tgz`)
const rows = [
  {
    name: 'checksums',
    needs: ['sha256sum --version'],
    work: () => `${run('sha256sum', ['-c', 'checksums.txt'], { cwd: folder }).trim().split('\n').length} files`,
  },
  ...Object.keys(machines).map((machine) => ({ name: `executable ${machine}`, work: () => executable(machine) })),
  { name: 'npm', work: () => nodeProject(`npm install --no-audit --no-fund ${npmTarball()}`) },
  {
    name: 'npm, newest Node',
    work: () => nodeProject(`npm install --omit=optional --no-audit --no-fund ${npmTarball()}`, withNewestNode()),
  },
  { name: 'pnpm', work: () => managed('pnpm', '10.34.8', 'bin/pnpm.cjs', 'add') },
  { name: 'yarn', work: () => managed('yarn', '1.22.22', 'bin/yarn.js', 'add --ignore-optional') },
  {
    name: 'pip, wheel',
    needs: ['python3 -m pytest --version'],
    work: () => pythonProject(artifact('.whl'), 'python3'),
  },
  {
    name: 'pip, sdist',
    needs: ['python3 -m pytest --version'],
    work: () => pythonProject(artifact(`sandbox-${version}.tar.gz`), buildingPython),
  },
  { name: 'jar', needs: ['javac -version', `test -e ${junitJar}`], work: javaProject },
  { name: 'Maven', needs: ['mvn --version'], work: mavenProject },
  { name: 'go get', needs: ['go version'], work: goProject },
  {
    name: 'Composer, zip',
    needs: ['composer --version', 'phpunit --version', 'unzip -v'],
    work: () => phpProject(false),
  },
  {
    name: 'Composer, path',
    needs: ['composer --version', 'phpunit --version', 'unzip -v'],
    work: () => phpProject(true),
  },
  { name: 'Homebrew formula', needs: ['ruby --version'], work: () => last(run('ruby', ['-c', artifact('.rb')])) },
]
try {
  await doRows(rows)
} finally {
  rmSync(work, { recursive: true, force: true })
}
