/** The version of the emulated platform API, and the changes of the emulation, are the same wherever they stand. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emulatedInterface, emulatedTitle } from '../../src/protocol/platform/emulated-interface.js'
import { control } from '../support/http.js'
import { openSandbox } from '../support/sandbox.js'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const { version, date } = emulatedInterface

test('health, OpenAPI document, API page, README and docs/interface.md show the same version and date of the platform API', async () => {
  expect([version, date]).toEqual([expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d{4}-\d\d-\d\d$/)])
  const { url } = await openSandbox()
  const call = control(url)
  expect((await call('GET', '/health')).body.interface).toEqual({ version, date })
  const { info } = (await call('GET', '/openapi.json')).body
  expect(info['x-interface']).toEqual({ version, date })
  const words = `${emulatedTitle}, version ${version}, documentation of ${date}`
  expect(info.summary).toContain(words)
  expect(await (await fetch(`${url}/_sandbox/docs`)).text()).toContain(words)
  expect(read('docs/interface.md').slice(0, 300)).toContain(words)
  expect(read('README.md').slice(0, 500)).toContain(`**${emulatedTitle}, Version ${version}**`)
  expect(read('README.md')).toContain(`as documented on ${date}`)
})

test('each version in the changelog separates changes of the emulation from changes of the tool', () => {
  const [, ...versions] = read('CHANGELOG.md').split(/^## /m)
  expect(versions.length).toBeGreaterThan(0)
  for (const text of versions) {
    const parts = [...text.matchAll(/^### (.*)$/gm)].map(([, name]) => name)
    expect(parts, text.split('\n')[0]).toEqual(['Emulation', 'Tool'].filter((name) => parts.includes(name)))
    expect(parts.length).toBeGreaterThan(0)
    expect(/^- /m.test(text.split(/^### /m)[0] ?? '')).toBe(false)
  }
})
