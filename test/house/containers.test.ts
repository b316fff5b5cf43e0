/** The recipes for containers and CI, as far as they can be checked without a container engine: files, settings, commands. */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { nodeVersion } from '../../scripts/fetch.mjs'
import { sha256Hex } from '../../src/base/crypto.js'
import { negatedVariableOf, settingNames } from '../../src/cli/settings/settings.js'
import { demoCredential } from '../../src/core/auth/account.js'
import { variableOf } from '../../src/protocol/settings/process.js'
import { temporaryFolder } from '../support/folder.js'
import { root } from '../support/packed.js'
import { collect, ended, printed } from '../support/program.js'
import { requireNewerNode, requireTools } from '../support/tools.js'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ')
/** The sections about containers and CI. */
const page = read('docs/operation.md').split('\n## Executable\n')[0] ?? ''
const yamlBlocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text)

/** The files that `COPY . .` copies, by the top-level names in .dockerignore. */
function context(): string[] {
  const ignored = read('.dockerignore').split('\n').filter(Boolean)
  const patterns = ignored.map((line) => new RegExp(`^${line.replaceAll('.', '\\.').replaceAll('*', '.*')}$`))
  return readdirSync(root).filter((name) => !patterns.some((pattern) => pattern.test(name)))
}

/** The files that the second stage copies from the first. */
function assemble(build: string, target: string): void {
  const copies = [...dockerfile.matchAll(/^COPY --from=build (.+) (\S+)$/gm)]
  expect(copies.length).toBeGreaterThan(3)
  for (const [, sources = '', to = ''] of copies)
    for (const source of sources.split(' ')) {
      const from = source.replace(/^\/app/, build)
      cpSync(from, join(target, to === './' ? basename(source) : to), { recursive: true })
    }
}

/** The built files of the package by name. dist may also contain other builds and caches. */
function hashes(dist: string): Record<string, string> {
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !/^(\.cache|binary|workers)/.test(name) && statSync(join(dist, name)).isFile(),
  )
  return Object.fromEntries(names.sort().map((name) => [name, sha256Hex(readFileSync(join(dist, name)))]))
}

