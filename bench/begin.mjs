/** Start time and idle memory, compared with a bare Hono server; the time of `--version` and of one command, compared with an empty Node.js. */
import { build } from 'esbuild'
import { median, startProgram, timeToEnd } from './process.mjs'
import { here, program, rounds } from './sandbox.mjs'

export async function measure(wants, report) {
  if (['start', 'memory', 'floor-start', 'floor-idle'].some(wants)) await starts(report)
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

async function starts(report) {
  const found = { start: [], memory: [], 'floor-start': [], 'floor-idle': [] }
  const floorArgs = await floorProgram()
  // The first start writes the code cache and lives long enough for that.
  await firstAnswer([program, 'start', '--port', '0', '--json'], '/_sandbox/health', 3000)
  await firstAnswer(floorArgs, '/', 3000)
  for (let round = 0; round < 3 * rounds; round++) {
    const bare = await firstAnswer([here('bare.mjs')], '/')
    const sandbox = await firstAnswer([program, 'start', '--port', '0', '--json'], '/_sandbox/health')
    const floor = await firstAnswer(floorArgs, '/')
    found.start.push(sandbox.ms / bare.ms)
    found.memory.push(sandbox.memoryMb / bare.memoryMb)
    found['floor-start'].push(floor.ms / bare.ms)
    found['floor-idle'].push(floor.memoryMb / bare.memoryMb)
    if (round === 0)
      console.log(
        `first answer: bare ${bare.ms.toFixed(0)} ms and ${bare.memoryMb.toFixed(0)} MB, sandbox ${sandbox.ms.toFixed(0)} ms and ${sandbox.memoryMb.toFixed(0)} MB`,
      )
  }
  for (const [name, ratios] of Object.entries(found)) report(name, median(ratios))
}

async function firstAnswer(args, path, lastsMs = 500) {
  const started = await startProgram(args)
  await (await fetch(started.base + path)).text()
  const ms = performance.now() - started.startedMs
  await new Promise((resolve) => setTimeout(resolve, lastsMs))
  const memoryMb = started.memoryMb()
  await started.stop()
  return { ms, memoryMb }
}
