/** The coordinates of the packages: names, versions, authors and addresses. All follow from `package.json` of the repository; `repository` is the one constant that a first release sets. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }

type Manifest = Pick<typeof manifest, 'author' | 'license' | 'repository' | 'version'>

/** Hosts below this domain belong to nobody, so a placeholder is never fetched. */
const placeholderDomain = '.example'

function coordinatesOf({ repository: { url }, version }: Manifest) {
  /** Its address in a browser. */
  const repository = url.replace(/^git\+/, '').replace(/\.git$/, '')
  const { hostname, pathname } = new URL(repository)
  const owner = pathname.split('/')[1]?.toLowerCase() ?? ''
  const isPublished = !hostname.endsWith(placeholderDomain)
  return {
    repository,
    version,
    goModule: `${hostname}${pathname}/packages/go`,
    mavenGroup: hostname === 'github.com' ? `io.github.${owner}` : reversed(hostname),
    composerName: `${owner}/payments-sandbox`,
    /** The words that start the published program; none before it is published. */
    npx: isPublished ? ['npx', '--yes', `payments-sandbox@${version}`] : [],
  } as const
}

export const coordinates = coordinatesOf(manifest)

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

/** Replaces the values of the first fields with these names. */
const jsonWith =
  (values: Readonly<Record<string, string>>): Rewrite =>
  (text) =>
    Object.entries(values).reduce(
      (json, [name, value]) => json.replace(new RegExp(`("${name}": )"[^"]*"`), `$1${JSON.stringify(value)}`),
      text,
    )

const textInToml = (text: string) => JSON.stringify(text)

/** What each file needs, by its path. */
function rewritesOf(from: Manifest): Record<string, Rewrite> {
  const { author, license } = from
  const { repository, version, mavenGroup, composerName } = coordinatesOf(from)
  return {
    'package.json': jsonWith({ homepage: `${repository}#readme`, bugs: `${repository}/issues` }),
    'packages/java/pom.xml': between('<!-- coordinates -->', '  <!-- end of coordinates -->', [
      `  <groupId>${mavenGroup}</groupId>`,
      '  <artifactId>payments-sandbox-junit</artifactId>',
      `  <version>${version}</version>`,
      `  <url>${repository}</url>`,
      `  <licenses><license><name>${license}</name><url>https://opensource.org/license/mit</url></license></licenses>`,
      `  <developers><developer><name>${author}</name></developer></developers>`,
      `  <scm><url>${repository}</url><connection>scm:git:${repository}.git</connection></scm>`,
    ]),
    'packages/python/pyproject.toml': between('# coordinates', '# end of coordinates', [
      `version = ${textInToml(version)}`,
      `license = { text = ${textInToml(license)} }`,
      `authors = [{ name = ${textInToml(author)} }]`,
      `urls = { Homepage = ${textInToml(repository)}, Changelog = ${textInToml(`${repository}/blob/main/CHANGELOG.md`)} }`,
    ]),
    'packages/php/composer.json': jsonWith({ name: composerName, license, homepage: repository }),
    'packages/java/README.md': (text) =>
      text.replace(
        /<groupId>[^<]*(<\/groupId>\s*<artifactId>payments-sandbox-junit<\/artifactId>\s*<version>)[^<]*/,
        `<groupId>${mavenGroup}$1${version}`,
      ),
    'packages/php/README.md': (text) => text.replace(/"[^"/]+\/payments-sandbox": "@dev"/, `"${composerName}": "@dev"`),
  }
}

const goPages = ['packages/go/README.md']
const languages = ['go', 'java', 'php', 'python']

/** Returns the files with coordinates as they must be, by their paths. */
export function coordinateFiles(root: string, from: Manifest = manifest): Record<string, string> {
  const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
  const goMod = textOf('packages/go/go.mod')
  const [, formerModule = ''] = /^module (\S+)$/m.exec(goMod) ?? []
  const go: Rewrite = (text) => text.replaceAll(formerModule, coordinatesOf(from).goModule)
  const goFiles = readdirSync(join(root, 'packages/go'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /(\.go|^go\.mod)$/.test(file) && !file.endsWith('generated.go'))
    .map((file) => `packages/go/${file}`)
  const rows = { ...rewritesOf(from), ...Object.fromEntries([...goFiles, ...goPages].map((file) => [file, go])) }
  const license = textOf('LICENSE')
  return {
    ...Object.fromEntries(Object.entries(rows).map(([file, rewrite]) => [file, rewrite(textOf(file))])),
    ...Object.fromEntries(languages.map((language) => [`packages/${language}/LICENSE`, license])),
  }
}
