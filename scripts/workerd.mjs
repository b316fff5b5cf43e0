/** Starts workerd, the runtime of Durable Objects, on the built module as `wrangler.jsonc` describes it: for development and for tests. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { parse } from 'yaml'
import { workerFile } from './build-workers.mjs'

const described = fileURLToPath(new URL('../src/runtime/workers/wrangler.jsonc', import.meta.url))

/** JSON with comments is YAML but for the comments. */
const readDescription = () => parse(readFileSync(described, 'utf8').replace(/^\s*\/\/.*$/gm, ''))

/** So many calls at once are safe: workerd closes a connection whose request it has not read after 15 s, however busy it is. */
const safeAtOnce = 100
const connectingAnew = new Agent({ pipelining: 0, connections: safeAtOnce })
let running = 0
let usual

/**
 * While one runs, what this process calls goes out over a new connection each time: workerd closes one that was idle for
 * five seconds and does not announce it, and whoever was held up for a second would send the next call into it.
 */
function connectAnewWhile(child) {
  if (running++ === 0) {
    usual = getGlobalDispatcher()
    setGlobalDispatcher(connectingAnew)
  }
  child.once('exit', () => {
    if (--running === 0) setGlobalDispatcher(usual)
  })
}

/**
 * `storage` is a folder, which is made where it is not there; `variables` are texts by name; port 0 takes any free one; `worker` is the module.
 * @returns its address, its process, and how to end it
 */
export async function startWorkerd({
  storage,
  variables = {},
  port = 0,
  host = '127.0.0.1',
  trusted = [],
  worker = workerFile,
  onLine,
}) {
  mkdirSync(storage, { recursive: true })
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-workerd-'))
  const file = join(folder, 'config.capnp')
  writeFileSync(file, configOf({ storage, variables, address: `${host}:${port}`, trusted }))
  symlinkSync(worker, join(folder, 'worker.js'))
  const program = createRequire(import.meta.url)('workerd').default
  const child = spawn(program, ['serve', '--experimental', '--control-fd=3', file], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  connectAnewWhile(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said = (said + chunk).slice(-10_000)
      onLine?.(String(chunk))
    })
  const ended = new Promise((resolve) => {
    child.once('exit', (code) => {
      rmSync(folder, { recursive: true, force: true })
      resolve(code)
    })
  })
  const listening = new Promise((resolve) => {
    let told = ''
    child.stdio[3].on('data', (chunk) => {
      told += chunk
      const found = /"event":"listen".*"port":(\d+)/.exec(told)
      if (found !== null) resolve(Number(found[1]))
    })
  })
  const actual = await Promise.race([listening, ended.then(() => null)])
  if (actual === null) throw new Error(`workerd ended: ${said}`)
  const stop = (signal = 'SIGTERM') => {
    child.kill(signal)
    return ended
  }
  return { url: `http://${host}:${actual}`, child, stop, said: () => said }
}

/** Here the runtime forgets its alarms when it ends, which those who host it do not: each workspace is asked for once, and sets its own again. */
export async function wakeWorkspaces(url, headers = {}) {
  let [count, next] = [0, '']
  while (next !== null) {
    const page = await fetch(`${url}/_sandbox/workspaces${next === '' ? '' : `?after=${next}`}`, { headers })
    const { data, next: following } = await page.json()
    for (const { name } of data) await (await fetch(`${url}/w/${name}/_sandbox/health`, { headers })).text()
    count += data.length
    next = following
  }
  return count
}

const text = (value) => JSON.stringify(value)

function configOf({ storage, variables, address, trusted }) {
  const {
    durable_objects: objects,
    migrations,
    compatibility_date: date,
    compatibility_flags: flags,
  } = readDescription()
  const classes = migrations.flatMap((migration) => migration.new_sqlite_classes)
  const namespaces = classes.map((name) => `(className = ${text(name)}, uniqueKey = ${text(name)}, enableSql = true)`)
  const bindings = [
    ...objects.bindings.map((one) => `(name = ${text(one.name)}, durableObjectNamespace = ${text(one.class_name)})`),
    ...Object.entries(variables).map(([name, value]) =>
      typeof value === 'string'
        ? `(name = ${text(name)}, text = ${text(value)})`
        : `(name = ${text(name)}, json = ${text(JSON.stringify(value))})`,
    ),
  ]
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "storage", disk = (path = ${text(storage)}, writable = true)),
    (name = "internet", network = (allow = ["public", "private"],
      tlsOptions = (trustBrowserCas = true, trustedCertificates = [${trusted.map(text).join(', ')}]))),
  ],
  sockets = [(name = "http", address = ${text(address)}, http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = ${text(date)},
  compatibilityFlags = [${flags.map(text).join(', ')}],
  durableObjectNamespaces = [${namespaces.join(', ')}],
  durableObjectStorage = (localDisk = "storage"),
  bindings = [${bindings.join(', ')}],
);
`
}
