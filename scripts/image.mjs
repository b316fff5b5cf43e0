/** `npm run image`: builds the image with buildah, which needs no daemon, and tests it in a container: health, user, a paid charge with its webhook, SIGTERM. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openBase } from './image-base.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const name = 'payments-sandbox'
const adminToken = 'image-test'
const port = 4099
const readyTimeoutMs = 20_000

const run = (file, ...args) =>
  execFileSync(file, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
const isHere = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const untested = []

function requirePrograms() {
  if (process.getuid?.() !== 0) throw new Error('run this as root: buildah mounts the layers of the image')
  if (!isHere('buildah')) throw new Error('buildah is missing: on Debian, run apt-get install buildah debootstrap runc')
}

/** Options of `buildah run`: a container with its own process table, or only a changed root if neither runc nor crun works here. */
function isolationOf(container) {
  for (const runtime of ['runc', 'crun']) {
    const options = ['--isolation', 'oci', '--runtime', runtime, '--network', 'host']
    if (isHere(runtime) && spawnSync('buildah', ['run', ...options, container, '--', 'true']).status === 0)
      return options
  }
  untested.push('SIGTERM as process 1: neither runc nor crun works on this machine')
  return ['--isolation', 'chroot']
}

/** This machine's id of the container's process 1. A signal to buildah itself would kill the container at once. */
function processOneBelow(ancestor) {
  const statusOf = (pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/status`, 'utf8')
      const field = (name) => (new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(text)?.[1] ?? '').split(/\s+/).map(Number)
      return { parent: field('PPid')[0], ids: field('NSpid') }
    } catch {
      return undefined
    }
  }
  const isBelow = (pid) => pid === ancestor || (pid > 1 && isBelow(statusOf(pid)?.parent ?? 0))
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const processOne = pids.find((pid) => {
    const ids = statusOf(pid)?.ids ?? []
    return ids.length > 1 && ids.at(-1) === 1 && isBelow(Number(pid))
  })
  return processOne === undefined ? undefined : Number(processOne)
}

async function receiver() {
  const received = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    received.push({ headers: request.headers, body: body.toString() })
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { received, url: `http://localhost:${server.address().port}/`, close: () => server.close() }
}

async function eventually(what, look) {
  for (let waitedMs = 0; waitedMs < readyTimeoutMs; waitedMs += 100) {
    const found = await look()
    if (found) return found
    await pause(100)
  }
  throw new Error(`${what}: not within ${readyTimeoutMs} ms`)
}

/** Creates a charge, pays it and verifies its webhook. */
async function use(url, { received }, credential) {
  const { connectSandbox, verifyWebhook } = await import('../dist/index.js')
  const sandbox = await connectSandbox(url, { adminToken })
  const charge = await sandbox.client('merchant').cashin({ amount: 25, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', { id: charge.transaction_id })
  const webhook = await eventually('webhook', () => received.find(({ body }) => body.includes('cashin.confirmed')))
  const verdict = verifyWebhook({ ...webhook, secret: credential.webhook_secret })
  if (!verdict.ok) throw new Error(`the webhook is not genuine: ${verdict.reason}`)
  console.log(`charge ${charge.transaction_id} paid; cashin.confirmed received, signature valid`)
}

async function testImage(container) {
  const { User, Entrypoint, Cmd, Healthcheck } = JSON.parse(run('buildah', 'inspect', container)).Docker.config
  const isolation = isolationOf(container)
  const hooks = await receiver()
  const settings = {
    PORT: port,
    ADMIN_TOKEN: adminToken,
    ALLOW_HOST: 'localhost',
    DEMO_SECRETS: 'known',
    WEBHOOK_URL: hooks.url,
    DB: '/data/sandbox.sqlite',
  }
  const env = Object.entries(settings).flatMap(([key, value]) => ['--env', `PAYMENTS_SANDBOX_${key}=${value}`])
  const child = spawn('buildah', ['run', ...isolation, ...env, container, '--', ...Entrypoint, ...Cmd, '--json'])
  child.stderr.pipe(process.stderr)
  const [line] = await once(child.stdout, 'data')
  const { accounts } = JSON.parse(String(line))
  const url = `http://127.0.0.1:${port}`
  const headers = { 'X-Sandbox-Admin-Token': adminToken }
  const health = await (await fetch(`${url}/_sandbox/health`, { headers })).json()
  const uid = run('buildah', 'run', ...isolation, container, '--', 'id', '-un')
  // The first word is CMD or CMD-SHELL.
  run('buildah', 'run', ...isolation, ...env, container, '--', ...Healthcheck.Test.slice(1))
  console.log(`healthy as process ${health.process.pid}, user ${uid} (${User}), driver ${health.database_driver}`)
  // The base contains the license of Node.
  const license = run('buildah', 'run', ...isolation, container, '--', 'head', '-n', '1', '/usr/local/LICENSE')
  const notices = await (await fetch(`${url}/assets/notices.txt`)).text()
  if (!license.includes('Node.js') || !notices.includes('\nhono@'))
    throw new Error('the image lacks third-party notices')
  if (uid !== User || uid === 'root') throw new Error(`the image runs as ${uid}, not as ${User}`)
  await use(url, hooks, accounts[0].credentials[0])
  const startedMs = performance.now()
  process.kill(processOneBelow(child.pid) ?? child.pid, 'SIGTERM')
  const [code] = await once(child, 'close')
  console.log(`stopped by SIGTERM with exit code ${code} after ${Math.round(performance.now() - startedMs)} ms`)
  hooks.close()
  if (code !== 0) throw new Error(`SIGTERM ended the image with ${code}`)
}

try {
  await main()
} catch (error) {
  console.error(`image: ${error.message}`)
  process.exitCode = 1
}

async function main() {
  requirePrograms()
  const [, pinned] = /^ARG BASE=(\S+)$/m.exec(readFileSync(`${root}Dockerfile`, 'utf8')) ?? []
  const { base, isPinned } = openBase(pinned)
  if (!isPinned) untested.push(`the pinned base ${pinned}: no image registry is reachable, so ${base} replaced it`)
  console.log(`building ${name} over ${base} …`)
  const build = [
    'build',
    '--quiet',
    '--isolation',
    'chroot',
    '--network',
    'host',
    '--format',
    'docker',
    '--build-arg',
    `BASE=${base}`,
  ]
  run('buildah', ...build, '--tag', name, '.')
  const container = run('buildah', 'from', `localhost/${name}`)
  try {
    await testImage(container)
  } finally {
    run('buildah', 'rm', container)
  }
  untested.push('other processors, published ports, compose, and the health check on its schedule')
  const size = run('buildah', 'images', '--format', '{{.Size}}', `localhost/${name}`)
  console.log(`image localhost/${name}: ${size}\nnot tested: ${untested.join('; ')}`)
}
