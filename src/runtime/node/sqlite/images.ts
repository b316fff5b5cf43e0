/** Files beside a database: its snapshots, its log, the databases of other workspaces. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ImageInfo } from '../../../core/snapshots/images.js'
import { isName } from '../../../core/unit/names.js'
import { databaseSuffixes } from './driver.js'

export function imageInfo(name: string, file: string): ImageInfo {
  const { size, mtimeMs } = statSync(file)
  return { name, sizeBytes: size, savedWallMs: Math.floor(mtimeMs) }
}

/** Returns the NAME of every file `DATABASE{mark}NAME{end}` in the folder of the database. */
export function namesBeside(database: string, mark: string, end = ''): string[] {
  const folder = dirname(database)
  if (!existsSync(folder)) return []
  const start = basename(database) + mark
  return readdirSync(folder)
    .filter((file) => file.startsWith(start) && file.endsWith(end))
    .map((file) => file.slice(start.length, file.length - end.length))
    .filter((name) => isName(name) && statSync(join(folder, start + name + end)).isFile())
    .sort()
}

/**
 * Deletes unfinished files that a killed process left beside the database. Other files never end like this, because
 * names have no dot.
 */
export function removeUnfinished(database: string): void {
  const folder = dirname(database)
  const start = basename(database)
  for (const file of readdirSync(folder)) {
    const rest = file.startsWith(start) && file.endsWith('.new') ? file.slice(start.length) : ''
    if (/^(\.admin-token|\.[sw]-.*)?\.new$/.test(rest)) rmSync(join(folder, file), { force: true })
  }
}

/** Deletes the database, its log and its snapshots. */
export function removeDatabase(database: string): void {
  for (const name of namesBeside(database, '.s-')) rmSync(`${database}.s-${name}`, { force: true })
  removeFile(database)
}

/** Deletes the database and its log. */
export function removeFile(database: string): void {
  for (const suffix of ['', ...databaseSuffixes]) rmSync(database + suffix, { force: true })
}
