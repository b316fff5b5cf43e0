/** The package as published: packed, and installed into an empty project with its run-time dependency only. */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { built } from './built.js'
import { folderVariable } from './noted.js'

export const root = resolve(import.meta.dirname, '../..')

export interface Packed {
  tarball: string
  /** Bytes, packed and unpacked. */
  size: number
  unpackedSize: number
  files: string[]
}

/** Packs once for all test files of a run: the first file moves the tarball to a shared place. */
export async function pack(): Promise<Packed> {
  await built()
  const place = `${process.env[folderVariable]}-packed`
  const about = join(place, 'packed.json')
  if (!existsSync(about)) {
    const made = mkdtempSync(`${place}-`)
    writeFileSync(join(made, 'packed.json'), JSON.stringify(packInto(made)))
    try {
      renameSync(made, place)
    } catch {
      // Another test file was faster.
      rmSync(made, { recursive: true })
    }
  }
  const packed = JSON.parse(readFileSync(about, 'utf8')) as Packed
  return { ...packed, tarball: join(place, packed.tarball) }
}

function packInto(folder: string): Packed {
  const output = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root)
  const [packed] = JSON.parse(output) as (Omit<Packed, 'tarball' | 'files'> & {
    filename: string
    files: { path: string }[]
  })[]
  if (packed === undefined) throw new Error(output)
  const { filename, size, unpackedSize, files } = packed
  return { tarball: filename, size, unpackedSize, files: files.map(({ path }) => path) }
}

/** Runs npm without the settings that `npm test` passes in variables. */
export function npm(args: string[], cwd: string): string {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')))
  return execFileSync('npm', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Installs the package like `npm install`, but with the compiled driver of this checkout: compiling takes a minute. */
export function install(tarball: string, project: string, manifest: object): void {
  unpack(tarball, project, manifest)
  const modules = join(project, 'node_modules')
  for (const name of runtimeTree()) cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true })
  mkdirSync(join(modules, '.bin'))
  symlinkSync('../payments-sandbox/bin/payments-sandbox.js', join(modules, '.bin', 'payments-sandbox'))
}

/** Installs the package without its optional dependency. */
export function unpack(tarball: string, project: string, manifest: object): void {
  const own = join(project, 'node_modules/payments-sandbox')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, ...manifest }))
  execFileSync('tar', ['-xzf', tarball, '-C', own, '--strip-components=1'])
}

/** Returns the dependencies that a compiled driver needs, with theirs. */
function runtimeTree(): string[] {
  const { dependencies, optionalDependencies } = manifestOf(root)
  const toBuild = new Set(['prebuild-install'])
  const found = new Set<string>()
  const visit = (names: string[]) => {
    for (const name of names) {
      if (found.has(name) || toBuild.has(name)) continue
      found.add(name)
      visit(Object.keys(manifestOf(join(root, 'node_modules', name)).dependencies ?? {}))
    }
  }
  visit(Object.keys({ ...dependencies, ...optionalDependencies }))
  return [...found]
}

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>
    optionalDependencies?: Record<string, string>
  }

/** Compiles a user's project with this checkout's compiler; throws with its output. One thread takes a third less CPU than several. */
export function compile(project: string): void {
  try {
    execFileSync(
      process.execPath,
      [join(root, 'node_modules/typescript7/bin/tsc'), '-p', project, '--singleThreaded'],
      {
        encoding: 'utf8',
      },
    )
  } catch (error) {
    throw new Error(String((error as { stdout?: string }).stdout))
  }
}
