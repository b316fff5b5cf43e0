/** A recording of our own recorder, with pseudonyms, is compared like any other. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openRecorder } from '../../../src/features/record/proxy/recorder.js'
import { startSandbox } from '../../../src/testing/index.js'
import { compareText, differences } from '../../support/compared.js'
import { temporaryFolder } from '../../support/folder.js'
import { playEverything, playerOf } from '../../support/recorded-traffic.js'

test('a recording of the recorder shows no difference between two sandboxes', async () => {
  const file = join(temporaryFolder(), 'recording.har')
  await using sandbox = await startSandbox({ clock: 'manual', seed: 'platform' })
  await using receiver = await sandbox.receiver()
  const recorder = await openRecorder({
    target: new URL(sandbox.url),
    file,
    port: 0,
    webhooks: { port: 0, forwardTo: new URL(receiver.url) },
    now: () => Date.now(),
    onFault: () => {},
  })
  await sandbox.configure('merchant', { postback_url: recorder.webhooksUrl ?? '' })
  await playEverything(playerOf(sandbox, recorder.url))
  await recorder.close(1000)
  const report = await compareText(readFileSync(file, 'utf8'))
  expect(differences(report)).toEqual([])
  expect(report.exchanges).toBeGreaterThan(35)
  expect(report.webhooks).toBeGreaterThan(20)
})
