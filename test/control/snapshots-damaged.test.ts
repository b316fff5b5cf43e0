/** A snapshot that is damaged, foreign or newer is rejected with the reason, and nothing changes. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openClient } from '../support/client.js'
import { rejectsDamaged, unsealed } from '../support/damaged-snapshots.js'
import { temporaryFolder } from '../support/folder.js'
import { control } from '../support/http.js'
import { openSandbox } from '../support/sandbox.js'

test('a damaged snapshot is rejected, the running state stays, and the sandbox starts again', async () => {
  const db = join(temporaryFolder(), 'sandbox.db')
  const sandbox = await openSandbox({ clock: 'manual' }, { db })
  const call = control(sandbox.url)
  const api = await openClient(sandbox.url)
  await api.charge()
  await call('POST', '/snapshots', { name: 'good' })
  const whole = readFileSync(`${db}.s-good`)
  const now = await api.charge()
  await call('POST', '/trigger', { action: 'cashin.pay', id: now })
  const state = async () => [
    (await call('GET', '/transactions')).body,
    (await call('GET', '/ledger')).body,
    (await call('GET', '/clock')).body,
  ]
  const before = await state()

  await rejectsDamaged(sandbox.url, db, whole)
  expect(await state()).toEqual(before)
  expect((await call('GET', '/health')).status).toBe(200)
  await api.charge({ external_id: 'goes-on' })

  // A temporary file of a process that was killed while it wrote.
  const unfinished = [`${db}.new`, `${db}.s-good.new`, `${db}.w-other.db.new`, `${db}.w-other.db.s-x.new`]
  for (const file of unfinished) writeFileSync(file, 'half')
  writeFileSync(`${db}-notes.new`, 'of the user')
  await sandbox.close(0)
  const second = await openSandbox({}, { db })
  expect(unfinished.filter((file) => existsSync(file))).toEqual([])
  expect(existsSync(`${db}-notes.new`)).toBe(true)
  expect((await control(second.url)('GET', '/transactions')).body.data).toHaveLength(3)
  expect((await control(second.url)('POST', '/snapshots/good/restore')).status).toBe(200)
  expect((await control(second.url)('GET', '/transactions')).body.data).toHaveLength(1)
})

test('an intact snapshot without a checksum can be restored', async () => {
  const db = join(temporaryFolder(), 'sandbox.db')
  const { url } = await openSandbox({}, { db })
  await (await openClient(url)).charge()
  await control(url)('POST', '/snapshots', { name: 'good' })
  writeFileSync(`${db}.s-plain`, unsealed(readFileSync(`${db}.s-good`)))
  await control(url)('POST', '/reset')
  expect((await control(url)('POST', '/snapshots/plain/restore')).status).toBe(200)
  expect((await control(url)('GET', '/transactions')).body.data).toHaveLength(1)
})
