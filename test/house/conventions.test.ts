/** The project's conventions: layers, time and randomness, data ownership, sizes, and that every row of a table is tested. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { actionNames } from '../../src/protocol/actions/actions.js'
import { currencies, currencyNames, networkNames } from '../../src/protocol/platform/currencies.js'
import { endpointNames, endpoints } from '../../src/protocol/platform/endpoints.js'
import { errorCatalogue } from '../../src/protocol/platform/errors.js'
import { eventNames } from '../../src/protocol/platform/events.js'
import { cashoutFailureCodes } from '../../src/protocol/platform/failures.js'
import { transitions } from '../../src/protocol/platform/transitions.js'
import { createTables, reader } from '../../src/store/db.js'
import * as schema from '../../src/store/schema.js'
import { sqlite } from '../support/database.js'
import { describedFeatures, features, isOfRemoved, removedFeatures } from '../support/features.js'

const root = join(import.meta.dirname, '../..')

interface Source {
  path: string
  text: string
  /** The source without comments and strings, so that words about code do not count as code. */
  code: string
}

function read(folder: string, pattern = /\.tsx?$/): Source[] {
  const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  return files
    .filter((file) => file.isFile() && pattern.test(file.name))
    .map((file) => join(file.parentPath, file.name).slice(root.length + 1))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
    .map(({ path, text }) => ({ path, text, code: codeOf(text) }))
}

const codeOf = (text: string) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|[\s;{}(),])\/\/.*$/gm, '$1')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''")
    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""')

const src = read('src')
const tests = read('test', /\.test\.ts$/)
const featureFolders = features.map((name) => `src/features/${name}/`)
const isOfFeature = (path: string) => featureFolders.some((folder) => path.startsWith(folder))
const doors = src.filter(({ path }) => path.startsWith('src/inside/')).map(({ text }) => text)
/** What nothing may use once a feature is removed: the files of the doorway, and those that it opens as a whole. */
const isIdle = (path: string) =>
  removedFeatures.length > 0 &&
  (path.startsWith('src/inside/') ||
    doors.some((text) => text.includes(`export * from '${path.replace('src', '..').replace(/tsx?$/, 'js')}'`)))
