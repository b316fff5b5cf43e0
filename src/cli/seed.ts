/** `payments-sandbox seed demo`: a workspace that looks used. */
import type { Command } from 'commander'
import { type Connection, connect, print, type Sandbox, talks } from './connection.js'
import { startProgress } from './progress.js'
import { bold, paintState } from './style.js'
import { facts } from './table.js'

interface Seeded {
  from: string
  to: string
  happened: number
  refused: number
}

export function defineSeed(command: Command): void {
  talks(
    command.command('demo').description('a believable month: charges of all rails, withdrawals, disputes, failures'),
  )
    .option('--days <number>', 'how many days (default 30)')
    .action(async (flags: Connection & { days?: string }) => {
      const sandbox = connect(flags)
      const body = flags.days === undefined ? {} : { days: flags.days }
      const seeded = await tellingTheDay(sandbox, () => sandbox.call<Seeded>('POST', '/_sandbox/seed/demo', body))
      print(flags, seeded, told)
    })
}

/** How far the clock has come, while it walks. */
async function tellingTheDay<T>(sandbox: Sandbox, work: () => Promise<T>): Promise<T> {
  const progress = startProgress('a month goes by')
  const look = async () => {
    const { now } = await sandbox.call<{ now: string }>('GET', '/_sandbox/clock')
    progress.say(`a month goes by: ${now.slice(0, 10)}`)
  }
  const timer = setInterval(() => void look().catch(() => undefined), 500)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    progress.stop()
  }
}

const told = ({ from, to, happened, refused }: Seeded) =>
  `${paintState('ok', '✓')} ${bold('demo')}\n${facts(
    [
      ['from', from],
      ['to', `${to} (business time now)`],
      ['happened', happened],
      ['refused', refused === 0 ? null : refused],
    ],
    '  ',
  )}`
