/** Sends webhooks from another process, for settings that only apply at its start: trusted authorities and proxies. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import type { SendResult } from '../../src/core/unit/ports.js'

const program = `
import { createSender } from './send'
const sender = createSender({ guardPrivate: false, allowHosts: [], strict: false })
const send = (url: string) => sender.send({ url, headers: {}, body: '{}' })
Promise.all(process.argv.slice(2).map(send)).then((results) => {
  console.log(JSON.stringify(results))
  return sender.close()
})
`

/** Posts to each URL in that environment and returns the results in order. */
export async function sendFromChild(urls: readonly string[], env: Record<string, string>): Promise<SendResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'payments-sandbox-send-'))
  const file = join(folder, 'send.cjs')
  const resolveDir = fileURLToPath(new URL('../../src/runtime/node/send/', import.meta.url))
  try {
    const stdin = { contents: program, resolveDir, loader: 'ts' } as const
    const { outputFiles } = await build({ stdin, bundle: true, platform: 'node', format: 'cjs', write: false })
    await writeFile(file, outputFiles[0]?.contents ?? '')
    const { stdout } = await promisify(execFile)(process.execPath, [file, ...urls], { env: { ...process.env, ...env } })
    return JSON.parse(stdout)
  } finally {
    await rm(folder, { recursive: true })
  }
}
