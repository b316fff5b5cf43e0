/** The program itself: its files, on disk in the package or embedded in the executable, and how to start it again. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { fieldsIn } from '../../base/unknown.js'

/** Paths are those in the package, such as `scenarios/pix-paid.yaml`. */
interface Program {
  isExecutable: boolean
  /** What a user types to run it. */
  typed: string
  /** Starts it again, with the arguments that follow. */
  command(): [file: string, ...args: string[]]
  /** Names of the files in a folder, sorted; empty for an unknown folder. */
  namesIn(folder: string): string[]
  /** Text of a file, decompressed if it is stored compressed; undefined for an unknown file. */
  read(path: string): string | undefined
  /** Where a file is on disk; null if it is embedded. */
  fileOf(path: string): string | null
  /** Code of a worker thread that runs the background tasks. */
  threadCode(): string
}

/** The used part of `node:sea`, which old versions of Node do not have. */
interface Embedded {
  isSea(): boolean
  getAsset(name: string, encoding: 'utf8'): string
  getAsset(name: string): ArrayBuffer
}

const builtFile = 'dist/program.cjs'
/** Assets that the build adds to the files: the list of the files, and the script that runs the program in a thread. */
const addedAssets = { list: 'list.txt', main: 'main.cjs' } as const

/** Ends the names of files that are stored compressed. */
const compressed = '.br'
const plainName = (name: string) => (name.endsWith(compressed) ? name.slice(0, -compressed.length) : name)
const decompress = (bytes: Uint8Array | ArrayBuffer) => brotliDecompressSync(bytes).toString('utf8')

const onDisk: Program = {
  isExecutable: false,
  typed: 'npx payments-sandbox',
  command: () => [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
  namesIn(folder) {
    const path = fileInPackage(folder)
    return path !== null && existsSync(path) ? readdirSync(path).map(plainName).sort() : []
  },
  read(path) {
    const file = fileInPackage(path)
    if (file === null) return undefined
    if (existsSync(file)) return readFileSync(file, 'utf8')
    return existsSync(file + compressed) ? decompress(readFileSync(file + compressed)) : undefined
  },
  fileOf: fileInPackage,
  threadCode() {
    const file = fileInPackage(builtFile)
    if (file === null || !existsSync(file)) throw new Error(`${builtFile} is missing: build the program first`)
    return `require(${JSON.stringify(file)}).background()`
  },
}

function embedded({ getAsset }: Embedded): Program {
  let paths: string[] | undefined
  const all = () => {
    paths ??= getAsset(addedAssets.list, 'utf8').split('\n')
    return paths
  }
  return {
    isExecutable: true,
    typed: 'payments-sandbox',
    command: () => [process.execPath],
    namesIn: (folder) =>
      all()
        .filter((path) => dirname(path) === folder)
        .map((path) => plainName(path.slice(folder.length + 1))),
    read(path) {
      if (all().includes(path)) return getAsset(path, 'utf8')
      return all().includes(path + compressed) ? decompress(getAsset(path + compressed)) : undefined
    },
    fileOf: () => null,
    threadCode: () => getAsset(addedAssets.main, 'utf8'),
  }
}

let folder: string | null | undefined

/** The folder of the package is above this file, for the source as for the built program; null if a user bundled the library. */
function fileInPackage(path: string): string | null {
  folder ??= packageAbove(dirname(fileURLToPath(import.meta.url)))
  return folder === null ? null : join(folder, path)
}

function packageAbove(start: string): string | null {
  for (let above = start; ; above = dirname(above)) {
    const manifest = join(above, 'package.json')
    if (existsSync(manifest) && fieldsIn(JSON.parse(readFileSync(manifest, 'utf8'))).name === 'payments-sandbox')
      return above
    if (above === dirname(above)) return null
  }
}

// The installed types describe an older version of Node.
const sea = process.getBuiltinModule?.('node:sea') as Embedded | undefined

export const program: Program = sea?.isSea() ? embedded(sea) : onDisk
