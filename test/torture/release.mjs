/** Checks a release: its workflow is valid, two builds give equal tarballs, and the executable passes the black-box tests and starts about as fast as the package. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { lintWorkflows } from '../../scripts/lint-workflows.mjs'

const binary = 'dist/binary/payments-sandbox'
/** The executable's start may take this many times the package's start. */
const mostStartRatio = 1.5
const rounds = 15
/** Enough time for a start to write its code cache. */
const settledMs = 5000

/** Builds the last commit in a new folder and returns the hash of its tarball. */
function hashOfTarball() {
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-tarball-'))
  try {
    execFileSync('sh', ['-c', `git archive HEAD | tar -x -C '${folder}'`])
    symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
    execFileSync(process.execPath, ['build.mjs'], { cwd: folder })
    execFileSync('npm', ['pack', '--ignore-scripts', '--silent'], { cwd: folder, stdio: 'ignore' })
    const name = readdirSync(folder).find((file) => file.endsWith('.tgz'))
    return createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the milliseconds until `start` is ready, and lets it run for `lingerMs` more. */
async function startMs([file, ...args], lingerMs) {
  const startedMs = performance.now()
  const child = spawn(file, [...args, 'start', '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'ignore'] })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const tookMs = performance.now() - startedMs
  await pause(lingerMs)
  const closed = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await closed
  return tookMs
}

/** Measures both in turn and returns the medians. The first round does not count: in it the package writes its code cache. */
async function startFigures() {
  const programs = { package: [process.execPath, 'bin/payments-sandbox.js'], executable: [binary] }
  const times = { package: [], executable: [] }
  for (let round = 0; round <= rounds; round++)
    for (const [name, command] of Object.entries(programs)) {
      const tookMs = await startMs(command, round === 0 ? settledMs : 0)
      if (round > 0) times[name].push(tookMs)
    }
  const medians = Object.entries(times).map(([name, all]) => [name, all.sort((a, b) => a - b)[rounds >> 1]])
  return Object.fromEntries(medians.map(([name, ms]) => [`${name}StartMs`, Math.round(ms)]))
}

export async function checkRelease() {
  const problems = await lintWorkflows()
  for (const problem of problems) console.log(problem)
  const [first, second] = [hashOfTarball(), hashOfTarball()]
  console.log(first === second ? `two tarballs: ${first}` : `two tarballs differ: ${first}, ${second}`)
  execFileSync('npm', ['run', 'build:binary'], { stdio: 'inherit' })
  const tests = [
    'vitest',
    'run',
    '--config',
    'test/vitest.config.ts',
    'test/cli',
    'test/certify/surfaces',
    'test/certify/report',
  ]
  const { status } = spawnSync('npx', tests, { stdio: 'inherit', env: { ...process.env, TEST_PROGRAM: binary } })
  const figures = await startFigures()
  console.log(JSON.stringify(figures))
  const isFast = figures.executableStartMs <= mostStartRatio * figures.packageStartMs
  return problems.length === 0 && first === second && status === 0 && isFast
}
