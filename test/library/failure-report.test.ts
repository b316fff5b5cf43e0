/** The report of a failed test shows each webhook as it stands when the report is written. */
import { expect, test } from 'vitest'
import { forNodeTest } from '../../src/testing/fixtures/wrapper.js'

test('a webhook that the receiver has just got is reported as delivered, with the answer', async () => {
  const closes: (() => Promise<void>)[] = []
  const lines: string[] = []
  const context = { diagnostic: (line: string) => void lines.push(line) }
  const withSandbox = forNodeTest((close) => void closes.push(close))
  const failing = withSandbox(async ({ sandbox, receiver }, _context: typeof context) => {
    receiver.respond({ status: 200, delay: '200ms' })
    await sandbox.trigger('cashin.pay', { create: true })
    await receiver.waitFor('cashin.confirmed')
    throw new Error('the assertion after it fails')
  })
  await expect(failing(context)).rejects.toThrow('the assertion after it fails')
  for (const close of closes) await close()
  const report = lines.join('\n')
  expect(report).toMatch(/cashin\.confirmed tx_\w+ delivered to http/)
  expect(report).toMatch(/attempt 1: ok 200/)
  expect(report).not.toContain('pending')
})
