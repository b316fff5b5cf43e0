/** A large snapshot is handled in a thread while other callers are answered. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.js'
import { control } from '../support/http.js'
import { answeredDuring } from '../support/large-bodies.js'
import { manyCharges } from '../support/many-charges.js'
import { openSandbox } from '../support/sandbox.js'

test('a large snapshot is imported, restored and exported in a thread by a sandbox in memory', async () => {
  const db = join(temporaryFolder(), 'sandbox.db')
  await manyCharges(db, 4000)
  const file = await openSandbox({ clock: 'manual' }, { db })
  await control(file.url)('POST', '/snapshots', { name: 'large' })
  const text = await (await fetch(`${file.url}/_sandbox/snapshots/large/export`)).text()
  const { url } = await openSandbox({ clock: 'manual' })
  const imported = await answeredDuring(url, '/snapshots/copy/import', 'application/json', text)
  expect([imported.status, imported.body.name]).toEqual([200, 'copy'])
  expect(imported.answered).toBeGreaterThan(5)
  const damaged = await answeredDuring(url, '/snapshots/other/import', 'application/json', text.slice(0, -100))
  expect([damaged.status, damaged.body.error.details.rule]).toEqual([422, expect.stringContaining('damaged')])
  expect((await answeredDuring(url, '/snapshots/copy/restore', 'application/json', '')).status).toBe(200)
  expect((await control(url)('GET', '/counts')).body).toEqual((await control(file.url)('GET', '/counts')).body)
  expect(await (await fetch(`${url}/_sandbox/snapshots/copy/export`)).text()).toBe(text)
  // A large image is sealed in pieces. The export checks the seal.
  expect((await answeredDuring(url, '/snapshots', 'application/json', '{"name":"again"}')).status).toBe(200)
  expect((await fetch(`${url}/_sandbox/snapshots/again/export`)).status).toBe(200)
})
