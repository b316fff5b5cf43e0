/** A sandbox in its own process that tests kill and restart on the stored data: the program on a file, or workerd on its objects. */
import { defaultConfig } from '../../src/protocol/settings/platform.js'
import { built } from './built.js'
import { closeAfter } from './hooks.js'
import { startProgram } from './program.js'
import { onWorkers, openOnWorkers } from './workers.js'

interface Settings {
  clock: 'realtime' | 'manual'
  webhookUrl: string
}

export interface Killable {
  url: string
  /** Kills the process with SIGKILL. */
  kill(): Promise<unknown>
}

/** Starts a sandbox that is killed after the test. */
export async function startKillable({ db, ...config }: Settings & { db: string }): Promise<Killable> {
  const { url, kill } = onWorkers ? await underWorkerd(config, db) : await asProgram(config, db)
  closeAfter(kill)
  return { url, kill }
}

async function asProgram({ clock, webhookUrl }: Settings, db: string): Promise<Killable> {
  await built()
  const { url, stop } = await startProgram(['--db', db, '--clock', clock, '--webhook-url', webhookUrl])
  return { url, kill: () => stop('SIGKILL') }
}

async function underWorkerd(config: Settings, db: string): Promise<Killable> {
  const { url, close } = await openOnWorkers({ ...defaultConfig, ...config }, { db })
  return { url, kill: close }
}
