/** The style guide that runs: where things stand, what may be called where, and that nothing of the tables goes untested. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { actionNames } from '../src/spec/actions.js'
import { endpoints } from '../src/spec/endpoints.js'
import { errorCatalogue } from '../src/spec/errors.js'
import { eventNames } from '../src/spec/events.js'
import { transitions } from '../src/spec/transitions.js'
import { migrations } from '../src/store/migrations.js'
import * as schema from '../src/store/schema.js'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Source {
  /** From the root, `src/core/ledger.ts`. */
  path: string
  text: string
  /** Without comments and without the insides of strings, so that words in prose count for nothing. */
  code: string
}

function filesBelow(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const text = readFileSync(path, 'utf8')
      return {
        path: relative(root, path),
        text,
        code: text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$| \/\/ .*$/gm, '').replace(/'(?:[^'\\\n]|\\.)*'/g, "''"),
      }
    })
}

const sources = filesBelow('src')
const tests = filesBelow('test').filter(({ path }) => path !== 'test/house.test.ts')

/** Lines that match, as `path: line`. */
const offences = (files: Source[], pattern: RegExp): string[] =>
  files.flatMap(({ path, code }) =>
    code
      .split('\n')
      .filter((line) => pattern.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  )

const isIn =
  (...places: string[]) =>
  ({ path }: Source) =>
    places.some((place) => path.startsWith(place))
const not = (test: (source: Source) => boolean) => (source: Source) => !test(source)

describe('floors', () => {
  /** Each floor stands on those before it; `client` and `dashboard` know the platform only by its spec and its HTTP. */
  const below: Record<string, readonly string[]> = {
    base: [],
    spec: ['base'],
    store: ['base', 'spec'],
    core: ['base', 'spec', 'store'],
    http: ['base', 'spec', 'store', 'core'],
    platform: ['base', 'spec', 'store', 'core', 'http'],
    client: ['base', 'spec'],
    dashboard: ['base', 'spec'],
    cli: ['base', 'spec', 'store', 'core', 'http', 'platform', 'client'],
    testing: ['base', 'spec', 'store', 'core', 'http', 'platform', 'client'],
  }
  const floorOf = (path: string) => path.split('/')[1] ?? ''

  test('a file imports its own floor or a lower one', () => {
    const wrong = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
        .map(([, target = '']) => relative(root, join(root, dirname(path), target)))
        .filter(
          (target) =>
            target.startsWith('src/') &&
            floorOf(target) !== floorOf(path) &&
            !below[floorOf(path)]?.includes(floorOf(target)),
        )
        .map((target) => `${path} imports ${target}`),
    )
    expect(sources.every(({ path }) => floorOf(path) in below)).toBe(true)
    expect(wrong).toEqual([])
  })

  const portable = sources.filter(isIn('src/base/', 'src/spec/', 'src/store/', 'src/core/', 'src/http/'))

  test('below the platform nothing knows its runtime', () => {
    const modules = portable
      .filter(not(isIn('src/base/crypto.ts')))
      .filter(({ text }) => /from 'node:|require\(/.test(text))
    expect(modules.map(({ path }) => path)).toEqual([])
    expect(offences(portable.filter(not(isIn('src/base/crypto.ts'))), /\b(process|Buffer|__dirname)\b[.[(]/)).toEqual(
      [],
    )
  })

  test('time and chance come in through ports only', () => {
    // A script that the docs page sends to browsers is text here, and runs there.
    const files = portable.filter(not(isIn('src/http/openapi/page/script.ts')))
    expect(
      offences(
        files,
        /\bDate\.now\(|new Date\(\)|Math\.random\(|\b(setTimeout|setInterval|setImmediate)\(|performance\.now\(/,
      ),
    ).toEqual([])
  })
})

describe('one way through', () => {
  test('a status is written in core/transition.ts alone', () => {
    const writers = sources.filter(({ code }) =>
      /\.update\((transactions|disputes)\)|inserter\((transactions|disputes|wallets)\)/.test(code),
    )
    expect(writers.map(({ path }) => path)).toEqual(['src/core/transition.ts'])
  })

  test('a balance is written in core/ledger.ts alone', () => {
    const writers = sources.filter(({ code }) =>
      /\.(update|insert)\((balances|postings)\)|(inserter|appender)\((balances|postings)\)/.test(code),
    )
    expect(writers.map(({ path }) => path)).toEqual(['src/core/ledger.ts'])
  })

  test('the queue is touched in core/jobs.ts alone', () => {
    const users = sources.filter(
      ({ code, path }) =>
        path.startsWith('src/') && /\.(from|update|insert|delete)\(jobs\)|appender\(jobs\)/.test(code),
    )
    expect(users.map(({ path }) => path)).toEqual(['src/core/jobs.ts'])
  })
})

test('the tables of drizzle are the tables that the migrations make', () => {
  const db = new Database(':memory:')
  for (const step of migrations) db.exec(step)
  const made = db
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name")
    .pluck()
    .all()
  const tables = Object.values(schema)
    .filter((value) => value instanceof SQLiteTable)
    .map((table) => getTableConfig(table))
  expect(tables.map(({ name }) => name).sort()).toEqual(made)
  for (const { name, columns } of tables) {
    const real = db.pragma(`table_info(${name})`) as { name: string; type: string; notnull: number; pk: number }[]
    const shape = real.map((column) => [column.name, column.type.toLowerCase(), column.notnull === 1 || column.pk > 0])
    const drawn = columns.map((column) => [column.name, column.getSQLType(), column.notNull || column.primary])
    expect(drawn.sort(), name).toEqual(shape.sort())
  }
  db.close()
})

describe('nothing of the tables goes untested', () => {
  const allTests = tests.map(({ text }) => text).join('\n')
  const unnamed = (names: readonly string[]) => names.filter((name) => !allTests.includes(name))

  test('every endpoint', () => expect(unnamed(Object.values(endpoints).map(({ path }) => path))).toEqual([]))
  test('every error code', () => expect(unnamed(Object.keys(errorCatalogue))).toEqual([]))
  test('every event', () => expect(unnamed(eventNames)).toEqual([]))
  test('every action', () => expect(unnamed(actionNames)).toEqual([]))
  test('every state that a transition leads to', () =>
    expect(
      unnamed([...new Set(transitions.map(({ to }) => `'${to}'`))].filter((name) => name !== "'created'")),
    ).toEqual([]))
})

describe('style', () => {
  /** Tables of many rows, and types written out of schemas. */
  const long = [
    'src/spec/endpoints.ts',
    'src/store/schema.ts',
    'src/client/types/',
    'src/dashboard/types.ts',
    'src/spec/readings.ts',
  ]

  test('files stay within 250 lines, tables apart', () => {
    const tooLong = sources.filter(not(isIn(...long))).filter(({ text }) => text.split('\n').length > 251)
    expect(tooLong.map(({ path }) => path)).toEqual([])
  })

  test('a sentence at the head of each file says what lives there', () => {
    const silent = [...sources, ...tests].filter(({ text }) => !/^(\/\*\* @jsx.*\n)?\/\*\*/.test(text))
    expect(silent.map(({ path }) => path)).toEqual([])
  })

  test('no `any`, no silenced compiler, no test left out', () => {
    expect(offences(sources, /(:|as|<) ?any\b(?!-)|@ts-(ignore|nocheck)/)).toEqual([])
    expect(offences(tests, /\b(test|it|describe)\.(only|skip|todo|fails)\b/)).toEqual([])
  })
})
