/** Start time and idle memory on this Node and on the newest one, compared with a bare server of the same Node; the time of `--version` and of one command, compared with an empty Node.js. */
import { build } from 'esbuild'
import { fetchNode } from '../scripts/fetch.mjs'
import { median, startProgram, timeToEnd } from './process.mjs'
import { here, program, rounds } from './sandbox.mjs'

export async function measure(wants, report) {
  if (['start', 'memory', 'floor-start', 'floor-idle'].some(wants)) await starts(report, process.execPath, '')
  if (['start-newest', 'memory-newest'].some(wants)) await starts(report, fetchNode(), '-newest')
  if (wants('command')) report('command', await commandRatio())
  if (!wants('version') && !wants('floor-version')) return
  const found = { version: [], floor: [] }
  for (let round = 0; round < 3 * rounds; round++) {
    const emptyMs = await timeToEnd(['-e', '0'])
    found.version.push((await timeToEnd([program, '--version'])) / emptyMs)
    found.floor.push((await timeToEnd([here('floor/version.cjs')])) / emptyMs)
  }
  report('version', median(found.version))
  report('floor-version', median(found.floor))
}

/** The time of a command that calls a running sandbox once, divided by that of `node -e 0`. */
async function commandRatio() {
  const sandbox = await startProgram([program, 'start', '--port', '0', '--json'])
  const ratios = []
  // The first round fills the code cache and does not count.
  for (let round = -1; round < 3 * rounds; round++) {
    const emptyMs = await timeToEnd(['-e', '0'])
    const ratio = (await timeToEnd([program, 'transactions', '--url', sandbox.base])) / emptyMs
    if (round >= 0) ratios.push(ratio)
  }
  await sandbox.stop()
  return median(ratios)
}

/** The floor, built like the sandbox: one file that runs with V8's code cache. */
async function floorProgram() {
  const outfile = here('../node_modules/.cache/payments-sandbox/floor-start.cjs')
  await build({
    stdin: { contents: "exports.run = () => require('./floor/start.mjs')", resolveDir: here('.') },
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    external: ['better-sqlite3'],
    logLevel: 'error',
  })
  return ['-e', `require(${JSON.stringify(here('../bin/code-cache.js'))}).runCached(${JSON.stringify(outfile)})`]
}

/** `ending` is that of the names of the rows. Node's newest version has no floor, because better-sqlite3 is not compiled for it. */
async function starts(report, node, ending) {
  const floorArgs = ending === '' ? await floorProgram() : null
  const startArgs = [program, 'start', '--port', '0', '--json']
  // The first start writes the code cache and lives long enough for that.
  await firstAnswer(node, startArgs, '/_sandbox/health', 5000)
  if (floorArgs !== null) await firstAnswer(node, floorArgs, '/', 5000)
  const found = { bare: [], sandbox: [], floor: [] }
  for (let round = 0; round < 3 * rounds; round++) {
    found.bare.push(await firstAnswer(node, [here('bare-http.mjs')], '/'))
    found.sandbox.push(await firstAnswer(node, startArgs, '/_sandbox/health'))
    if (floorArgs !== null) found.floor.push(await firstAnswer(node, floorArgs, '/'))
  }
  const values = (name, figure) => found[name].map((one) => one[figure])
  const ratio = (name, figure, of = median) => of(values(name, figure)) / of(values('bare', figure))
  const least = (all) => Math.min(...all)
  const text = (name) =>
    `${name} ${least(values(name, 'ms')).toFixed(0)} ms, ${least(values(name, 'cpuMs'))} ms of CPU, ${median(values(name, 'memoryMb')).toFixed(0)} MB`
  console.log(`first answer${ending}, the fastest start and the median memory: ${text('bare')}; ${text('sandbox')}`)
  report(`start${ending}`, ratio('sandbox', 'ms', least), ratio('sandbox', 'cpuMs', least))
  report(`memory${ending}`, ratio('sandbox', 'memoryMb'))
  if (floorArgs === null) return
  report('floor-start', ratio('floor', 'ms', least), ratio('floor', 'cpuMs', least))
  report('floor-idle', ratio('floor', 'memoryMb'))
}

async function firstAnswer(node, args, path, lastsMs = 500) {
  const started = await startProgram(args, node)
  await (await fetch(started.base + path)).text()
  const [ms, cpuMs] = [performance.now() - started.startedMs, started.cpuMs()]
  await new Promise((resolve) => setTimeout(resolve, lastsMs))
  const memoryMb = started.memoryMb()
  await started.stop()
  return { ms, cpuMs, memoryMb }
}
