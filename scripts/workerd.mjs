/** Starts workerd, the runtime of Durable Objects, with the built module and the settings of `wrangler.jsonc`. Development and tests use it. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { parse } from 'yaml'
import { workerFile } from './build-workers.mjs'
import { fetchPackage } from './fetch.mjs'

/** The newest version that runs on Node 20. */
const workerdVersion = '1.20260120.0'

const descriptionFile = fileURLToPath(new URL('../src/runtime/workers/wrangler.jsonc', import.meta.url))

/** Without its comments the file is JSON, which the YAML parser accepts, trailing commas included. */
const readDescription = () => parse(readFileSync(descriptionFile, 'utf8').replace(/^\s*\/\/.*$/gm, ''))

/** workerd closes a connection if it does not read its request within 15 s. With at most this many calls at a time it reads each in time. */
const maxConnections = 100
const freshConnections = new Agent({ pipelining: 0, connections: maxConnections })
let running = 0
let usualDispatcher

/**
 * While workerd runs, each call of this process opens a new connection. workerd closes idle connections after five seconds
 * without announcing it, so a delayed call would use a closed connection and fail.
 */
function useFreshConnectionsWhile(child) {
  if (running++ === 0) {
    usualDispatcher = getGlobalDispatcher()
    setGlobalDispatcher(freshConnections)
  }
  child.once('exit', () => {
    if (--running === 0) setGlobalDispatcher(usualDispatcher)
  })
}

/**
 * `storage` is a folder, which is created if it is missing. `variables` are values by name. Port 0 means any free port. `worker` is the module's file.
 * @returns its URL, its process, a function that stops it, and a function that returns its latest output.
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
  const program = createRequire(import.meta.url)(fetchPackage('workerd', workerdVersion)).default
  const child = spawn(program, ['serve', '--experimental', '--control-fd=3', file], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  useFreshConnectionsWhile(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-10_000)
      onLine?.(String(chunk))
    })
  const ended = new Promise((resolve) => {
    child.once('exit', (code) => {
      rmSync(folder, { recursive: true, force: true })
      resolve(code)
    })
  })
  const listening = new Promise((resolve) => {
    let messages = ''
    child.stdio[3].on('data', (chunk) => {
      messages += chunk
      const match = /"event":"listen".*"port":(\d+)/.exec(messages)
      if (match !== null) resolve(Number(match[1]))
    })
  })
  const actual = await Promise.race([listening, ended.then(() => null)])
  if (actual === null) throw new Error(`workerd ended: ${output}`)
  const stop = (signal = 'SIGTERM') => {
    child.kill(signal)
    return ended
  }
  return { url: `http://${host}:${actual}`, child, stop, output: () => output }
}

/** Calls each workspace once so that it sets its alarms again. A local workerd loses alarms when it ends; hosted ones keep them. */
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
