/** The third-party notices: complete against the bill of materials, and part of everything that is published. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildPages } from '../../scripts/build-dashboard.mjs'
import { programInputs } from '../../scripts/build-program.mjs'
import { noticesFile } from '../../scripts/notices.mjs'
import { billOfMaterials, bundledPackages } from '../../scripts/published.mjs'
import { built } from '../support/built.js'
import { temporaryFolder } from '../support/folder.js'
import { pack, root } from '../support/packed.js'
import { startHereForTest } from '../support/program.js'

const readNotices = () => readFileSync(join(root, noticesFile), 'utf8')

test('the notices name every component of the bill of materials, and contain the license of all bundled code', async () => {
  await built()
  const notices = readNotices()
  const inputs = [...(await buildPages(temporaryFolder())), ...(await programInputs())]
  const refs = billOfMaterials(inputs).components.map((one) => one['bom-ref'])
  // The executable contains Node: its own test reads the notices there.
  const [named, packages] = [new Set(notices.split('\n')), refs.filter((ref) => !ref.startsWith('node@'))]
  expect(packages).toContainEqual(expect.stringMatching(/^better-sqlite3@/))
  expect(packages.filter((ref) => !named.has(ref))).toEqual([])
  const sections = notices.split(`\n${'-'.repeat(80)}\n`)
  const bundled = bundledPackages(inputs)
  expect(bundled.length).toBeGreaterThan(30)
  for (const { ref } of bundled)
    expect(
      sections.find((section) => section.split('\n').includes(ref)),
      ref,
    ).toMatch(/WARRANT(Y|IES)/)
})

test('the package contains the notices, and a sandbox serves them beside its dashboard', async () => {
  expect((await pack()).files).toContain(noticesFile)
  const { url } = await startHereForTest()
  const response = await fetch(`${url}/assets/notices.txt`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(await response.text()).toBe(readNotices())
})
