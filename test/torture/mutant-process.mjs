/** Runs processes that test mutants in turn and print one line of JSON for each. A process that hangs or ends has also noticed its mutant. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A process without output for this long hangs; a single test takes at most one minute. */
const usualSilenceMs = 120_000
/** Otherwise a process may exit before its last long line is written. */
const writeAtOnce = `data:text/javascript,${encodeURIComponent('process.stdout._handle?.setBlocking?.(true)')}`

export const batches = (list, size) =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size))

/**
 * `argsOf` returns the command line that tests a list of mutants. After a process has ended, another one tests the remaining mutants.
 * Only the first mutant of a process is noticed by its end, because a later one may suffer from those before it.
 */
export async function testBatch(batch, argsOf, done, silenceMs = usualSilenceMs) {
  let left = batch
  while (left.length > 0) {
    const ids = left.map(({ id }) => id)
    let at = ids[0]
    const onLine = (line) => {
      at = line.id
      if (line.verdict === 'testing') return
      done({ ...left.find(({ id }) => id === line.id), ...line })
      at = ids[ids.indexOf(line.id) + 1]
    }
    await runLines(argsOf(left), onLine, silenceMs)
    const next = ids.indexOf(at)
    if (next < 0) return
    if (next === 0) done({ ...left[0], verdict: 'killed', test: 'the process hung or ended' })
    left = left.slice(Math.max(next, 1))
  }
}

export async function runLines(args, onLine, silenceMs = usualSilenceMs) {
  // A printed warning would fail a test.
  const flags = ['--max-old-space-size=1024', '--no-warnings', '--import', writeAtOnce]
  const child = spawn(process.execPath, [...flags, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const kill = () => child.kill('SIGKILL')
  let timer = setTimeout(kill, silenceMs * 10)
  const lines = createInterface(child.stdout)
  const ended = new Promise((resolve) => child.on('close', resolve))
  try {
    for await (const line of lines) {
      clearTimeout(timer)
      timer = setTimeout(kill, silenceMs)
      onLine(JSON.parse(line))
    }
  } finally {
    kill()
    clearTimeout(timer)
    await ended
  }
}
