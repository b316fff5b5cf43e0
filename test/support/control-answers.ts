/** Runs before every test file: checks each response of a control API against the row of its route, records which rows were used, and fails tests with warnings of Node or unexpected errors. */
import { join, relative } from 'node:path'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { cleanUpFile, cleanUpTest } from './hooks.js'
import { isJudged, judge, judgements, recordAnswer } from './judge.js'
import { note } from './noted.js'
import { plainFetch } from './plain-fetch.js'
import { collectPrinted, takePrinted } from './printed.js'
import { collectWarnings, takeWarnings } from './warnings.js'
// Loaded before `fetch` is replaced, so that the library's calls use the replaced `fetch`, over HTTP.
import '../../src/testing/server.js'

collectWarnings()
collectPrinted()
beforeAll(() => note('file', relative(join(import.meta.dirname, '..'), expect.getState().testPath ?? '')))

globalThis.fetch = async (input, init) => {
  const answer = await plainFetch(input, init)
  if (!isJudged(answer.headers)) return answer
  const request = input instanceof Request ? input : null
  const url = request?.url ?? String(input)
  const method = (init?.method ?? request?.method ?? 'GET').toUpperCase()
  const copy = answer.clone()
  // An incomplete response concerns only the test that caused it.
  const judged = copy.text().then(
    async (text) => {
      await recordAnswer(method, url, copy.status, text, copy.headers.get('x-request-id') ?? '')
      return judge(method, url, copy.status, text)
    },
    () => '',
  )
  judgements.push(judged)
  // Waits, because the check asks the sandbox while it still runs.
  if (answer.status >= 400) await judged
  return answer
}

afterAll(async () => {
  await cleanUpFile()
  expect([...takeWarnings(), ...takePrinted()]).toEqual([])
})
afterEach(async () => {
  try {
    await cleanUpTest()
  } finally {
    const problems = (await Promise.all(judgements.splice(0))).filter((problem) => problem !== '')
    expect(problems.join('\n\n')).toBe('')
    expect([...takeWarnings(), ...takePrinted()]).toEqual([])
  }
})
