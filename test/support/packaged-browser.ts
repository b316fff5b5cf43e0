/** The Chromium of a package, unpacked once for each machine, with libraries and fonts if the machine has none. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface PackagedBrowser {
  executablePath: string
  env: Record<string, string>
}

/** Parallel test files each unpack into their own folder, and the first rename wins. */
export async function packagedBrowser(): Promise<PackagedBrowser> {
  const place = join(tmpdir(), `payments-sandbox-chromium-${version()}`)
  if (!existsSync(place)) {
    const beside = mkdtempSync(`${place}-`)
    await unpackInto(beside)
    // The package's own configuration names a fixed folder. Without fonts a page crashes.
    writeFileSync(join(beside, 'fonts/fonts.conf'), fontsOf(join(place, 'fonts')))
    try {
      renameSync(beside, place)
    } catch (error) {
      rmSync(beside, { recursive: true, force: true })
      if (!existsSync(place)) throw error
    }
  }
  const executablePath = join(place, 'chromium')
  return { executablePath, env: { ...ownEnvironment(), ...variablesFor(place, executablePath) } }
}

const fontsOf = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}</dir><cachedir>${folder}/cache</cachedir></fontconfig>
`

const folderOfPackage = packageFolder()
/** The package contains a program for this system only. */
export const hasPackagedBrowser =
  process.platform === 'linux' && process.arch === 'x64' && folderOfPackage !== undefined

function packageFolder(): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '../..')
  } catch {
    return undefined
  }
}

function version(): string {
  if (!hasPackagedBrowser || folderOfPackage === undefined)
    throw new Error(
      'There is no browser for the tests: install Chromium or Chrome, name one with TEST_BROWSER=/path/to/chrome, or run npm ci, which installs one for Linux on x64.',
    )
  const { version } = JSON.parse(readFileSync(join(folderOfPackage, 'package.json'), 'utf8'))
  return version
}

/** The package unpacks into the folder for temporary files. It unpacks its libraries only if it believes that it runs in a cloud function. */
async function unpackInto(folder: string): Promise<void> {
  const before = { ...process.env }
  Object.assign(process.env, { TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' })
  try {
    const { default: packaged } = await import('@sparticuz/chromium')
    await packaged.executablePath()
  } finally {
    for (const name of ['TMPDIR', 'AWS_EXECUTION_ENV', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH', 'HOME']) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
  }
}

const ownEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined))

/** Returns the variables for missing libraries and fonts. A bare Debian has neither. */
function variablesFor(place: string, executablePath: string): Record<string, string> {
  const linked = spawnSync('ldd', [executablePath], { encoding: 'utf8' })
  return {
    ...(linked.status !== 0 || linked.stdout.includes('not found')
      ? { LD_LIBRARY_PATH: join(place, 'al2023', 'lib') }
      : {}),
    ...(existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_PATH: join(place, 'fonts') }),
  }
}
