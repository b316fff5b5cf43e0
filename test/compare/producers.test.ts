/** The same traffic, recorded by our recorder, by Playwright and, if it is installed, by mitmproxy, gives the same comparison. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { APIRequestContext } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Send } from '../../src/client/exchange.js'
import { startSandbox } from '../../src/testing/index.js'
import { openBrowser } from '../support/browser.js'
import { compareText, differences } from '../support/compared.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { closeAfter } from '../support/hooks.js'
import { playDisputes, playErrors, playerOf, playLists } from '../support/recorded-traffic.js'
import { openTestRecorder } from '../support/recorder.js'
import { harOf } from '../support/recording.js'

/** Sends by a context of Playwright, which records it. */
const sendBy =
  (requests: APIRequestContext): Send =>
  async (url, { method = 'GET', headers, body }) => {
    const fields = body instanceof FormData ? await multipartOf(body) : null
    const answer = await requests.fetch(url, {
      method,
      // The client sends plain objects.
      headers: headers as Record<string, string>,
      maxRedirects: 0,
      ...(fields !== null ? { multipart: fields } : typeof body === 'string' ? { data: body } : {}),
    })
    const all = new Headers(answer.headers())
    return { ok: answer.ok(), status: answer.status(), url, headers: all, text: () => answer.text() }
  }

async function multipartOf(form: FormData) {
  const parts = await Promise.all(
    [...form].map(async ([name, value]) => {
      if (typeof value === 'string') return [name, value] as const
      const buffer = Buffer.from(await value.arrayBuffer())
      return [name, { name: value.name, mimeType: value.type || 'application/octet-stream', buffer }] as const
    }),
  )
  return Object.fromEntries(parts)
}

/** From version 10 on, mitmproxy writes HAR files; `MITMDUMP` names an older one with the script `har_dump.py`. */
const mitmdump = process.env.MITMDUMP ?? 'mitmdump'
const hasMitmproxy =
  process.env.MITMDUMP !== undefined ||
  spawnSync(mitmdump, ['--options'], { encoding: 'utf8' }).stdout?.includes('hardump') === true

async function openMitmproxy(target: string): Promise<{ url: string; end(): Promise<string> }> {
  const file = join(temporaryFolder(), 'mitmproxy.har')
  const port = 20_000 + (process.pid % 20_000)
  const mode = ['--mode', `reverse:${target}`, '--listen-host', '127.0.0.1', '-p', String(port)]
  const child: ChildProcess = spawn(mitmdump, [...mode, '--set', `hardump=${file}`, '-q'], { stdio: 'ignore' })
  closeAfter(() => void child.kill('SIGKILL'))
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy() !== undefined))
      socket.on('error', () => resolve(false))
    })
  await eventually(isOpen, (open) => open)
  return {
    url: `http://127.0.0.1:${port}`,
    async end() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGINT')
      await ended
      return readFileSync(file, 'utf8')
    },
  }
}

test('recordings of the same calls by our recorder, Playwright and mitmproxy are compared alike', async () => {
  await using sandbox = await startSandbox({ clock: 'manual', seed: 'platform', belowMinimum: 'INVALID_AMOUNT' })
  const recorder = await openTestRecorder(sandbox.url)
  const proxy = hasMitmproxy ? await openMitmproxy(recorder.url) : null
  const file = join(temporaryFolder(), 'playwright.har')
  const browser = await openBrowser()
  closeAfter(() => browser.close())
  const context = await browser.newContext({ recordHar: { path: file } })
  const player = playerOf(sandbox, proxy?.url ?? recorder.url, sendBy(context.request))
  for (const play of [playErrors, playDisputes, playLists]) await play(player)
  await context.close()
  const byPlaywright = readFileSync(file, 'utf8')
  const byMitmproxy = (await proxy?.end()) ?? null
  await recorder.end()
  const own = harOf(recorder.log().entries)
  const texts = [own, byPlaywright, ...(byMitmproxy === null ? [] : [byMitmproxy])]
  const reports = await Promise.all(texts.map((text) => compareText(text)))
  const [first, ...others] = reports.map(({ exchanges, fields, summary, findings, left_out }) => ({
    ...{ exchanges, fields, summary, left_out },
    found: findings.map(({ verdict, call, path, setting, value, places }) => [
      verdict,
      call,
      path,
      setting,
      value,
      places,
    ]),
  }))
  expect(first?.exchanges).toBeGreaterThan(20)
  expect(differences(reports[0] ?? expect.fail()).map(({ setting }) => setting)).toEqual(['below_minimum'])
  for (const other of others) expect(other).toEqual(first)
})
