/** Tells that something is still going on: a line that moves where a person watches, plain lines elsewhere. */
import type { Sandbox } from '../connection/connection.js'
import { isWatched, paint } from './style.js'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const showAfterMs = 300
const barWidth = 20

export interface Progress {
  /** Replaces the text beside the sign. `share` from 0 to 1 is how much is done, where that is known. */
  say(text: string, share?: number): void
  /** Makes room for a line of another's. */
  clear(): void
  stop(): void
}

/** Nothing is told of what is quick: less than 0.3 s where somebody watches, than a second elsewhere. */
export const startProgress = (text: string, stream: NodeJS.WriteStream = process.stderr): Progress =>
  isWatched(stream) ? movingLine(text, stream) : plainLines(text, stream)

function movingLine(text: string, stream: NodeJS.WriteStream): Progress {
  let said = text
  let frame = 0
  const startedMs = Date.now()
  const timer = setInterval(() => {
    const elapsedMs = Date.now() - startedMs
    if (elapsedMs < showAfterMs) return
    const sign = paint('cyan', frames[frame++ % frames.length] ?? '', stream)
    stream.write(`\r\u001b[2K${sign} ${said} ${paint('dim', `${Math.floor(elapsedMs / 1000)}s`, stream)}`)
  }, 100)
  return {
    say: (next, share) => {
      said = share === undefined ? next : `${barOf(share)} ${next}`
    },
    clear: () => stream.write('\r\u001b[2K'),
    stop() {
      clearInterval(timer)
      stream.write('\r\u001b[2K')
    },
  }
}

const within = (share: number) => Math.min(1, Math.max(0, share))

function barOf(share: number): string {
  const full = Math.round(within(share) * barWidth)
  return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)}`
}

const firstLineMs = 1000
/** Seconds between the lines that follow: a log is not to be filled with them. */
const every = 5

/** For what shares the terminal with another program: a line that moves would be torn apart. */
export function plainLines(text: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  let said = text
  let told = ''
  let seconds = 0
  const timer = setInterval(() => {
    const isDue = seconds++ % every === 0
    if (!isDue || said === told) return
    told = said
    stream.write(`${said} …\n`)
  }, firstLineMs)
  // What is done need not wait for the next line.
  timer.unref()
  return {
    say: (next, share) => {
      said = share === undefined ? next : `${next} (${Math.floor(within(share) * 100)} %)`
    },
    // Another's line tells as much: silence is counted from there.
    clear: () => {
      if (seconds > 0) seconds = 1
    },
    stop: () => clearInterval(timer),
  }
}

export async function withProgress<T>(text: string, work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = startProgress(text)
  try {
    return await work(progress)
  } finally {
    progress.stop()
  }
}

const lookEveryMs = 500

/** Tells the time of the sandbox's clock while it advances; `endOf` the end of that, where it is known. */
export function withClockProgress<T>(
  sandbox: Sandbox,
  text: string,
  endOf: (startMs: number) => number | null,
  work: () => Promise<T>,
): Promise<T> {
  return withProgress(text, async (progress) => {
    let startMs: number | undefined
    const look = async () => {
      const { now, advancing } = await sandbox.call('GET /clock')
      const count = advancing?.in_flight.length ?? 0
      const waiting = count === 0 ? '' : `, ${count} in flight`
      startMs ??= Date.parse(now)
      const endMs = endOf(startMs)
      const share = endMs === null || endMs <= startMs ? undefined : (Date.parse(now) - startMs) / (endMs - startMs)
      progress.say(`${text}: ${now.slice(0, 16).replace('T', ' ')}${waiting}`, share)
    }
    const lookOrNot = () => void look().catch(() => undefined)
    // Where it begins is read beside the work: it must not wait for that.
    lookOrNot()
    const timer = setInterval(lookOrNot, lookEveryMs)
    try {
      return await work()
    } finally {
      clearInterval(timer)
    }
  })
}