test('the files of the image are enough to build it byte for byte as in the repository, and to run it in a healthy state', async ({
  skip,
}) => {
  const node = requireNewerNode({ skip })
  const [build, image] = [temporaryFolder(), temporaryFolder()]
  for (const name of context()) cpSync(join(root, name), join(build, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(build, 'node_modules'))
  const { status, stderr } = spawnSync(process.execPath, ['build.mjs'], { cwd: build, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  expect(hashes(join(build, 'dist'))).toEqual(hashes(join(root, 'dist')))
  assemble(build, image)

  const env = { ...process.env, PAYMENTS_SANDBOX_HOST: '127.0.0.1', PAYMENTS_SANDBOX_ADMIN_TOKEN: 'mine' }
  const bin = join(image, 'bin/payments-sandbox.js')
  const child = spawn(node, [bin, 'start', '--json', '--port', '0'], { cwd: image, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const errors = collect(child, 'stderr')
  const { base_url } = JSON.parse(await printed(child, /\n/)) as { base_url: string }
  const health = JSON.parse(/HEALTHCHECK .*CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '') as string[]
  expect(health[0]).toBe('node')
  const check = async (token: string) => {
    const at = { PAYMENTS_SANDBOX_PORT: new URL(base_url).port, PAYMENTS_SANDBOX_ADMIN_TOKEN: token }
    return (await ended(spawn(process.execPath, health.slice(1), { env: { ...env, ...at } }))).code
  }
  expect(await check('mine'), errors()).toBe(0)
  expect(await check('')).toBe(0)
  expect(await (await fetch(`${base_url}/assets/notices.txt`)).text()).toBe(read('dist/dashboard/notices.txt'))
  child.kill('SIGTERM')
  expect((await ended(child)).code).toBe(0)
  expect(await check('mine')).toBe(1)
})

test('a sandbox with the variables of the page about Testcontainers is as the page says', async (context) => {
  const recipe = read('docs/testcontainers.md')
  const ofImage = [...dockerfile.matchAll(/(PAYMENTS_SANDBOX_\w+)=(\S+)/g)].map(([, name, value]) => [name, value])
  const given = [...recipe.matchAll(/[wW]ith_?[eE]nv\("(\w+)", "([^"]+)"\)/g)].map(([, name, value]) => [name, value])
  expect(new Set(given.map(([name]) => name)).size).toBe(2)
  const env = { ...process.env, ...Object.fromEntries([...ofImage, ...given]), PAYMENTS_SANDBOX_PORT: '0' }
  const child = spawn(process.execPath, [join(root, 'bin/payments-sandbox.js'), 'start'], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [, port = ''] = /:(\d+)\//.exec(await printed(child, /is ready[\s\S]*:\d+\//)) ?? []
  const url = `http://localhost:${port}`
  expect(await (await fetch(`${url}/_sandbox/health`)).json()).toEqual({ status: 'ok' })
  expect((await fetch(`${url}/_sandbox/accounts`)).status).toBe(401)
  const headers = { 'X-Sandbox-Admin-Token': 'local-only' }
  const get = async (path: string) => (await fetch(`${url}/_sandbox${path}`, { headers })).json()
  expect(JSON.stringify(await get('/accounts'))).not.toContain(demoCredential('merchant').clientSecret)
  expect(await get('/clock')).toMatchObject({ mode: 'manual' })
  requireTools(context, 'python3')
  const [, line = ''] = /server = (find_server\(.*\))/.exec(recipe) ?? []
  const program = `from payments_sandbox import find_server\nurl = "${url}"\nprint(${line}.create_workspace().credentials["merchant"].client_id)`
  const python = spawn('python3', ['-c', program], { env: { ...env, PYTHONPATH: join(root, 'packages/python/src') } })
  expect(await ended(python)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^client_\S+\n$/), stderr: '' })
})

test('every variable of a recipe is a setting', () => {
  const settings = new Set(settingNames.flatMap((name) => [variableOf(name), negatedVariableOf(name)]))
  const ofCommands = ['PAYMENTS_SANDBOX_URL']
  const texts = [dockerfile, read('compose.yaml'), page, read('docs/testcontainers.md')].join('\n')
  const named = new Set(texts.match(/PAYMENTS_SANDBOX_\w+/g))
  expect([...named].filter((name) => !settings.has(name) && !ofCommands.includes(name))).toEqual([])
})

test('compose.yaml builds this image, opens its port to this machine only, and stores the state in a volume', () => {
  const { services, volumes } = parse(read('compose.yaml')) as {
    services: Record<string, Record<string, unknown>>
    volumes: Record<string, unknown>
  }
  expect(services.sandbox).toMatchObject({
    build: '.',
    ports: ['127.0.0.1:4010:4010'],
    volumes: ['state:/data'],
    environment: { PAYMENTS_SANDBOX_DB: '/data/sandbox.sqlite' },
  })
  expect(Object.keys(volumes)).toEqual(['state'])
  expect(dockerfile).toContain('EXPOSE 4010')
})

test('published secrets are allowed only when the port is bound to loopback', () => {
  const known = (environment: unknown) =>
    (environment as Record<string, string> | undefined)?.PAYMENTS_SANDBOX_DEMO_SECRETS === 'known'
  const documents = [read('compose.yaml'), ...yamlBlocks].map((text) => parse(text))
  const services = documents.flatMap(({ services = {}, jobs = {} }) => [
    ...Object.values<Record<string, unknown>>(services),
    ...Object.values<{ services?: Record<string, Record<string, unknown>> }>(jobs).flatMap((job) =>
      Object.values(job.services ?? {}),
    ),
  ])
  const published = services.filter(({ ports }) => Array.isArray(ports))
  expect(published).toHaveLength(3)
  for (const { ports, environment, env } of published) {
    const isBound = (ports as string[]).every((port) => port.startsWith('127.0.0.1:'))
    expect([ports, known(environment ?? env)]).toEqual([ports, isBound])
  }
  expect(dockerfile).toMatch(/^ENV .*PAYMENTS_SANDBOX_HOST=0\.0\.0\.0 .*PAYMENTS_SANDBOX_DEMO_SECRETS=random$/m)
  const commands = page.split('\n').filter((line) => line.startsWith('docker run'))
  expect(commands.length).toBeGreaterThan(0)
  for (const line of commands)
    expect([line, line.includes('PAYMENTS_SANDBOX_DEMO_SECRETS=known')]).toEqual([line, line.includes('-p 127.0.0.1:')])
})

test('the YAML of the page is valid, and its credentials are those of the demonstration account', () => {
  const [compose, job, action, service] = yamlBlocks.map((text) => parse(text))
  expect(compose.services.app.depends_on.sandbox.condition).toBe('service_healthy')
  const { clientId, clientSecret, signingKey, webhookSecret } = demoCredential('merchant')
  expect(compose.services.app.environment).toMatchObject({
    PAYMENTS_CLIENT_ID: clientId,
    PAYMENTS_CLIENT_SECRET: clientSecret,
    PAYMENTS_SIGNING_KEY: signingKey,
    PAYMENTS_WEBHOOK_SECRET: webhookSecret,
  })
  expect(Object.keys(job.jobs.test)).toContain('steps')
  const { with: inputs } = action.jobs.test.steps.find(({ uses }: { uses?: string }) => uses?.startsWith('./'))
  expect(Object.keys(parse(read('action.yml')).inputs)).toEqual(expect.arrayContaining(Object.keys(inputs)))
  expect(service.jobs.test.services.sandbox.ports).toEqual(['4010:4010'])
})

test('the base of the image is pinned by digest, and has the Node of the executable', () => {
  expect(dockerfile.match(/^FROM /gm)).toHaveLength(2)
  expect(dockerfile.match(/^FROM \$\{BASE\}/gm)).toHaveLength(2)
  expect(dockerfile).toMatch(new RegExp(`^ARG BASE=node:${nodeVersion}-bookworm-slim@sha256:[0-9a-f]{64}$`, 'm'))
})
