/** The built dashboard, read from disk on the first request. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Asset } from '../../../http/host.js'
import { pageTypes } from '../../shared/page-types.js'

export const dashboardPage = 'index.html'

let files: ReadonlyMap<string, Asset> | undefined

/** Returns a file of `dist/dashboard` by its name; undefined for an unknown name, and if the dashboard was not built. */
export function pageFile(name: string): Asset | undefined {
  files ??= readFiles(dirname(fileURLToPath(import.meta.url)))
  return files.get(name)
}

/** Finds the folder of the package above this file, for the source as for the bundle. */
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
