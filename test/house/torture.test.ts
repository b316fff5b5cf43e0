/** The long trials name files, and code by its text, so a rename must not leave one of them without its place. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readReached, reliabilityPage } from '../../scripts/docs/reliability.js'
import { transitions } from '../../src/protocol/platform/transitions.js'
import { isOfRemoved } from '../support/features.js'
import { equivalentMutants } from '../torture/equivalent-mutants.mjs'
import { leftOut } from '../torture/left-out.mjs'
import { plants } from '../torture/plants.mjs'
import { rowsToReach } from '../torture/simulation/reach.js'
import { unreached } from '../torture/unreached.mjs'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

test('every test file that the check leaves out exists, once', () => {
  expect(leftOut.filter((file) => !existsSync(join(root, file)) && !isOfRemoved(file))).toEqual([])
  expect(new Set(leftOut).size).toBe(leftOut.length)
})

test('the code of each planted fault stands in its file exactly once', () => {
  expect(plants.length).toBeGreaterThan(30)
  const misplaced = plants.filter(({ file, find }) => read(file).split(find).length !== 2)
  expect(misplaced.map(({ name }) => name)).toEqual([])
})

test('a fault is planted in each row of the table of transitions', () => {
  // One line makes two rows: of an open dispute and of an answered one.
  const lines = new Set(transitions.map(({ object, on }) => `${object} ${on}`))
  const planted = plants.flatMap(({ name }) => /^row (\w+) \w+ (\w+) /.exec(name)?.slice(1).join(' ') ?? [])
  expect(planted.toSorted()).toEqual([...lines].toSorted())
})

test('the simulation meets every transition, error, setting, step, fault and control route, or a reason says why not', () => {
  const rows = Object.entries(rowsToReach).flatMap(([kind, names]) => names.map((name) => `${kind}: ${name}`))
  const met = new Set(readReached().rows.flatMap(({ row, met }) => (met > 0 ? [row] : [])))
  const explained = Object.values(unreached).flat()
  // `npm run torture -- --only simulate` writes what it has met.
  expect(rows.filter((row) => !met.has(row)).toSorted()).toEqual(explained.toSorted())
})

test('docs/reliability.md is up to date', () => {
  const page = read('docs/reliability.md')
  expect(page, 'run `npm run docs`').toBe(reliabilityPage(page))
})

test('the code of each equivalent mutant stands in its file', () => {
  expect(equivalentMutants.length).toBeGreaterThan(50)
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((path) => `src/${path}`)
  const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ')
  const stale = equivalentMutants.filter(({ file, was, at = '' }) => {
    if (isOfRemoved(`/${file}`)) return false
    const path = sources.find((one) => one.endsWith(`/${file}`))
    const text = path === undefined ? '' : inOneLine(read(path))
    return ![was, at].every((part) => text.includes(inOneLine(part)))
  })
  expect(stale).toEqual([])
})
