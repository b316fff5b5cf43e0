/** `payments-sandbox start --detach`: starts the program in the background and waits until it is ready. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import manifest from '../../../package.json' with { type: 'json' }
import { systemRandom } from '../../base/crypto.js'
import { randomText } from '../../base/ids.js'
import type { Ready } from '../../protocol/control/shapes/outputs.js'
import { program } from '../../runtime/node/program.js'
import { Failure } from '../errors.js'
import type { Settings } from '../settings/settings.js'
import { banner } from '../start/banner.js'
import { startWarnings } from '../start/warning.js'
import { prepareFolder } from '../state-folder.js'
import { processAt } from './alive.js'
import { logFileOf, markVariable, saveRecord } from './records.js'

/** Prints the output of `start` when the sandbox is ready. Throws `Failure` with the error of a failed start. */
export async function startDetached(settings: Settings): Promise<void> {
  const mark = randomText(systemRandom().stream('detached'), 12)
  prepareFolder()
  const child = launch(mark)
  const ready = await readyLine(child, mark)
  await saveRecord({
    base_url: ready.base_url,
    pid: child.pid ?? 0,
    mark,
    db: settings.db,
    log: logFileOf(mark),
    started_at: (await processAt(ready).catch(() => null))?.started_at ?? new Date().toISOString(),
    ...(ready.admin_token === undefined ? {} : { admin_token: ready.admin_token }),
  }).catch((error: unknown) => {
    // Without its record, `stop` could not find it.
    child.kill()
    throw error
  })
  startWarnings(settings)
  child.stdout?.destroy()
  child.unref()
  const stop = `  It runs in the background. Stop it with ${program.typed} stop --url ${ready.base_url}\n\n`
  process.stdout.write(settings.json ? `${JSON.stringify(ready)}\n` : banner(ready, manifest.version) + stop)
}

function launch(mark: string): ChildProcess {
  const [file, ...fixedArgs] = program.command()
  const args = process.argv.slice(2).filter((word) => word !== '--detach' && word !== '--json')
  const log = openSync(logFileOf(mark), 'w', 0o600)
  const child = spawn(file, [...fixedArgs, ...args, '--json'], {
    detached: true,
    stdio: ['ignore', 'pipe', log],
    env: { ...process.env, [markVariable]: mark },
  })
  closeSync(log)
  return child
}

function readyLine(child: ChildProcess, mark: string): Promise<Ready> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (text.includes('\n')) resolve(JSON.parse(text))
    })
    child.once('error', reject)
    child.once('close', () => {
      const errorText = readFileSync(logFileOf(mark), 'utf8')
        .trim()
        .replace(/^payments-sandbox: /, '')
      rmSync(logFileOf(mark), { force: true })
      reject(
        new Failure(errorText === '' ? 'the sandbox exited before it was ready, without an error message' : errorText),
      )
    })
  })
}
