/** Runs the program: one command to its end, or a sandbox until the test ends. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { executable, programCommand } from './built.js'
import { beginHere, runHere } from './in-process.js'
import { note } from './noted.js'

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
  tookMs: number
}

interface How {
  env?: Record<string, string>
  cwd?: string
  input?: string
  uid?: number
  /** Starts it in a process group of its own, as a terminal does. */
  hasGroup?: boolean
  /** Opens a channel for messages to a module that `NODE_OPTIONS` loads. */
  ipc?: boolean
}

/** The environment without the variables that configure the program. */
const bareEnvironment = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(PAYMENTS_SANDBOX_|NO_COLOR$|FORCE_COLOR$)/.test(name)),
  )

/** `--no-rate-limits`, `PAYMENTS_SANDBOX_RATE_LIMITS` and `rate_limits` are one setting. */
const settingOf = (spelling: string) =>
  spelling
    .replace(/^(--(no-)?|PAYMENTS_SANDBOX_(NO_)?)/, '')
    .replace(/=.*/s, '')
    .replaceAll('-', '_')
    .toLowerCase()

/** Returns an empty text if the file cannot be read or never ends, which some tests need. */
function textOf(file: string): string {
  try {
    const found = statSync(file)
    return found.isFile() && found.size < 1024 ** 2 ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}

/** Records the typed command and, if it starts a sandbox, the settings of its flags, environment and file. */
function noteTyped(typed: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const words = typed.filter((word) => !word.startsWith('-'))
  note('command', words.slice(0, 2).join(' '))
  if (words[0] !== 'start' && words[0] !== 'exec') return
  const file = typed[typed.indexOf('--config') + 1] ?? ''
  const inFile = typed.includes('--config') ? textOf(file) : ''
  const spelled = [
    ...typed.filter((word) => word.startsWith('--')),
    ...Object.keys(env),
    ...[...inFile.matchAll(/^"?([a-z_]+)"?:/gm)].map(([, key = '']) => key),
  ]
  for (const spelling of spelled) note('setting', settingOf(spelling))
}

export function launch(args: readonly string[], { env, cwd, uid, ipc }: How = {}): ChildProcess {
  noteTyped(args, env)
  const [file, ...fixedArgs] = programCommand
  return spawn(file, [...fixedArgs, ...args], {
    stdio: ['pipe', 'pipe', 'pipe', ...(ipc === true ? (['ipc'] as const) : [])],
    env: { ...bareEnvironment(), ...env },
    ...(cwd === undefined ? {} : { cwd }),
    ...(uid === undefined ? {} : { uid }),
  })
}

/** Commands that start processes, keep running or handle signals, and files of a process. They need their own process. */
const ofProcess = /^(exec|listen|mcp|--|--follow|--detach|\/(dev|proc)\/.*)$/

/** Runs a command to its end: in this process if possible, otherwise in its own (an executable, a command about processes, or options beyond variables and a folder). */
export async function run(args: readonly string[], how: How = {}): Promise<Ended> {
  const isPlain =
    Object.keys(how).every((name) => name === 'env' || name === 'cwd') && how.env?.NODE_OPTIONS === undefined
  if (isPlain && executable === undefined && !args.some((word) => ofProcess.test(word))) {
    noteTyped(args, how.env)
    const startedMs = performance.now()
    const printed = await runHere(args, { ...bareEnvironment(), ...how.env }, how.cwd)
    return { ...printed, tookMs: performance.now() - startedMs }
  }
  return runProcess(args, how)
}

/** Runs a command to its end in its own process. */
export function runProcess(args: readonly string[], how: How = {}): Promise<Ended> {
  const child = launch(args, how)
  // A command that fails at once may end before it has read its input.
  child.stdin?.on('error', () => {}).end(how.input ?? '')
  return ended(child)
}

/** A folder for PATH in which `payments-sandbox` is the program under test. */
function commandFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-bin-'))
  const script = `#!/bin/sh\nexec ${programCommand.map((word) => `'${word}'`).join(' ')} "$@"\n`
  writeFileSync(join(folder, 'payments-sandbox'), script, { mode: 0o755 })
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
let commands: string | undefined

/** Starts a shell command line as a person types it. */
export function launchShell(line: string, { env, cwd, hasGroup = false }: How = {}): ChildProcess {
  commands ??= commandFolder()
  const environment = { ...bareEnvironment(), ...env }
  for (const [, typed = ''] of line.matchAll(/payments-sandbox ([^|;&>\n]*)/g)) noteTyped(typed.split(/\s+/), env)
  return spawn('sh', ['-c', line.startsWith('payments-sandbox ') ? `exec ${line}` : line], {
    env: { ...environment, PATH: `${commands}:${process.env.PATH}` },
    detached: hasGroup,
    ...(cwd === undefined ? {} : { cwd }),
  })
}

/** Characters that have a meaning in a shell. */
const ofShell = /[|;&<>$`(){}*?~\\\n]/
/** A word, with or without quotes. */
const shellWord = /'([^']*)'|"([^"]*)"|([^\s'"]+)/g

/** Runs a shell command line to its end: in this process if it is a single plain command of the program. */
export function runShell(line: string, how: How = {}): Promise<Ended> {
  const [program, ...args] = [...line.matchAll(shellWord)].map(([, ...words]) =>
    words.find((word) => word !== undefined),
  )
  const isPlain = program === 'payments-sandbox' && !ofShell.test(line.replaceAll(/'[^']*'/g, ''))
  if (isPlain && !/\w['"]|['"]\w/.test(line)) return run(args.map(String), how)
  return ended(launchShell(line, how))
}

/** Measures how long starting an empty Node takes at the moment: the fastest of three. */
export function bareStartMs(): number {
  const times = Array.from({ length: 3 }, () => {
    const startedMs = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    return performance.now() - startedMs
  })
  return Math.min(...times)
}

let bareMs = 0

/**
 * Runs a command that changes nothing, and fails unless it takes less than two seconds on a machine that starts a process in
 * 40 ms, and proportionally longer on a busy one. A slow run is repeated: what else the machine does only ever adds.
 */
export async function withinTwoSeconds(begin: () => Promise<Ended>): Promise<Ended> {
  for (let turn = 0; turn < 10; turn++) {
    const end = await begin()
    if (end.tookMs >= 50 * bareMs) bareMs = Math.max(bareMs, bareStartMs())
    if (end.tookMs < 50 * bareMs) return end
  }
  throw new Error('the command took more than two seconds ten times in a row')
}

export function ended(child: ChildProcess): Promise<Ended> {
  const startedMs = performance.now()
  const out = collect(child, 'stdout')
  const err = collect(child, 'stderr')
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) =>
      resolve({ code, stdout: out(), stderr: err(), tookMs: performance.now() - startedMs }),
    )
  })
}

export function collect(child: ChildProcess, name: 'stdout' | 'stderr'): () => string {
  let text = ''
  child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return () => text
}

/** Resolves with the output when it matches the pattern; rejects if the program ends before. */
export function printed(child: ChildProcess, pattern: RegExp, name: 'stdout' | 'stderr' = 'stdout'): Promise<string> {
  const text = collect(child, name)
  return new Promise((resolve, reject) => {
    const look = () => {
      if (pattern.test(text())) resolve(text())
    }
    child[name]?.on('data', look)
    child.once('close', (code) =>
      reject(new Error(`the program ended with ${code} before it printed ${pattern}: ${text()}`)),
    )
  })
}

interface Credential {
  client_id: string
  client_secret: string
  signing_key: string
  webhook_secret: string
  postback_url: string | null
}

export interface Ready {
  event: string
  base_url: string
  dashboard_url: string
  admin_token?: string
  accounts: { username: string; credentials: Credential[] }[]
}

/** A sandbox that `start` has started. */
export interface Started {
  ready: Ready
  url: string
  /** The standard error output so far. */
  errors(): string
  /** Stops it; resolves with the exit code. */
  stop(): Promise<number | null>
}

/** A sandbox in its own process. */
export interface Running extends Started {
  child: ChildProcess
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** How long a sandbox in this process may take to finish its work. */
const finishingMs = 5000

/** Runs `start --port 0 --json` in this process, which takes a tenth of the time: for tests that neither kill it nor block this process. An executable gets its own process. */
export async function startHere(args: readonly string[] = [], { env, cwd }: How = {}): Promise<Started> {
  if (executable !== undefined)
    return startProgram(args, { ...(env === undefined ? {} : { env }), ...(cwd === undefined ? {} : { cwd }) })
  const all = ['start', '--port', '0', '--json', ...args]
  noteTyped(all, env)
  const { finished, exited, soFar, signal } = beginHere(all, { ...bareEnvironment(), ...env }, cwd)
  await finished
  const { code, stdout, stderr } = soFar()
  if (code !== 0) throw new Error(`the program ended with ${code}: ${stderr}`)
  const ready = JSON.parse(stdout) as Ready
  const stop = async () => {
    signal('SIGTERM')
    // A second signal ends work that is still running, as in a real process.
    if ((await Promise.race([exited, pause(finishingMs, true, { ref: false })])) === true) signal('SIGINT')
    await exited
    return soFar().code
  }
  return { ready, url: ready.base_url, errors: () => soFar().stderr, stop }
}

/** Runs `start --port 0 --json` with more arguments in its own process. */
export async function startProgram(args: readonly string[] = [], how: How = {}): Promise<Running> {
  const child = launch(['start', '--port', '0', '--json', ...args], how)
  const errors = collect(child, 'stderr')
  const line = await printed(child, /\n/).catch((error: Error) => {
    throw new Error(`${error.message} ${errors()}`)
  })
  const ready = JSON.parse(line) as Ready
  const stop = (signal: NodeJS.Signals = 'SIGTERM') =>
    new Promise<number | null>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode)
      child.once('close', resolve)
      child.kill(signal)
    })
  return { child, ready, url: ready.base_url, errors, stop }
}

/** Starts a sandbox in this process that stops after the test. */
export async function startHereForTest(...given: Parameters<typeof startHere>): Promise<Started> {
  const sandbox = await startHere(...given)
  onTestFinished(async () => void (await sandbox.stop()))
  return sandbox
}

/** Starts a sandbox in its own process that stops after the test. */
export async function startForTest(...given: Parameters<typeof startProgram>): Promise<Running> {
  const sandbox = await startProgram(...given)
  onTestFinished(async () => {
    await sandbox.stop('SIGKILL')
  })
  return sandbox
}

/** Removes the progress lines that the program prints on a slow machine from standard error. */
export const withoutProgress = (stderr: string): string => stderr.replace(/^[^\n]* …\n/gm, '')
