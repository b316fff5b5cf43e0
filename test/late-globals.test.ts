/** Node's own fetch is a seventh of a start: where Node lets it be put off, a sandbox of the command line loads it when somebody needs it, and then all is as ever. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { built } from './support/built.js'
import { control, integrator } from './support/control.js'
import { openPosts } from './support/posts.js'
import { type Running, startForTest } from './support/program.js'

beforeAll(async () => {
  await built()
})

const started = () => {
  const inside = join(import.meta.dirname, 'support/fetch-classes.cjs')
  return startForTest([], { ipc: true, env: { NODE_OPTIONS: `--require ${inside}` } })
}

async function asked({ child }: Running, url = '') {
  child.send(url)
  const [told] = await once(child, 'message')
  return told
}

/** Newer versions load it with the first look at one of its classes: nothing can stand in for them. */
const cannotWait = () => {
  const look = "Object.getOwnPropertyDescriptor(globalThis, 'Request').get === undefined"
  return execFileSync(process.execPath, ['-p', look], { encoding: 'utf8' }).trim() === 'true'
}

test('a charge is made, paid and told by a webhook before Node’s own fetch is loaded', async () => {
  const posts = await openPosts()
  const sandbox = await started()
  await integrator(sandbox.url)
  await control(sandbox.url)('POST', '/trigger', {
    action: 'cashin.pay',
    create: true,
    fields: { postback_url: posts.url },
  })
  await expect.poll(() => posts.all.map(({ body }) => JSON.parse(body).event)).toEqual(['cashin.confirmed'])
  expect(await asked(sandbox)).toEqual({ isLoaded: cannotWait(), kinds: null })
})

test('requests, answers and headers are as ever once somebody makes one', async () => {
  const sandbox = await started()
  const { kinds } = await asked(sandbox, `${sandbox.url}/_sandbox/health`)
  expect(kinds).toEqual({
    answer: [true, false, false, 200],
    headers: [true, false, '1, 2'],
    own: [true, true, 'b'],
    others: [],
    copy: 'ok',
    made: ['application/json', true],
  })
  expect(await asked(sandbox)).toEqual({ isLoaded: true, kinds: null })
})
