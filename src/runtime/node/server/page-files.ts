/** The built dashboard, read from disk when somebody first asks for it. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Asset } from '../../../http/host.js'
import { pageTypes } from '../../shared/page-types.js'

export const dashboardPage = 'index.html'

let files: ReadonlyMap<string, Asset> | undefined

/** A file of `dist/dashboard` by its name; undefined for any other name, and where nothing was built. */
export function pageFile(name: string): Asset | undefined {
  files ??= readFiles(dirname(fileURLToPath(import.meta.url)))
  return files.get(name)
}

/** The package's own folder is one of those above this file, whether this is the source or a bundle of it. */
function readFiles(from: string): ReadonlyMap<string, Asset> {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = namesIn(join(folder, 'dist', 'dashboard'))
    if (found !== undefined) return found
    if (folder === dirname(folder)) return new Map()
  }
}

function namesIn(folder: string): ReadonlyMap<string, Asset> | undefined {
  try {
    return new Map(
      readdirSync(folder).flatMap((name): [string, Asset][] => {
        const type = pageTypes[extname(name)]
        return type === undefined ? [] : [[name, { type, body: readFileSync(join(folder, name), 'utf8') }]]
      }),
    )
  } catch {
    return undefined
  }
}