/** A feature and the interface of features stand on the same layer. */
const layerOf = (path: string) => (isOfFeature(path) ? 'feature' : (path.split('/')[1] ?? '').replace(/\.[jt]s$/, ''))
/** What a source imports of ours, in every form: types, styles, re-exports, and what is loaded later. */
const importsOf = ({ path, text }: Pick<Source, 'path' | 'text'>): string[] =>
  [...text.matchAll(/\b(?:from|(?:import|require)\s*\((?:\s*\/\*.*?\*\/)?|import)\s*(['"`])(\.[^'"`]+)\1/g)].map(
    ([, , target = '']) => normalize(join(dirname(path), target)),
  )
const finding = (files: readonly Source[], pattern: RegExp, of: 'code' | 'text' = 'code') =>
  files.flatMap((file) =>
    file[of]
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file.path}:${index + 1} ${line.trim()}`] : [])),
  )

describe('the layers', () => {
  const below = (...names: string[]) => new Set(names)
  /** What each folder may import beside itself. */
  const allowed: Record<string, Set<string>> = {
    base: below(),
    protocol: below('base'),
    store: below('base', 'protocol'),
    core: below('base', 'protocol', 'store'),
    http: below('base', 'protocol', 'store', 'core'),
    runtime: below('base', 'protocol', 'store', 'core', 'http', 'feature', 'features'),
    // The client runs in any process, so it knows the tables but not the server's code.
    client: below('base', 'protocol'),
    // The dashboard runs in a browser and uses the control API like any client.
    dashboard: below('base', 'protocol', 'client', 'features'),
    cli: below('base', 'protocol', 'store', 'core', 'http', 'runtime', 'client', 'feature', 'features'),
    testing: below('base', 'protocol', 'store', 'core', 'http', 'runtime', 'client', 'feature', 'features'),
    // The composition roots, which only entries import.
    features: below('feature', 'dashboard'),
    // The interface of a feature, and the features, which reach the sandbox through its doors only.
    feature: below('inside', 'http', 'cli'),
    inside: below('base', 'protocol', 'store', 'core', 'http', 'runtime', 'client', 'cli', 'testing', 'dashboard'),
  }

  /** Data outside `src` that the build includes. */
  const data = ['package.json', 'recordings/index.json']

  test('include only the listed ones', () => {
    expect(new Set(src.map((file) => layerOf(file.path)))).toEqual(new Set(Object.keys(allowed)))
  })

  test('contain only files that import their own and lower layers', () => {
    const wrong = src.flatMap((file) =>
      importsOf(file).flatMap((to) => {
        if (data.includes(to) || layerOf(to) === layerOf(file.path)) return []
        if (isOfFeature(file.path) && loadedLater.includes(to)) return []
        return allowed[layerOf(file.path)]?.has(layerOf(to)) ? [] : [`${file.path} imports ${to}`]
      }),
    )
    expect(wrong).toEqual([])
  })

  /** A file and all that it imports, also later. */
  const closureOf = (path: string, found = new Set<string>()): Set<string> => {
    const file = src.find((one) => one.path.replace(/\.tsx?$/, '') === path.replace(/\.(js|tsx?)$/, ''))
    if (file === undefined || found.has(file.path)) return found
    found.add(file.path)
    for (const to of importsOf(file)) closureOf(to, found)
    return found
  }
  const inWorkers = new Set([...closureOf('src/features/workers.ts')].filter(isOfFeature))

  /** What only some runs of a feature need and what takes long to load, so a door must not load it. */
  const loadedLater = [
    'src/cli/run-sandbox.js',
    'src/cli/settings/config-file.js',
    'src/runtime/node/files/input.js',
    'src/protocol/control/outputs.js',
    'src/testing/config.js',
  ]

  test('let features reach the sandbox through few doors', () => {
    const outside = src
      .filter(({ path }) => isOfFeature(path))
      .flatMap((file) => importsOf(file).filter((to) => !isOfFeature(to) && to !== 'package.json'))
    const doors = new Set(outside.filter((to) => !loadedLater.includes(to)))
    expect([...doors].filter((to) => !/^src\/(inside\/\w+|feature)\.js$/.test(to))).toEqual([])
    if (removedFeatures.length === 0) expect(loadedLater.filter((to) => !outside.includes(to))).toEqual([])
    expect(doors.size + loadedLater.length).toBeLessThanOrEqual(25)
  })

  test('let the pages of features reach only what a browser can run', () => {
    const reached = new Set([...closureOf('src/features/pages.ts')].map(layerOf))
    expect([...reached].sort()).toEqual(['base', 'client', 'dashboard', 'feature', 'features', 'inside', 'protocol'])
  })

  /** The modules of the core, lowest first. */
  const modules = [
    'unit',
    'auth',
    'ledger',
    'jobs',
    'webhooks',
    'operations',
    'endpoints',
    'scenarios',
    'delivery',
    'clock',
    'calls',
    'request-log',
    'snapshots',
    'workspace',
    'demo',
  ]
  const moduleOf = (path: string) => (path.startsWith('src/core/') ? path.split('/')[2] : undefined)

  test('have ordered modules in the core, and a module imports only modules below it', () => {
    expect(new Set(src.flatMap(({ path }) => moduleOf(path) ?? []))).toEqual(new Set(modules))
    const upward = src.flatMap((file) =>
      importsOf(file).flatMap((to) => {
        const [from, into] = [moduleOf(file.path), moduleOf(to)]
        if (from === undefined || into === undefined) return []
        return modules.indexOf(into) > modules.indexOf(from) ? [`${file.path} imports ${to}`] : []
      }),
    )
    expect(upward).toEqual([])
  })

  test('import files by a path that stands in the import itself', () => {
    // A method can have the name too: it takes an object.
    expect(finding(src, /(?<![.\w])import\s*\((?!''|\{)/)).toEqual([])
  })

  test('let a call of the platform API enter the core in one place', () => {
    const [home, caller] = ['src/core/calls/process-call.ts', 'src/http/platform/handle.ts']
    // Types are gone when the program runs. Whoever imports, loads or re-exports the rest can call it.
    const loading = src.flatMap(({ path, text }) => {
      const values = text.replace(/^(import|export) type [^;]*? from '[^']*'$/gm, '')
      return importsOf({ path, text: values }).flatMap((to) => (to === home.replace(/ts$/, 'js') ? [path] : []))
    })
    expect(loading).toEqual([caller])
    // Defined once, imported once and called once: neither file passes it on.
    const named = src.flatMap(({ path, text }) => [...text.matchAll(/processCall/g)].map(() => path))
    expect(named).toEqual([home, caller, caller])
    const exported = [
      ...readFileSync(join(root, home), 'utf8').matchAll(/^export (?!interface|type)(?:(?:async )?\w+ )?([\w*{]+)/gm),
    ]
    expect(exported.map(([, name]) => name)).toEqual(['newTrace', 'processCall', 'delayOrDisconnect'])
  })

  test('name no feature: only the composition roots in src/features do', () => {
    /** The entries, each of which takes its list of features from a composition root. */
    const entries = [
      'src/cli/main.ts',
      'src/dashboard/app.css',
      'src/dashboard/parts/frame/tasks.ts',
      'src/dashboard/views/index.ts',
      'src/runtime/node/background/main.ts',
      'src/runtime/workers/worker.ts',
      'src/testing/index.ts',
      'src/testing/server.ts',
    ]
    const all = read('src', /\.(tsx?|css)$/)
    const importers = (folder: string) =>
      all.filter((file) => !file.path.startsWith(folder) && importsOf(file).some((target) => target.startsWith(folder)))
    for (const feature of featureFolders)
      expect(
        importers(feature)
          .map(({ path }) => path)
          .filter((path) => !/^src\/features\/[\w-]+\.\w+$/.test(path)),
        feature,
      ).toEqual([])
    expect(
      importers('src/features/')
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(entries)
    // Certification in a deployment on Durable Objects needs an object of its own.
    expect(
      importers('src/runtime/workers/')
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(['src/inside/workers.ts'])
  })

  test('have no circular imports', () => {
    const edges = new Map<string, string[]>()
    const named = (path: string) => path.replace(/\.(js|tsx?)$/, '')
    for (const { path, text } of src)
      edges.set(
        named(path),
        // Type imports and `import()` count too, because files that depend on each other are hard to understand separately.
        importsOf({ path, text }).map(named),
      )
    const circles: string[] = []
    const done = new Set<string>()
    const visit = (path: string, trail: string[]): void => {
      if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
      if (trail.includes(path) || done.has(path)) return
      for (const next of edges.get(path) ?? []) visit(next, [...trail, path])
      done.add(path)
    }
    for (const path of edges.keys()) visit(path, [])
    expect(circles).toEqual([])
  })

  /** What runs in every runtime. */
  const portable = src.filter(
    ({ path }) =>
      (['base', 'protocol', 'store', 'core', 'http', 'client'].includes(layerOf(path)) || inWorkers.has(path)) &&
      !/^src\/features\/certify\/workers-\w+\.ts$/.test(path),
  )

  test('contain no unused file except entry points', () => {
    const imported = new Set(src.flatMap((file) => importsOf(file).map((target) => target.replace(/\.js$/, ''))))
    const begins = [
      'cli/main.ts',
      'dashboard/main.tsx',
      'dashboard/pages/docs.ts',
      'dashboard/pages/pay.ts',
      'runtime/node/background/main.ts',
      'runtime/workers/worker.ts',
      'testing/fixtures/extensions.ts',
      'testing/fixtures/wrapper.ts',
      'testing/index.ts',
    ]
    const alone = src
      .map(({ path }) => path)
      .filter((path) => !path.endsWith('.d.ts') && !imported.has(path.replace(/\.tsx?$/, '')) && !isIdle(path))
    expect(alone.sort()).toEqual(begins.map((path) => `src/${path}`).sort())
  })

  test('import nothing of a runtime below the runtime layer', () => {
    const files = portable.filter((file) => file.path !== 'src/base/crypto.ts')
    expect(finding(files, /from 'node:|require\(/, 'text')).toEqual([])
    expect(finding(files, /\bprocess\.|\bBuffer\b|\b__dirname\b|import\.meta/)).toEqual([])
  })

  test('take time and randomness from ports below the runtime layer', () => {
    // Two helpers of the client take the time as an option.
    const files = portable.filter((file) => layerOf(file.path) !== 'client')
    expect(finding(files, /\bDate\.now\b|new Date\(\)|performance\.now/)).toEqual([])
    expect(finding(files, /Math\.random|randomUUID|getRandomValues/)).toEqual([])
    expect(finding(files, /\b(setTimeout|setInterval|setImmediate|queueMicrotask)\b/)).toEqual([])
  })

  test('parse untrusted JSON by the functions of base/json.ts alone', () => {
    // Each of these reads what the sandbox wrote itself, a file or a form of the user's own, or checks a text without keeping its value.
    const own = [
      ...[
        'base/json.ts',
        'store/columns.ts',
        'runtime/workers/database.ts',
        'core/snapshots/file.ts',
        'base/json.ts',
        'client/snapshots.ts',
        'features/mcp/command.ts',
        'runtime/node/admin-token.ts',
        'http/platform/mask.ts',
      ],
      ...['http/openapi/control.ts', 'features/certify/receiver/test-events.ts'],
      ...['runtime/node/program.ts', 'cli/commands/request.ts', 'cli/commands/start.ts', 'cli/detached.ts'],
      ...[
        'features/certify/receiver/checks/accept.ts',
        'features/mcp/serve.ts',
        'features/mcp/tools/call.ts',
        'client/control.ts',
        'client/exchange.ts',
        'client/signatures.ts',
      ],
      ...['cli/commands/account.ts', 'testing/lists.ts', 'dashboard/store/query.ts'],
    ].map((path) => `src/${path}`)
    const parsing = finding(src, /JSON\.parse\(/).map((line) => line.split(':')[0] ?? '')
    expect(parsing.filter((path) => !own.includes(path))).toEqual([])
  })

  test('mention HTTP and the command line only above the core', () => {
    const core = src.filter((file) => ['base', 'store', 'core'].includes(layerOf(file.path)))
    const uncommented = core.map(({ path, text }) => {
      const without = text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
      return { path, text: without.replace(/(^|\s)\/\/.*$/gm, '$1'), code: '' }
    })
    const header = /\b(X-[A-Z][a-z]+|Content-Type|Retry-After|User-Agent|x-sandbox|x-webhook)\b/
    const flag = /[\s'"`(]--[a-z]+(-[a-z]+)*[\s'"`,)]/
    const route = /['"`\s]\/v2\b|\/_sandbox\b/
    expect(finding(uncommented, new RegExp([header, flag, route].map((one) => one.source).join('|')), 'text')).toEqual(
      [],
    )
  })

  test('have one source of time and one of randomness above the core', () => {
    const runtime = src.filter((file) => layerOf(file.path) === 'runtime')
    expect(finding(runtime, /\bDate\.now\b/).map((line) => line.split(':')[0])).toEqual([
      'src/runtime/node/workspaces.ts',
      'src/runtime/workers/runtime.ts',
    ])
    expect(finding(runtime, /Math\.random|randomBytes|randomUUID/)).toEqual([])
  })
})

test('the style sheets of the dashboard name only classes that a page uses', () => {
  const text = (file: Source) => file.text.replace(/^import .*$|^\s*(\/\/|\/?\*).*$/gm, '')
  const quoted = src.flatMap((file) => text(file).match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? []).join(' ')
  const used = new Set(quoted.match(/[\w-]+/g))
  const unused = read('src', /\.css$/).flatMap((file) =>
    [...file.text.replace(/\/\*[\s\S]*?\*\/|url\([^)]*\)|"[^"]*"/g, '').matchAll(/\.([a-z][\w-]*)/gi)]
      .map(([, name = '']) => name)
      // `json-${kind}` is the class of each kind, `method-${method}` that of each method.
      .filter((name) => !used.has(name) && !quoted.includes(`${name.split('-')[0]}-${'$'}{`))
      .map((name) => `${file.path} .${name}`),
  )
  expect([...new Set(unused)]).toEqual([])
})

test('docs/architecture.md describes every feature', () => {
  expect(describedFeatures.toSorted()).toEqual([...features, ...removedFeatures].toSorted())
})

test('the pages about architecture and benchmarks name existing files', () => {
  const pages = ['docs/architecture.md', 'bench/README.md'].map((file) => readFileSync(join(root, file), 'utf8'))
  const page = pages.flatMap((text) => text.split('\n').filter((line) => !isOfRemoved(line))).join('\n')
  const named = [...page.matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, name = '']) => name)
  const all = [...src, ...read('test'), ...read('bench')].map(({ path }) => path)
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((name) => !all.some((path) => `/${path}`.endsWith(`/${name}`)))).toEqual([])
})

