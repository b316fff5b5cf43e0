/** The artifacts of the packages for other languages. */
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildingPython, coordinates, folder, junitJar, root, run, shell, version } from './common.mjs'

/** Calls `work` with a copy of a package, which is removed afterwards. */
function withCopy(language, work) {
  const copy = mkdtempSync(join(tmpdir(), `payments-sandbox-${language}-`))
  try {
    cpSync(join(root, 'packages', language), copy, {
      recursive: true,
      filter: (path) => !/\/(target|build|__pycache__|[^/]*\.egg-info)$/.test(path),
    })
    return work(copy)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** Links to files of the repository work everywhere. */
const withLinks = (text, from) =>
  text.replaceAll(/\]\((?!\w+:|#)([^)]+)\)/g, (_, path) => {
    const target = new URL(path, `https://files.example/packages/${from}/`).pathname
    return `](${coordinates.repository}/blob/v${version}${target})`
  })

function python() {
  return withCopy('python', (copy) => {
    const readme = join(copy, 'README.md')
    writeFileSync(readme, withLinks(readFileSync(readme, 'utf8'), 'python'))
    const build = 'import setuptools.build_meta as b, sys; to = sys.argv[1]; b.build_sdist(to); b.build_wheel(to)'
    run(buildingPython, ['-c', build, folder], { cwd: copy, env: { ...process.env, SOURCE_DATE_EPOCH: committedAt() } })
    return readdirSync(folder)
      .filter((name) => /^payments_sandbox-.*\.(whl|tar\.gz)$|^payments-sandbox-[\d.]+\.tar\.gz$/.test(name))
      .join(', ')
  })
}

/** Seconds since 1970 of the last commit, so that equal commits give equal archives. */
const committedAt = () => run('git', ['log', '-1', '--format=%ct']).trim()

/** The folder of the jars, laid out as a Maven repository. The portal of Maven Central takes it as a zip, with a signature beside each file. */
export const mavenFolder = join(folder, 'maven')

function java() {
  return withCopy('java', (copy) => {
    const name = `payments-sandbox-junit-${version}`
    const place = join(mavenFolder, coordinates.mavenGroup.replaceAll('.', '/'), 'payments-sandbox-junit', version)
    mkdirSync(place, { recursive: true })
    const date = new Date(Number(committedAt()) * 1000).toISOString().replace('.000', '')
    const jar = (suffix, content) =>
      shell(`jar --create --date=${date} --file "${join(place, name)}${suffix}.jar" -C ${content} . -C . LICENSE`, {
        cwd: copy,
      })
    const sources = '$(find src/main -name "*.java")'
    shell(`javac --release 17 -d classes -cp ${junitJar} ${sources}`, { cwd: copy })
    shell(`javadoc -quiet -Xdoclint:all,-missing -d documentation -cp ${junitJar} ${sources}`, { cwd: copy })
    jar('', 'classes')
    jar('-sources', 'src/main/java')
    jar('-javadoc', 'documentation')
    writeFileSync(join(place, `${name}.pom`), readFileSync(join(copy, 'pom.xml')))
    for (const file of readdirSync(place).filter((one) => /\.(jar|pom)$/.test(one)))
      for (const kind of ['md5', 'sha1']) {
        const hash = createHash(kind)
          .update(readFileSync(join(place, file)))
          .digest('hex')
        writeFileSync(join(place, `${file}.${kind}`), hash)
      }
    return `maven: ${name}.jar with sources and javadoc; not signed, as Maven Central requires`
  })
}

/** A file proxy of Go has its files below the module, with capitals as `!` and the small letter. */
function go() {
  const { goModule } = coordinates
  const place = join(
    folder,
    'go',
    goModule.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`),
    '@v',
  )
  mkdirSync(place, { recursive: true })
  const release = `v${version}`
  const file = join(place, release)
  run('git', ['archive', '--format=zip', `--prefix=${goModule}@${release}/`, '-o', `${file}.zip`, 'HEAD:packages/go'])
  writeFileSync(`${file}.mod`, run('git', ['show', 'HEAD:packages/go/go.mod']))
  writeFileSync(
    `${file}.info`,
    `${JSON.stringify({ Version: release, Time: new Date(Number(committedAt()) * 1000) })}\n`,
  )
  writeFileSync(join(place, 'list'), `${release}\n`)
  return `go: a file proxy with ${goModule}@${release}, from the last commit`
}

function composer() {
  return withCopy('php', (copy) => {
    const file = join(copy, 'composer.json')
    // Only an archive names its version; a repository has tags.
    writeFileSync(file, `${JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version }, null, 2)}\n`)
    const name = `payments-sandbox-php-${version}`
    const env = { ...process.env, COMPOSER_HOME: join(copy, '.composer'), COMPOSER_ALLOW_SUPERUSER: '1' }
    run('composer', ['archive', '--no-interaction', '--format=zip', `--dir=${folder}`, `--file=${name}`], {
      cwd: copy,
      env,
    })
    return `${name}.zip`
  })
}

export const languageRows = [
  { name: 'wheel and sdist', needs: [`${buildingPython} -c "import setuptools, wheel"`], work: python },
  { name: 'jar', needs: ['javac -version', 'javadoc --version', `test -e ${junitJar}`], work: java },
  { name: 'Go module', needs: ['git rev-parse HEAD'], work: go },
  { name: 'Composer archive', needs: ['composer --version'], work: composer },
]
