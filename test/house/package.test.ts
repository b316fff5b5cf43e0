/** The published package: its contents, its imports, and that it compiles and runs in both module systems. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchPackage } from '../../scripts/fetch.mjs'
import { compile, install, npm, type Packed, pack, root } from '../support/packed.js'
import { collect, ended, printed } from '../support/program.js'

const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-package-'))
let packed: Packed
let project = ''

beforeAll(async () => {
  packed = await pack()
  project = mkdtempSync(join(folder, 'esm-'))
  install(packed.tarball, project, { type: 'module' })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the package contains what users need, and nothing else', () => {
  const needed =
    /^(package\.json|LICENSE|llms\.txt|action\.yml|scripts\/start-in-workflow\.sh|skills\/payments-sandbox\/SKILL\.md|(README|CHANGELOG|SECURITY)\.md|docs\/(?!(?:architecture|dependencies)\.)[a-z/-]+\.(md|png|svg)|packages\/([a-z]+\/README|behaviours)\.md|examples\/[a-z./-]+|fixtures\/[a-z-]+\.(c?js|d\.c?ts)|bin\/(payments-sandbox\.js|code-cache\.js|package\.json)|scenarios\/[a-z0-9-]+\.(yaml|schema\.json)|scenarios\/scenario\.schema\.json|dist\/(index\.js|version\.txt)|dist\/(program|index)\.cjs|dist\/dashboard\/(index\.html|icon\.svg|pages\.br|notices\.txt)|dist\/types\/(client|testing|testing\/fixtures|inside|protocol|features(\/[a-z]+)*)\/((types|platform|control|control\/shapes|settings)\/)?[a-z-]+\.d\.c?ts)$/
  expect(packed.files.filter((file) => !needed.test(file))).toEqual([])
  // 1 MiB, the typeface of the pages, which cannot be compressed further, and the tables of their two other languages.
  expect(packed.size).toBeLessThan(1024 * 1024 + 100 * 1024 + 50 * 1024)
  expect(packed.unpackedSize).toBeLessThan(3 * 1024 * 1024)
})

test("every link of the package's pages leads to a file in it", () => {
  const own = join(project, 'node_modules/payments-sandbox')
  const pages = packed.files.filter((file) => /\.(md|txt)$/.test(file))
  expect(pages).toContain('README.md')
  const broken = pages.flatMap((page) =>
    linksOf(readFileSync(join(own, page), 'utf8'))
      .filter((link) => !existsSync(join(own, dirname(page), link)))
      .map((link) => `${page}: ${link}`),
  )
  expect(broken).toEqual([])
})

/** Returns the files that links and pictures lead to, without anchors. */
const linksOf = (text: string): string[] =>
  [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/\]\(([^)\s#]+)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))

test('npm does not ask about install scripts, and the lockfile has no download address', () => {
  const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    allowScripts: Record<string, boolean>
  }
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: true; resolved?: string }>
  }
  const withScripts = Object.keys(packages).filter((path) => path !== '' && packages[path]?.hasInstallScript)
  expect(
    withScripts.map((path) => path.replace(/^.*node_modules\//, '')).filter((name) => !(name in allowScripts)),
  ).toEqual([])
  expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([])
})

test('the package imports nothing but node, its optional dependency and the test runners of its fixtures', () => {
  const codeIn = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.c?js$/.test(file) && !file.startsWith('dashboard'))
      .map((file) => readFileSync(join(root, folder, file), 'utf8'))
  // Single quotes in the bundle belong to programs that it prints.
  const named = [...codeIn('dist'), ...codeIn('fixtures').map((code) => code.replaceAll("'", '"'))].flatMap((code) =>
    [...code.matchAll(/(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*"([^"\n]+)"/g)].map(([, name = '']) => name),
  )
  const isPackage = (name: string) => /^(@[a-z0-9-]+\/)?[a-z0-9][\w.-]*(\/[\w./-]+)?$/.test(name) && !isBuiltin(name)
  const foreign = new Set(named.filter(isPackage))
  const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    peerDependencies: Record<string, string>
  }
  expect([...foreign].sort()).toEqual(Object.keys(peerDependencies).sort())
})

test("the package's types import nothing but each other", () => {
  const types = join(root, 'dist/types')
  const files = readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('ts'))
  expect(files.length).toBeGreaterThan(20)
  for (const file of files)
    for (const [, name = ''] of readFileSync(join(types, file), 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g))
      expect(name, file).toMatch(/^\.\.?\/.*\.cjs$/)
})

test.each([
  ['publint', '0.3.25', 'src/cli.js', ['--strict']],
  ['@arethetypeswrong/cli', '0.18.5', 'dist/index.js', ['--no-color', '--no-emoji']],
])('%s finds no problem in the package', async (name, version, script, flags) => {
  const path = join(fetchPackage(name, version), script)
  const { code, stdout, stderr } = await ended(spawn(process.execPath, [path, packed.tarball, ...flags]))
  expect(code, stdout + stderr).toBe(0)
})

test('the package runs by npx in a project that has nothing else', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  expect(npm(['exec', '--no', 'payments-sandbox', '--', '--version'], project).trim().split('\n')[0]).toBe(version)
  const bin = join(project, 'node_modules/.bin/payments-sandbox')
  const child = spawn(process.execPath, [bin, 'start', '--port', '0', '--json'], { cwd: project })
  const errors = collect(child, 'stderr')
  const { base_url } = JSON.parse(await printed(child, /\n/)) as { base_url: string }
  for (const path of ['/_sandbox/health', '/', '/_sandbox/scenarios/med-dispute-lost', '/_sandbox/docs'])
    expect((await fetch(base_url + path)).status, path).toBe(200)
  child.kill('SIGTERM')
  expect((await ended(child)).code, errors()).toBe(0)
})

