/** The program `payments-sandbox record` in its own process, stopped after the test. */
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { built } from './built.js'
import { temporaryFolder } from './folder.js'
import { collect, launch, printed } from './program.js'

export interface RunningRecorder {
  child: ChildProcess
  url: string
  webhooksUrl: string | null
  file: string
  output(): string
}

export async function startRecorder(target: string, ...more: string[]): Promise<RunningRecorder> {
  await built()
  const file = join(temporaryFolder(), 'calls.har')
  const child = launch(['record', '--target', target, '--out', file, '--json', ...more])
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = collect(child, 'stdout')
  const { event, url, webhooks_url } = JSON.parse(await printed(child, /\n/))
  if (event !== 'ready') throw new Error(`the recorder is not ready: ${output()}`)
  return { child, url, webhooksUrl: webhooks_url, file, output }
}
