/** The coordinates of the packages: names, versions, authors and addresses. All follow from `package.json` of the repository; `repository` is the one constant that a first release sets. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }

/** The address of the repository in a browser. */
const repository = manifest.repository.url.replace(/^git\+/, '').replace(/\.git$/, '')
const { hostname, pathname } = new URL(repository)
const [owner = ''] = pathname.slice(1).split('/')

/** Hosts below this domain belong to nobody, so a placeholder is never fetched. */
const placeholderDomain = '.example'
const isPublished = !hostname.endsWith(placeholderDomain)

const { version } = manifest
const authors = manifest.author

export const coordinates = {
  repository,
  version,
  goModule: `${hostname}${pathname}/packages/go`,
  mavenGroup: hostname === 'github.com' ? `io.github.${owner.toLowerCase()}` : reversed(hostname),
  composerName: `${owner.toLowerCase()}/payments-sandbox`,
  /** The words that start the published program; none before it is published. */
  npx: isPublished ? ['npx', '--yes', `payments-sandbox@${version}`] : [],
} as const

function reversed(host: string): string {
  return host.split('.').reverse().join('.')
}

type Rewrite = (text: string) => string

const between =
  (begin: string, end: string, lines: readonly string[]): Rewrite =>
  (text) => {
    const from = text.indexOf(begin) + begin.length
    const to = text.indexOf(end, from)
    return `${text.slice(0, from)}\n${lines.join('\n')}\n${text.slice(to)}`
  }

const pom = between('<!-- coordinates -->', '  <!-- end of coordinates -->', [
  `  <groupId>${coordinates.mavenGroup}</groupId>`,
  '  <artifactId>payments-sandbox-junit</artifactId>',
  `  <version>${version}</version>`,
  `  <url>${repository}</url>`,
  `  <licenses><license><name>${manifest.license}</name><url>https://opensource.org/license/mit</url></license></licenses>`,
  `  <developers><developer><name>${authors}</name></developer></developers>`,
  `  <scm><url>${repository}</url><connection>scm:git:${repository}.git</connection></scm>`,
])

const pyproject = between('# coordinates', '# end of coordinates', [
  `version = ${JSON.stringify(version)}`,
  `license = { text = ${JSON.stringify(manifest.license)} }`,
  `authors = [{ name = ${JSON.stringify(authors)} }]`,
  `urls = { Homepage = ${JSON.stringify(repository)}, Changelog = ${JSON.stringify(`${repository}/blob/main/CHANGELOG.md`)} }`,
])

/** Replaces the values of the first fields with these names. */
const jsonWith =
  (values: Readonly<Record<string, string>>): Rewrite =>
  (text) =>
    Object.entries(values).reduce(
      (json, [name, value]) => json.replace(new RegExp(`("${name}": )"[^"]*"`), `$1${JSON.stringify(value)}`),
      text,
    )

const composer = jsonWith({
  name: coordinates.composerName,
  license: manifest.license,
  homepage: repository,
})

const npm = jsonWith({ homepage: `${repository}#readme`, bugs: `${repository}/issues` })

const javaPage: Rewrite = (text) =>
  text.replace(
    /<groupId>[^<]*(<\/groupId>\s*<artifactId>payments-sandbox-junit<\/artifactId>\s*<version>)[^<]*/,
    `<groupId>${coordinates.mavenGroup}$1${version}`,
  )
const phpPage: Rewrite = (text) =>
  text.replace(/"[^"/]+\/payments-sandbox": "@dev"/, `"${coordinates.composerName}": "@dev"`)

const goPages = ['docs/languages/go.md', 'packages/go/README.md']
const languages = ['go', 'java', 'php', 'python']

/** Returns the files with coordinates as they must be, by their paths. */
export function coordinateFiles(root: string): Record<string, string> {
  const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
  const goMod = textOf('packages/go/go.mod')
  const [, formerModule = ''] = /^module (\S+)$/m.exec(goMod) ?? []
  const go: Rewrite = (text) => text.replaceAll(formerModule, coordinates.goModule)
  const goFiles = readdirSync(join(root, 'packages/go'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /(\.go|^go\.mod)$/.test(file) && !file.endsWith('generated.go'))
    .map((file) => `packages/go/${file}`)
  const rows: (readonly [string, Rewrite])[] = [
    ['package.json', npm],
    ['packages/java/pom.xml', pom],
    ['packages/python/pyproject.toml', pyproject],
    ['packages/php/composer.json', composer],
    ['docs/languages/java.md', javaPage],
    ['docs/languages/php.md', phpPage],
    ...[...goFiles, ...goPages].map((file) => [file, go] as const),
  ]
  const license = textOf('LICENSE')
  return {
    ...Object.fromEntries(rows.map(([file, rewrite]) => [file, rewrite(textOf(file))])),
    ...Object.fromEntries(languages.map((language) => [`packages/${language}/LICENSE`, license])),
  }
}