const strict = {
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  outDir: 'out',
}
const withNode = { types: ['node'], typeRoots: [join(root, 'node_modules/@types')] }
const nodeNext = { target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext' }

/** Compiles files, by name, with these settings. */
function compileAll(where: string, sources: Record<string, string>, compilerOptions: object): void {
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(where, `${name}.ts`), source)
  const files = Object.keys(sources).map((name) => `${name}.ts`)
  writeFileSync(join(where, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  compile(where)
}

/** Returns the output of a program. */
async function ran(where: string, name: string): Promise<string> {
  const { code, stdout, stderr } = await ended(spawn(process.execPath, [join(where, `out/${name}.js`)], { cwd: where }))
  expect(code, stderr).toBe(0)
  return stdout
}

async function compiledRun(where: string, source: string, compilerOptions: object): Promise<string> {
  compileAll(where, { main: source }, compilerOptions)
  return ran(where, 'main')
}

/** Returns the programs on a page that use the library. */
const programsOn = (page: string, language: 'js' | 'ts'): string[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))]
    .map(([, code = '']) => code)
    .filter((code) => code.includes("from 'payments-sandbox'"))

/** A program that imports every entry, for either module system. */
const whole = `
import { connectSandbox, SandboxError, signRequest, startSandbox, verifyWebhook, type Webhook } from 'payments-sandbox'

async function main(): Promise<void> {
  const sandbox = await startSandbox({ clock: 'manual' })
  const api = sandbox.client('merchant')
  const charge = await api.cashin({ amount: 25, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', { id: charge.transaction_id })
  const hook: Webhook<'cashin.confirmed'> = await sandbox.webhooks.waitFor('cashin.confirmed', { transaction_id: charge.transaction_id })
  await sandbox.clock.advance('10m')
  const run = await sandbox.scenarios.run('med-dispute-lost', { fast_forward: true })
  const receiver = await sandbox.receiver()
  await api.cashout({ amount: 1, currency: 'BRL', key: '52998224725', external_id: 'p' })
  await sandbox.trigger('cashout.fail', { error_code: 'PIX_KEY_NOT_FOUND' })
  const failed = await receiver.waitFor('cashout.failed')
  const secret = sandbox.accounts.merchant.webhook_secret
  const verdict = verifyWebhook({ secret, body: failed.raw, headers: failed.headers })
  const again = await connectSandbox(sandbox.url)
  const refused = await again.client().cashin({ amount: 0.1, currency: 'BRL' }).catch((error: unknown) => error)
  const headers = signRequest({ signingKey: sandbox.accounts.merchant.signing_key, body: '{}' })
  console.log(JSON.stringify([
    hook.data.amount, run.status, failed.data.error_code, verdict.ok && verdict.event.event,
    refused instanceof SandboxError && refused.code, Object.keys(headers),
  ]))
  await sandbox.reset()
  await sandbox.close()
}
void main()
`
const reported = [
  '25.00',
  'passed',
  'PIX_KEY_NOT_FOUND',
  'cashout.failed',
  'BELOW_MIN_LIMIT',
  ['X-Signature', 'X-Timestamp', 'X-Nonce'],
]

test('an ESM project in TypeScript and the programs of the README and of the library page compile and run', async () => {
  const [readme, library] = [programsOn('README.md', 'js'), programsOn('docs/library.md', 'ts')]
  expect([readme.length, library.length]).toEqual([1, 3])
  const all = [...readme, ...library].map((program) => `${program}\nconsole.log('done')\n`)
  const named = Object.fromEntries(all.map((program, index) => [`program-${index}`, program]))
  compileAll(project, { main: whole, ...named }, { ...strict, ...nodeNext, ...withNode })
  const [main = '', ...printed] = await Promise.all(['main', ...Object.keys(named)].map((name) => ran(project, name)))
  expect(JSON.parse(main)).toEqual(reported)
  for (const text of printed) expect(text).toContain('done')
})

test('a CommonJS project in TypeScript compiles and runs', async () => {
  const commonjs = mkdtempSync(join(folder, 'cjs-'))
  install(packed.tarball, commonjs, { type: 'commonjs' })
  expect(JSON.parse(await compiledRun(commonjs, whole, { ...strict, ...nodeNext, ...withNode }))).toEqual(reported)
})

test('a project for a bundler, without the types of node, compiles and runs', async () => {
  const options = { target: 'es2022', module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] }
  const strictest = { ...strict, exactOptionalPropertyTypes: true }
  expect(JSON.parse(await compiledRun(project, whole, { ...strictest, ...options }))).toEqual(reported)
})

test('verifying a webhook loads neither the server nor the driver', async () => {
  const source = `
    import { verifyWebhook } from 'payments-sandbox'
    import { createRequire } from 'node:module'
    verifyWebhook({ secret: 's', body: '', headers: {} })
    const { cache } = createRequire(import.meta.url)
    console.log(Object.keys(cache).filter((name) => name.includes('sqlite')).length)`
  writeFileSync(join(project, 'alone.mjs'), source)
  rmSync(join(project, 'node_modules/better-sqlite3'), { recursive: true })
  const { code, stdout, stderr } = await ended(spawn(process.execPath, ['alone.mjs'], { cwd: project }))
  expect([code, stdout.trim()], stderr).toEqual([0, '0'])
})

test('the bundles are plain ASCII, which V8 stores in one byte per character', () => {
  expect(readFileSync(join(root, 'dist/program.cjs')).every((byte) => byte < 128)).toBe(true)
})
