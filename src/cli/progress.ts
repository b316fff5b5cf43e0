/** Tells a person who watches that something is still going on, and clears the line behind it. */
import { isWatched, paint } from './style.js'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const showAfterMs = 300

export interface Progress {
  /** Replaces the text beside the sign. */
  say(text: string): void
  /** Makes room for a line of another's. */
  clear(): void
  stop(): void
}

/** Shows nothing where nobody watches, and nothing for what is quick. */
export function startProgress(text: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!isWatched(stream)) return { say() {}, clear() {}, stop() {} }
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
    say: (next) => {
      said = next
    },
    clear: () => stream.write('\r\u001b[2K'),
    stop() {
      clearInterval(timer)
      stream.write('\r\u001b[2K')
    },
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
