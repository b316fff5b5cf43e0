/** In a container each program can be the first process, so a killed recorder had the number of the next one. */
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { closeAfter } from '../support/hooks.js'
import { ended, launchShell, printed } from '../support/program.js'
import { openEcho, readLog } from '../support/recorder.js'
import { startRecorder } from '../support/recorder-program.js'

beforeAll(async () => void (await built()))

test('record replaces the recording of a killed recorder that had the number of its own process', async () => {
  const target = await openEcho()
  const { child, file } = await startRecorder(target)
  child.kill('SIGKILL')
  await ended(child)
  // The shell becomes the recorder.
  const withOwnNumber = `sed -i 's/"_process": *[0-9]*/"_process":'$$'/' '${file}'`
  const again = launchShell(`${withOwnNumber}; exec payments-sandbox record --target ${target} --out '${file}' --json`)
  closeAfter(() => void again.kill('SIGKILL'))
  expect(JSON.parse(await printed(again, /\n/))).toMatchObject({ event: 'ready' })
  expect(readLog(file)._process).toBe(again.pid)
})
