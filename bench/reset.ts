/** Times a reset of a used workspace, in turn with opening an empty database and creating its tables. */

import { requireAccount } from '../src/core/auth/account.js'
import { createCashin } from '../src/core/operations/cashin.js'
import { closeWorkspace, openWorkspace, reset } from '../src/core/workspace/workspace.js'
import { defaultConfig } from '../src/protocol/settings/platform.js'
import { chooseDriver, createSqlite } from '../src/runtime/node/sqlite/sqlite.js'
import { createTables } from '../src/store/db.js'

const rounds = 60

export async function timeResets(): Promise<{ resetMs: number; openMs: number }> {
  const ws = openWorkspace(
    'default',
    {
      db: createSqlite(chooseDriver(null)).openInMemory(),
      wall: Date.now,
      send: () => Promise.reject(new Error('the benchmark of resets sends no webhooks')),
      wake: () => {},
      callAfter: () => () => {},
    },
    { ...defaultConfig, clock: 'manual' },
  )
  const resets: number[] = []
  const opens: number[] = []
  for (let round = 0; round < rounds; round++) {
    await ws.unit((unit) => {
      const account = requireAccount(unit.db, 'merchant')
      for (let at = 0; at < 20; at++) {
        const request = {
          amountMinor: 1000n,
          currency: 'BRL',
          chain: null,
          externalId: `order-${at}`,
          postbackUrl: null,
          payer: null,
          split: [],
        } as const
        createCashin(unit, { account, credential: null }, { ...request, split: [] })
      }
    })
    resets.push(await timed(() => reset(ws)))
    opens.push(await timed(openEmpty))
  }
  closeWorkspace(ws)
  return { resetMs: median(resets), openMs: median(opens) }
}

function openEmpty(): void {
  const db = createSqlite(chooseDriver(null)).openInMemory()
  createTables(db)
  db.close()
}

async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
