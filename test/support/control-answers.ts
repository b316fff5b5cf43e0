/** Runs before every test file: each answer of a control API that `fetch` sees is held against its row, and which rows answered is written down. */
import { join, relative } from 'node:path'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { cleanUpFile, cleanUpTest } from './hooks.js'
import { isJudged, judge, judgements, recordAnswer } from './judge.js'
import { note } from './noted.js'
import { plainFetch } from './plain-fetch.js'
// Loaded before `fetch` is replaced: so the library's calls go by the one that is put in its place, over HTTP.
import '../../src/testing/in-process.js'

beforeAll(() => note('file', relative(join(import.meta.dirname, '..'), expect.getState().testPath ?? '')))

globalThis.fetch = async (input, init) => {
  const answer = await plainFetch(input, init)
  if (!isJudged(answer.headers)) return answer
  const request = input instanceof Request ? input : null
  const url = request?.url ?? String(input)
  const method = (init?.method ?? request?.method ?? 'GET').toUpperCase()
  const copy = answer.clone()
  // An answer that breaks off is the business of the test that let it.
  const judged = copy.text().then(
    async (text) => {
      await recordAnswer(method, url, copy.status, text, copy.headers.get('x-request-id') ?? '')
      return judge(method, url, copy.status, text)
    },
    () => '',
  )
  judgements.push(judged)
  // While the sandbox is there to be asked about it.
  if (answer.status >= 400) await judged
  return answer
}

afterAll(cleanUpFile)
afterEach(async () => {
  try {
    await cleanUpTest()
  } finally {
    const problems = (await Promise.all(judgements.splice(0))).filter((problem) => problem !== '')
    expect(problems.join('\n\n')).toBe('')
  }
})
