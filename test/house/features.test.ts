/** A feature is added by writing its folder and its lines in the composition roots: tried on a copy of the source. */
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copyOfSource, edit, runIn, startCopy } from '../support/copied-source.js'
import { look, see } from '../support/dashboard.js'
import { root } from '../support/packed.js'

test('the example feature has its route, its command and its page once its folder and its lines are there', async () => {
  const folder = copyOfSource()
  const roots = join(folder, 'src/features')
  const home = join(roots, 'largest')
  cpSync(join(root, 'test/example-feature'), home, { recursive: true })
  for (const name of readdirSync(home)) edit(join(home, name), (text) => text.replaceAll('../../src/', '../../'))
  edit(join(roots, 'node.ts'), (text) =>
    text
      .replace(/(?=\nexport )/, "import { largest } from './largest/feature.js'\n")
      .replace('[] = [', '[] = [largest, '),
  )
  edit(join(roots, 'pages.ts'), (text) =>
    text
      .replace(/(?=\nexport )/, "import { largestViews } from './largest/page.js'\n")
      .replace('> = { ', '> = { ...largestViews, '),
  )
  runIn(folder, 'build.mjs')
  const url = await startCopy(folder)
  const bin = 'bin/payments-sandbox.js'
  for (const amount of ['12.50', '99.90', '30'])
    runIn(folder, bin, 'trigger', 'cashin.pay', '--create', '--set', `amount=${amount}`, '--url', url)
  const answer = await (await fetch(`${url}/_sandbox/largest?currency=BRL`)).json()
  expect(answer.data.map(({ amount }: { amount: string }) => amount)).toEqual(['99.90', '30.00', '12.50'])
  expect((await fetch(`${url}/_sandbox/largest?currency=EUR`)).status).toBe(422)
  expect(runIn(folder, bin, '--help')).toContain('largest charges')
  expect(runIn(folder, bin, 'largest', '--url', url)).toContain('99.90 BRL')
  await see(await look({ url }, '#/largest'), 'ol', /99\.90/)
})
