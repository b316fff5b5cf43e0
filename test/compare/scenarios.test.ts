/** Recordings of every built-in scenario agree with the sandbox, except for faults that a scenario injects. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compareEntries, differences } from '../support/compared.js'
import { figure } from '../support/figures.js'
import { recordTraffic } from '../support/recorded-traffic.js'

const names = readdirSync(join(import.meta.dirname, '../../scenarios'))
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.slice(0, -'.yaml'.length))

/** The faults of scenarios, which the platform must not have. */
const faults: Readonly<Record<string, readonly string[]>> = {
  'webhook-reordered': ['assumption_wrong cashin.confirmed order'],
  'webhook-stale': ['documentation_wrong cashin.confirmed headers.X-Webhook-Timestamp'],
  'webhook-tampered': ['unknown_field cashin.confirmed tampered'],
}

test('webhooks of every built-in scenario show no difference', async () => {
  const found: Record<string, unknown> = {}
  await recordTraffic({}, async ({ sandbox, api, recorder }) => {
    for (const name of names) {
      recorder.entries.length = 0
      await sandbox.scenarios.run(name, { fast_forward: true } as never).catch(() => undefined)
      await api.transactionList({ page: 1, page_size: 20 }).catch(() => undefined)
      const report = differences(await compareEntries(recorder.entries.slice()))
      const shown = report.map(({ verdict, call, path }) => `${verdict} ${call} ${path}`)
      if (shown.length > 0) found[name] = shown
      await sandbox.reset()
      await sandbox.configure('merchant', { postback_url: recorder.hooksUrl })
    }
  })
  expect(found).toEqual(faults)
})

/** The long tests use other data and a whole month. */
const seed = process.env.COMPARE_SEED ?? 'platform'
const days = figure(8, 30)

test('sample data shows no difference', async () => {
  const entries = await recordTraffic({ seed }, async ({ sandbox, api }) => {
    await sandbox.control.call('POST', '/seed/demo', { days })
    // The withdrawal that stays pending for an hour ends.
    await sandbox.clock.advance('2h')
    for (let page = 1, pages = 1; page <= pages; page++) {
      const { pagination } = await api.transactionList({ page, page_size: 100 })
      pages = pagination.total_pages
    }
    await api.infractionList({ page: 1, page_size: 100 })
    await api.balance()
  })
  const report = await compareEntries(entries)
  expect(differences(report), `seed ${seed}`).toEqual([])
  expect(report.webhooks).toBeGreaterThan(days * 10)
})
