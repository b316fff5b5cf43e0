/** Processes that try mutants one after the other, and tell of each in a line of JSON; one that falls silent, or ends, has noticed too. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A single test ends after one minute at most. */
const usualSilenceMs = 120_000

export const batches = (list, size) =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size))

/** `argsOf` gives the command line that tries those. Those behind the one at which a process ended go on in another. */
export async function tryBatch(batch, argsOf, done, silenceMs = usualSilenceMs) {
  let left = batch
  while (left.length > 0) {
    const ids = left.map(({ id }) => id)
    let at = ids[0]
    const hear = (line) => {
      at = line.id
      if (line.verdict === 'trying') return
      done({ ...left.find(({ id }) => id === line.id), ...line })
      at = ids[ids.indexOf(line.id) + 1]
    }
    await runLines(argsOf(left), hear, silenceMs)
    const next = ids.indexOf(at)
    if (next < 0) return
    done({ ...left[next], verdict: 'killed', by: 'it hung, or ended the process' })
    left = left.slice(next + 1)
  }
}

export async function runLines(args, onLine, silenceMs = usualSilenceMs) {
  const child = spawn(process.execPath, ['--max-old-space-size=1024', ...args.map(String)], {
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
