/** The server half of `startSandbox`, loaded when one is started. */
import { readFileSync } from 'node:fs'
import { openSandbox } from '../platform/node/sandbox.js'
import { megabyte } from '../protocol/api/limits.js'
import { configOfOptions } from './config.js'
import type { StartOptions } from './options.js'

export interface OpenServer {
  url: string
  adminToken: string | null
  close(graceMs: number): Promise<void>
}

/** Rejects with what is wrong with the options, the database, the scenarios or the port. */
export async function openServer(options: StartOptions): Promise<OpenServer> {
  const {
    db = ':memory:',
    host = '127.0.0.1',
    port = 0,
    adminToken,
    allowHosts = [],
    scenarios,
    arm = [],
    snapshot,
    databaseDriver,
    maxImportMb,
  } = options
  const running = await openSandbox({
    db,
    host,
    port,
    adminToken: adminToken ?? null,
    allowHosts,
    scenariosDir: scenarios ?? null,
    arm,
    databaseDriver: databaseDriver ?? null,
    snapshot: snapshot === undefined ? null : readFileSync(snapshot, 'utf8'),
    maxImportBytes: maxImportMb === undefined ? null : maxImportMb * megabyte,
    config: configOfOptions(options),
    overrideGlobals: false,
  })
  return { url: running.url, adminToken: running.adminToken, close: running.close }
}
