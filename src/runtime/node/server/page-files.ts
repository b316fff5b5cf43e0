/** The built dashboard, read on the first request. */
import { extname } from 'node:path'
import type { Asset } from '../../../http/host.js'
import { pageTypes } from '../../shared/page-types.js'
import { program } from '../program.js'

export const dashboardPage = 'index.html'

const folder = 'dist/dashboard'

let files: ReadonlyMap<string, Asset> | undefined

/** Returns a file of the dashboard by its name; undefined for an unknown name, and if the dashboard was not built. */
export function pageFile(name: string): Asset | undefined {
  files ??= readFiles()
  return files.get(name)
}

const readFiles = (): ReadonlyMap<string, Asset> =>
  new Map(
    program.namesIn(folder).flatMap((name): [string, Asset][] => {
      const type = pageTypes[extname(name)]
      const body = type === undefined ? undefined : program.read(`${folder}/${name}`)
      return type === undefined || body === undefined ? [] : [[name, { type, body }]]
    }),
  )