describe('the ownership of data', () => {
  const elsewhere = (...but: string[]) => src.filter((file) => !but.includes(file.path))

  test('lets only core/operations/transition write a status', () => {
    const writes =
      /\.(update|insert|delete)\((schema\.)?(transactions|disputes|wallets)\)|(inserter|appender|putter|updater)\((transactions|disputes|wallets|history)\)/
    expect(finding(elsewhere('src/core/operations/transition.ts'), writes)).toEqual([])
    const raw = /\b(update|insert into|delete from) (transactions|disputes|wallets)\b/i
    expect(finding(src, raw, 'text')).toEqual([])
  })

  test('lets only core/ledger/ledger write a balance, and nothing change a posting', () => {
    const writes =
      /\.(update|insert|delete)\((schema\.)?(balances|postings)\)|(inserter|appender|putter|updater)\((balances|postings)\)/
    expect(finding(elsewhere('src/core/ledger/ledger.ts'), writes)).toEqual([])
    expect(finding(src, /\.(update|delete)\(postings\)/)).toEqual([])
    expect(finding(src, /\b(update|insert into|delete from) (balances|postings)\b/i, 'text')).toEqual([])
  })

  test('lets only their owners write jobs and events', () => {
    expect(
      finding(
        elsewhere('src/core/jobs/jobs.ts'),
        /\.(update|insert|delete)\(jobs\)|(inserter|appender|putter|updater)\(jobs\)/,
      ),
    ).toEqual([])
    expect(
      finding(
        elsewhere('src/core/webhooks/outbox.ts'),
        /\.insert\(events\)|(inserter|appender|putter|updater)\(events\)/,
      ),
    ).toEqual([])
  })

  test('lets only tables and rails decide by currency or network', () => {
    const names = [
      ...currencyNames,
      ...networkNames,
      ...Object.values(currencies).map((row) => row.rail),
      'crypto',
      'PIX',
      'SPEI',
    ]
    const one = `['"](${[...new Set(names)].join('|')})['"]`
    const compared = new RegExp(`[=!]==? *${one}|${one} *[=!]==? |case ${one}|includes\\(${one}|${one}, ${one}`)
    const elsewhere = src.filter(
      // Tables of the currencies and of the failures themselves, the values of an enumeration that the rails' own types are made of, examples, what a receiver is tried with, and what is made from the tables.
      ({ path }) =>
        !/^src\/(protocol\/(rails\/|platform\/(currencies|failures|responses)\.ts)|client\/types\/|http\/openapi\/examples|features\/certify\/receiver\/(checks\/|test-events))/.test(
          path,
        ),
    )
    expect(finding(elsewhere, compared, 'text')).toEqual([])
  })

  test('matches the drizzle schema to the tables of an opened database', () => {
    const db = sqlite.openInMemory()
    createTables(db)
    type Column = { name: string; type: string; notnull: number; pk: number }
    const all = <Row>(text: string) => reader<Row>(text)(db)
    const made = all<{ name: string }>(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'",
    ).map(({ name }) => name)
    const tables = Object.values(schema).map((table) => getTableConfig(table as SQLiteTable))
    expect(tables.map((table) => table.name).sort()).toEqual(made.sort())
    for (const table of tables) {
      const keys = new Set(table.primaryKeys.flatMap((key) => key.columns.map((column) => column.name)))
      const said = table.columns.map((column) => {
        const isKey = column.primary || keys.has(column.name)
        return { name: column.name, type: column.getSQLType(), isKey, notNull: isKey || column.notNull }
      })
      const columns = all<Column>(`pragma table_info(${table.name})`).map(({ name, type, notnull, pk }) => ({
        name,
        type: type.toLowerCase(),
        isKey: pk > 0,
        notNull: pk > 0 || notnull === 1,
      }))
      expect(said, table.name).toEqual(columns)
    }
    db.close()
  })
})

