/** Where a secret begins and ends, and that the name of a pair can be one. */
import { expect, test } from 'vitest'
import { openEcho, openTestRecorder, post, recordedWith } from '../support/recorder.js'

test('the value of a cookie is hidden inside other texts, up to its quotes', async () => {
  const headers = { Cookie: 'theme="qwertzuiop"; other="yxcvbnmasd' }
  const body = { text: 'see qwertzuiop, now', more: 'and yxcvbnmasd too' }
  expect((await recordedWith(headers, body))[0]).toEqual({ text: 'see ***, now', more: 'and *** too' })
})

test('a personal value is replaced where it is the name of a pair, in a query and in a form', async () => {
  const recorder = await openTestRecorder(await openEcho())
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  await post(`${recorder.url}/any?52998224725=1&ana%40example.com&page=2`, 'ana%40example.com=3&size=4', form)
  const { _omitted: omitted, entries } = await recorder.logWithEntry()
  const { url, postData } = entries[0]?.request ?? {}
  expect(url).toMatch(/\/any\?(?!52998224725)\d{11}=1&(?!ana)[a-z]{3}%40[a-z]+\.com&page=2$/)
  expect(postData?.params).toEqual([
    { name: expect.stringMatching(/^(?!ana)[a-z]{3}@[a-z]+\.com$/), value: '3' },
    { name: 'size', value: '4' },
  ])
  // Only the answer, which says that it is JSON and repeats the form.
  expect([entries[0]?.response.content._omitted, omitted]).toEqual([true, 1])
})
