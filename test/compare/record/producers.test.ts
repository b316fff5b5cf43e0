/** Recordings of the same calls by our recorder, Playwright and, if it is installed, mitmproxy, give the same comparison. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Send } from '../../../src/client/exchange.js'
import { startSandbox } from '../../../src/testing/index.js'
import { browserOf } from '../../support/browser.js'
import { compareText, differences } from '../../support/compared.js'
import { eventually } from '../../support/eventually.js'
import { temporaryFolder } from '../../support/folder.js'
import { closeAfter } from '../../support/hooks.js'
import { playDisputes, playErrors, playerOf, playLists } from '../../support/recorded-traffic.js'
import { openTarget, openTestRecorder } from '../../support/recorder.js'
import { harOf } from '../../support/recording.js'

/** Sends calls from a page, whose browser records them. */
const sendBy =
  (page: Page): Send =>
  async (url, { method = 'GET', headers, body }) => {
    const parts = body instanceof FormData ? await partsOf(body) : null
    const call = {
      url,
      method,
      headers: Object.entries(headers ?? {}),
      text: body === null ? null : String(body),
      parts,
    }
    const { status, pairs, text } = await page.evaluate(async (asked) => {
      const form = new FormData()
      for (const { name, value, file } of asked.parts ?? [])
        if (file === null) form.append(name, value)
        else form.append(name, new Blob([value]), file)
      const sent = asked.parts === null ? asked.text : form
      const answer = await fetch(asked.url, { method: asked.method, headers: asked.headers, body: sent })
      return { status: answer.status, pairs: [...answer.headers], text: await answer.text() }
    }, call)
    return { ok: status < 300, status, url, headers: new Headers(pairs), text: async () => text }
  }

const partsOf = (form: FormData) =>
  Promise.all(
    [...form].map(async ([name, value]) =>
      typeof value === 'string' ? { name, value, file: null } : { name, value: await value.text(), file: value.name },
    ),
  )

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

/** Changes the origin, because a sandbox, unlike the platform, rejects calls of other origins. */
const openForPages = (target: string): Promise<string> =>
  openTarget((incoming, outgoing) => {
    const { origin: _, ...headers } = incoming.headers
    const { method } = incoming
    const upstream = request(
      target + incoming.url,
      { ...(method === undefined ? {} : { method }), headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    upstream.on('error', () => outgoing.destroy())
    incoming.pipe(upstream)
  })

test('recordings of the same calls by our recorder, Playwright and mitmproxy are compared alike', async () => {
  await using sandbox = await startSandbox({ clock: 'manual', seed: 'platform', belowMinimum: 'INVALID_AMOUNT' })
  const recorder = await openTestRecorder(await openForPages(sandbox.url))
  const proxy = hasMitmproxy ? await openMitmproxy(recorder.url) : null
  const file = join(temporaryFolder(), 'playwright.har')
  const context = await (await browserOf()).newContext({ recordHar: { path: file } })
  const page = await context.newPage()
  const { origin } = new URL(proxy?.url ?? recorder.url)
  await page.goto(`${origin}/v2/none`)
  const player = playerOf(sandbox, origin, sendBy(page))
  for (const play of [playErrors, playDisputes, playLists]) await play(player)
  await context.close()
  const byPlaywright = readFileSync(file, 'utf8')
  const byMitmproxy = (await proxy?.end()) ?? null
  await recorder.end()
  const own = harOf(recorder.log().entries)
  const texts = [own, byPlaywright, ...(byMitmproxy === null ? [] : [byMitmproxy])]
  const reports = await Promise.all(texts.map((text) => compareText(text)))
  const [first, ...others] = reports.map(({ exchanges, fields, summary, findings }) => ({
    ...{ exchanges, fields, summary },
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
