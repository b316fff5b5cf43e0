/** Runs before every test file: each answer of a control API that `fetch` sees is held against its row, and which rows answered is written down. */
import { basename } from 'node:path'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { tidyFile, tidyTest } from './hooks.js'
import { isJudged, judge, judgements, recordAnswer } from './judge.js'
import { note } from './noted.js'
import { plainFetch } from './plain-fetch.js'

beforeAll(() => note('file', basename(expect.getState().testPath ?? '')))

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

afterAll(tidyFile)
afterEach(async () => {
  try {
    await tidyTest()
  } finally {
    const problems = (await Promise.all(judgements.splice(0))).filter((problem) => problem !== '')
    expect(problems.join('\n\n')).toBe('')
  }
})
