/** No regular expression of the program may backtrack: each is analyzed as an automaton. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { analyse } from 'scslre'
import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import * as z from 'zod'
import { isOfRemoved } from '../support/features.js'

const root = join(import.meta.dirname, '../..')

interface Node {
  type: string
  start: number
  end: number
  regex?: { pattern: string; flags: string }
  callee?: { name?: string }
}

const isNode = (value: unknown): value is Node =>
  value !== null && typeof value === 'object' && typeof (value as { type?: unknown }).type === 'string'

function visit(node: unknown, seen: (node: Node) => void): void {
  if (Array.isArray(node)) for (const item of node) visit(item, seen)
  else if (isNode(node)) {
    seen(node)
    for (const child of Object.values(node)) visit(child, seen)
  }
}

const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile() && /\.tsx?$/.test(file.name))
  .map((file) => join(file.parentPath, file.name))

const literals: { place: string; expression: RegExp }[] = []
const made: string[] = []
for (const file of files) {
  const text = readFileSync(file, 'utf8')
  const path = file.slice(root.length + 1)
  visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file), (node) => {
    const place = `${path}:${text.slice(0, node.start).split('\n').length}`
    if (node.regex !== undefined) literals.push({ place, expression: new RegExp(node.regex.pattern, node.regex.flags) })
    if (/^(New|Call)Expression$/.test(node.type) && node.callee?.name === 'RegExp') made.push(path)
  })
}

/** Whether a text that repeats one character can make the expression take more than linear time. */
const slow = (expression: RegExp): boolean => analyse(expression).reports.length > 0

test('the check of regular expressions finds planted backtracking', () => {
  expect(literals.length).toBeGreaterThan(80)
  for (const known of [/^(a+)+$/, /^\s*(>=|<)\s*(.+?)\s*$/, /\$\{\s*([^}]*?)\s*\}/g, /\s+$/, /<.*>/])
    expect([known.source, slow(known)]).toEqual([known.source, true])
  for (const known of [/^\d+(\.\d+)?$/, /^[a-z0-9]+(-[a-z0-9]+)*$/])
    expect([known.source, slow(known)]).toEqual([known.source, false])
})

test('every regular expression in the source takes one pass', () => {
  expect(
    literals.filter(({ expression }) => slow(expression)).map(({ place, expression }) => `${place} ${expression}`),
  ).toEqual([])
})

/** Returns the milliseconds for a text that repeats a piece and then does not match. */
function timeOf(expression: RegExp, piece: string, length: number): number {
  const text = `${piece.repeat(length / piece.length)}\u0001`
  const from = performance.now()
  text.search(expression)
  return performance.now() - from
}

test('no regular expression takes longer for a text that repeats two of its characters', () => {
  const wrong = literals.flatMap(({ place, expression }) => {
    const own = [...new Set(expression.source.replace(/[^a-zA-Z0-9:/.,=<>"'{}-]/g, ''))].slice(0, 8)
    const letters = [...new Set([...own, 'a', '0', ' ', '\n'])]
    const pieces = letters.flatMap((one) => letters.map((other) => one + other))
    const isSlow = (piece: string) =>
      timeOf(expression, piece, 8000) > 9 * Math.max(timeOf(expression, piece, 2000), 0.5)
    // A second measurement excludes disturbances by other load.
    const found = pieces.find((piece) => isSlow(piece) && isSlow(piece) && isSlow(piece))
    return found === undefined ? [] : [`${place} ${expression} with ${JSON.stringify(found)}`]
  })
  expect(wrong).toEqual([])
})

test('a regular expression is built at run time from our own texts only, in listed files', () => {
  const listed = [
    'src/features/mcp/command.ts',
    'src/http/app.ts',
    'src/protocol/platform/documented-sentences.ts',
    'src/runtime/node/files/output.ts',
    'src/runtime/shared/scenario-text.ts',
  ]
  expect([...new Set(made)].sort()).toEqual(listed.filter((path) => !isOfRemoved(path)))
})

test('the regular expressions of the schemas take one pass, too', () => {
  const named = Object.entries(z.regexes).flatMap(([name, made]) => (made instanceof RegExp ? [{ name, made }] : []))
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ made }) => slow(made)).map(({ name }) => name)).toEqual([])
  expect(slow(z.regexes.datetime({ offset: true }))).toBe(false)
})
