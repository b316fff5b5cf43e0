/** How long a start takes and how much memory it holds, beside a bare Hono server. */
import { median, startProgram, timeToEnd } from './process.mjs'
import { here, program, rounds } from './sandbox.mjs'

export async function measure(wants, report) {
  if (wants('start') || wants('memory')) await starts(report)
  if (!wants('version')) return
  const found = []
  for (let round = 0; round < 3 * rounds; round++)
    found.push((await timeToEnd([program, '--version'])) / (await timeToEnd(['-e', '0'])))
  report('version', median(found))
}

async function starts(report) {
  const found = { start: [], memory: [] }
  // The first one makes the code cache, and lasts as long as that takes.
  await firstAnswer([program, 'start', '--port', '0', '--json'], '/_sandbox/health', 3000)
  for (let round = 0; round < 3 * rounds; round++) {
    const bare = await firstAnswer([here('bare.mjs')], '/')
    const sandbox = await firstAnswer([program, 'start', '--port', '0', '--json'], '/_sandbox/health')
    found.start.push(sandbox.ms / bare.ms)
    found.memory.push(sandbox.memoryMb / bare.memoryMb)
    if (round === 0)
      console.log(
        `first answer: bare ${bare.ms.toFixed(0)} ms and ${bare.memoryMb.toFixed(0)} MB, sandbox ${sandbox.ms.toFixed(0)} ms and ${sandbox.memoryMb.toFixed(0)} MB`,
      )
  }
  report('start', median(found.start))
  report('memory', median(found.memory))
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