describe('the tables', () => {
  const others = tests.filter((file) => !file.path.startsWith('test/house/')).map((file) => file.text)
  const unnamed = (names: readonly string[]) => names.filter((name) => !others.some((text) => text.includes(name)))

  test('have no endpoint without a test', () => {
    expect(unnamed(endpointNames.map((name) => endpoints[name].path))).toEqual([])
  })

  test('have no error code, event, action or failure without a test', () => {
    expect(unnamed(Object.keys(errorCatalogue))).toEqual([])
    expect(unnamed(eventNames)).toEqual([])
    expect(unnamed(actionNames)).toEqual([])
    // These come from the interface's own list.
    const listed = readFileSync(join(root, 'test/support/interface.ts'), 'utf8')
    expect(cashoutFailureCodes.filter((code) => !listed.includes(code))).toEqual([])
  })

  test('have no transition without a test of its action and the state after it', () => {
    const steps: Record<string, string> = {
      create: 'POST',
      deposit: 'wallet.deposit',
      receive: 'received',
      lose_dispute: 'dispute.lose',
    }
    const names = transitions.map((row) => steps[row.on] ?? `${row.object}.${row.on}`).filter((name) => name !== 'POST')
    expect(unnamed([...new Set(names)])).toEqual([])
    expect(unnamed([...new Set(transitions.map((row) => `'${row.to}'`))])).toEqual([])
    expect(new Set(transitions.map((row) => `${row.object} ${row.from} ${row.on}`)).size).toBe(transitions.length)
  })
})

