/** Shows progress: a moving line at a terminal, plain lines elsewhere. */
import type { Sandbox } from '../command.js'
import { isTerminal, paint } from './style.js'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const showAfterMs = 300
const barWidth = 20

export interface Progress {
  /** Replaces the text. `share`, from 0 to 1, is the part that is done, if known. */
  setText(text: string, share?: number): void
  /** Clears the moving line before other output. */
  clear(): void
  stop(): void
}

/** Shows nothing for quick work: less than 0.3 s at a terminal, less than 1 s elsewhere. */
export const startProgress = (text: string, stream: NodeJS.WriteStream = process.stderr): Progress =>
  isTerminal(stream) ? movingLine(text, stream) : plainLines(text, stream)

/** Shows nothing outside a terminal, for commands whose output shows the progress. */
export const terminalProgress = (text: string, stream: NodeJS.WriteStream = process.stderr): Progress =>
  isTerminal(stream) ? movingLine(text, stream) : { setText() {}, clear() {}, stop() {} }

function movingLine(text: string, stream: NodeJS.WriteStream): Progress {
  let current = text
  let frame = 0
  const startedMs = Date.now()
  const timer = setInterval(() => {
    const elapsedMs = Date.now() - startedMs
    if (elapsedMs < showAfterMs) return
    const sign = paint('cyan', frames[frame++ % frames.length] ?? '', stream)
    stream.write(`\r\u001b[2K${sign} ${current} ${paint('dim', `${Math.floor(elapsedMs / 1000)}s`, stream)}`)
  }, 100)
  return {
    setText: (next, share) => {
      current = share === undefined ? next : `${barOf(share)} ${next}`
    },
    clear: () => stream.write('\r\u001b[2K'),
    stop() {
      clearInterval(timer)
      stream.write('\r\u001b[2K')
    },
  }
}

const clampShare = (share: number) => Math.min(1, Math.max(0, share))

function barOf(share: number): string {
  const full = Math.round(clampShare(share) * barWidth)
  return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)}`
}

const firstLineMs = 1000
/** Seconds between later lines, so that they do not flood a log. */
const every = 5

/** For a terminal shared with another program, whose output would interrupt a moving line. */
export function plainLines(text: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  let current = text
  let printed = ''
  let seconds = 0
  const timer = setInterval(() => {
    const isDue = seconds++ % every === 0
    if (!isDue || current === printed) return
    printed = current
    stream.write(`${current} …\n`)
  }, firstLineMs)
  // The process must not wait for the next line.
  timer.unref()
  return {
    setText: (next, share) => {
      current = share === undefined ? next : `${next} (${Math.floor(clampShare(share) * 100)} %)`
    },
    // Other output also shows progress, so the interval starts again.
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

const pollIntervalMs = 500

/** Shows the sandbox's clock while it advances; `endOf` returns the end of the advance, if known. */
export function withClockProgress<T>(
  sandbox: Sandbox,
  text: string,
  endOf: (startMs: number) => number | null,
  work: () => Promise<T>,
): Promise<T> {
  return withProgress(text, async (progress) => {
    let startMs: number | undefined
    const poll = async () => {
      const { now, advancing } = await sandbox.call('GET /clock')
      const count = advancing?.in_flight.length ?? 0
      const waiting = count === 0 ? '' : `, ${count} in flight`
      startMs ??= Date.parse(now)
      const endMs = endOf(startMs)
      const share = endMs === null || endMs <= startMs ? undefined : (Date.parse(now) - startMs) / (endMs - startMs)
      progress.setText(`${text}: ${now.slice(0, 16).replace('T', ' ')}${waiting}`, share)
    }
    const pollSafely = () => void poll().catch(() => undefined)
    // The work must not wait for the first reading of the clock.
    pollSafely()
    const timer = setInterval(pollSafely, pollIntervalMs)
    try {
      return await work()
    } finally {
      clearInterval(timer)
    }
  })
}
