/** The long trials name files, and code by its text, so a rename must not leave one of them without its place. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { equivalentMutants } from '../torture/equivalent-mutants.mjs'
import { leftOut } from '../torture/left-out.mjs'
import { plants } from '../torture/plants.mjs'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

test('every test file that the check leaves out exists, once', () => {
  expect(leftOut.filter((file) => !existsSync(join(root, file)))).toEqual([])
  expect(new Set(leftOut).size).toBe(leftOut.length)
})

test('the code of each planted fault stands in its file exactly once', () => {
  expect(plants.length).toBeGreaterThan(30)
  const misplaced = plants.filter(({ file, find }) => read(file).split(find).length !== 2)
  expect(misplaced.map(({ name }) => name)).toEqual([])
})

test('the code of each equivalent mutant stands in its file', () => {
  expect(equivalentMutants.length).toBeGreaterThan(50)
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((path) => `src/${path}`)
  const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ')
  const stale = equivalentMutants.filter(({ file, was, at = '' }) => {
    const path = sources.find((one) => one.endsWith(`/${file}`))
    const text = path === undefined ? '' : inOneLine(read(path))
    return ![was, at].every((part) => text.includes(inOneLine(part)))
  })
  expect(stale).toEqual([])
})
