/** The Chromium that a package brings along, unpacked once for each machine, with libraries and fonts where the machine has none. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface PackagedBrowser {
  executablePath: string
  env: Record<string, string>
}

/** Several test files may ask at once: each unpacks beside the place, and the first rename wins. */
export async function packagedBrowser(): Promise<PackagedBrowser> {
  const place = join(tmpdir(), `payments-sandbox-chromium-${version()}`)
  if (!existsSync(place)) {
    const beside = mkdtempSync(`${place}-`)
    await unpackInto(beside)
    // The package's own names a fixed folder for its fonts; without any font a page crashes.
    writeFileSync(join(beside, 'fonts/fonts.conf'), fontsOf(join(place, 'fonts')))
    try {
      renameSync(beside, place)
    } catch (error) {
      rmSync(beside, { recursive: true, force: true })
      if (!existsSync(place)) throw error
    }
  }
  const executablePath = join(place, 'chromium')
  return { executablePath, env: { ...ownEnvironment(), ...whatIsMissing(place, executablePath) } }
}

const fontsOf = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}</dir><cachedir>${folder}/cache</cachedir></fontconfig>
`

function version(): string {
  const require = createRequire(import.meta.url)
  const entry = require.resolve('@sparticuz/chromium')
  const { version } = require(join(dirname(entry), '../../package.json')) as { version: string }
  return version
}

/** The package unpacks into the folder for temporary files, its libraries only where it believes to be in a function's container. */
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

/** A bare Debian has neither nss nor fonts; a machine that has its own keeps to them. */
function whatIsMissing(place: string, executablePath: string): Record<string, string> {
  const linked = spawnSync('ldd', [executablePath], { encoding: 'utf8' })
  return {
    ...(linked.status !== 0 || linked.stdout.includes('not found')
      ? { LD_LIBRARY_PATH: join(place, 'al2023', 'lib') }
      : {}),
    ...(existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_PATH: join(place, 'fonts') }),
  }
}