describe('every file', () => {
  const maxLines = 400
  /** Longer files, with the reason. */
  const long: Record<string, string> = {
    'src/client/types/control.ts': 'made from the tables',
    'src/client/types/events.ts': 'made from the tables',
    'src/client/types/responses.ts': 'made from the tables',
  }

  test('is at most 400 lines long, or is listed with a reason', () => {
    const files = read('src', /\.(tsx?|css)$/)
    const over = files.filter(({ text }) => text.split('\n').length - 1 > maxLines).map((file) => file.path)
    expect(over.filter((path) => long[path] === undefined)).toEqual([])
  })

  /** Files with longer functions, with the reason. */
  const withLongFunctions: Record<string, string> = {
    'src/runtime/node/workspaces.ts': 'a factory, whose inner functions share variables',
    'src/protocol/platform/limits.ts': 'a table, which only some pages load',
  }

  test('exports only what another file uses', () => {
    const users = new Map<string, number>()
    const outside = ['test', 'scripts', 'bench', 'fixtures'].flatMap((folder) => read(folder, /\.(ts|tsx|mjs|js)$/))
    for (const { text } of [...src, ...outside])
      for (const word of new Set(text.match(/\w+/g))) users.set(word, (users.get(word) ?? 0) + 1)
    const alone = src
      .filter(({ path }) => !path.startsWith('src/client/types/') && !isIdle(path))
      .flatMap(({ path, code }) =>
        [...code.matchAll(/^export (?:async )?(?:function|const|let|class|interface|type) (\w+)/gm)].flatMap(
          ([, name = '']) => ((users.get(name) ?? 0) < 2 ? [`${path} ${name}`] : []),
        ),
      )
    expect(alone).toEqual([])
  })

  test('has no function of more than 60 lines', () => {
    const over = src.flatMap(({ path, text }) => {
      const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false)
      const lineAt = (position: number) => ts.getLineAndCharacterOfPosition(file, position).line + 1
      const found: string[] = []
      const look = (node: ts.Node): void => {
        if (ts.isFunctionLike(node)) {
          const from = lineAt(node.getStart(file))
          const length = lineAt(node.end) - from + 1
          if (length > 60) found.push(`${path}:${from} ${length} lines`)
        }
        ts.forEachChild(node, look)
      }
      look(file)
      return withLongFunctions[path] === undefined ? found : []
    })
    expect(over).toEqual([])
  })

  test('starts with a sentence about its purpose', () => {
    const all = [...src, ...tests, ...read('test/support', /\.ts$/)]
    const made = /^\/\/ Generated/
    expect(
      all.filter(({ text }) => !/^\/\*\*\s+(\* )?\S/.test(text) && !made.test(text)).map((file) => file.path),
    ).toEqual([])
  })

  test('uses no type escapes such as any', () => {
    expect(finding(src, /\bany\b(?! (of|other))/).filter((line) => /(:|<|as|\() ?any\b/.test(line))).toEqual([])
    expect(
      finding([...src, ...tests], /@ts-(ignore|nocheck|expect-error)/, 'text').filter(
        (line) => !line.startsWith('test/house/'),
      ),
    ).toEqual([])
    expect(finding(src, /[\w)\]]!(?!=)([.[;,)]|$)/)).toEqual([])
  })

  test('asserts a type only with a reason beside it', () => {
    // A type begins with a capital or a bracket, or is one of the language's own: the text of a page has the word too.
    const assertion =
      /[\w)\]}>] as ([A-Z([{]|(keyof|typeof|readonly|unique|string|number|bigint|boolean|symbol|object|unknown|never|null|undefined)\b|\w+\.[A-Z])/
    const renaming = /^\s*(import\b|export [{*]|(type )?\w+ as \w+,?$)|\{ [^}]* as \w+ \} from/
    const bare = src
      .filter(({ path }) => !path.startsWith('src/client/types/'))
      .flatMap(({ path, text, code }) => {
        const lines = text.split('\n')
        const hasReason = (at: number) =>
          /\/\//.test(lines[at] ?? '') ||
          lines.slice(Math.max(0, at - 4), at).some((line) => /^\s*(\/\/|\/?\*)/.test(line))
        // SQL templates rename columns with `as`.
        const plain = code.replace(/`(?:[^`\\]|\\.)*`/g, (template) => template.replace(/[^\n]/g, ' '))
        return plain.split('\n').flatMap((line, at) => {
          if (renaming.test(line) || !assertion.test(line) || hasReason(at)) return []
          return [`${path}:${at + 1} ${line.trim()}`]
        })
      })
    expect(bare).toEqual([])
  })

  test('that contains tests runs all of them', () => {
    const held = /\b(test|it|describe)(\.\w+)*\.(skip|only|todo|fails|skipIf|runIf)\b/
    expect(finding(tests, held)).toEqual([])
  })

  test('mentions no path of a machine', () => {
    const place = new RegExp(['', 'work', ''].join('/'))
    expect(finding([...src, ...tests], place, 'text')).toEqual([])
  })
})
