/** The files that a charge goes through, measured while one is created; docs/architecture.md lists them in order. */
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startSandbox } from '../../src/testing/start.js'
import { basicOf, requestToken } from '../support/client.js'
import { secretsOf } from '../support/signing.js'

const root = join(import.meta.dirname, '../..')

/** Files of `src` that run a named function during `work`; without `base`, which holds pure values. */
async function filesRunBy(session: Session, work: () => Promise<void>): Promise<string[]> {
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  return result
    .filter(({ functions }) => functions.some((one) => one.functionName !== '' && (one.ranges[0]?.count ?? 0) > 0))
    .flatMap(({ url }) => /\/(src\/(?!base\/)[^?]+)/.exec(url)?.[1] ?? [])
}

/** Those that three charges have in common, so that background work does not count. */
async function filesOfACharge(): Promise<string[]> {
  await using sandbox = await startSandbox()
  const { clientId, clientSecret } = secretsOf('merchant')
  const { access_token: token } = (await requestToken(sandbox.url, basicOf(clientId, clientSecret))).body
  const charge = async () => {
    const answer = await fetch(`${sandbox.url}/v2/transactions/cashin`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ amount: 25.5, currency: 'BRL' }),
    })
    expect(answer.status, await answer.text()).toBe(200)
  }
  for (let warm = 0; warm < 5; warm += 1) await charge()
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    const runs: string[][] = []
    while (runs.length < 3) runs.push(await filesRunBy(session, charge))
    const [first = [], ...others] = runs
    return first.filter((path) => others.every((run) => run.includes(path)))
  } finally {
    session.disconnect()
  }
}

test('docs/architecture.md lists the files that a charge goes through, at most 35', async () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const listed = [...page.matchAll(/^\d+\. `(src\/[^`]+)`/gm)].flatMap(([, path]) => path ?? [])
  const found = await filesOfACharge()
  expect(found.sort()).toEqual([...listed].sort())
  expect(listed.length).toBeLessThanOrEqual(35)
})
