/** Lists at a terminal: no line is wider than it, and the most useful columns come first. */
import { execFile } from 'node:child_process'
import { promisify, stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { quoteForShell } from '../../src/protocol/platform/shell-calls.js'
import { programCommand } from '../support/built.js'
import { eventually } from '../support/eventually.js'
import { collect, ended, launch } from '../support/program.js'
import { cli, paidCharge, sandbox, shareSandbox } from '../support/shared-sandbox.js'

shareSandbox()

const runFile = promisify(execFile)

/** Returns the lines that a command prints at a terminal of this width, which `script` of util-linux opens. The sandbox is in this process, so it must not be blocked. */
async function linesAt(width: number, ...words: string[]): Promise<string[]> {
  const command = [...programCommand, ...words, '--url', sandbox.url].map(quoteForShell).join(' ')
  const { stdout } = await runFile('script', ['-qec', `stty cols ${width}; ${command}`, '/dev/null'])
  return stripVTControlCharacters(stdout).replaceAll('\r', '').trimEnd().split('\n')
}

const firstColumns: Record<string, string[]> = {
  requests: ['AT', 'STATUS', 'METHOD', 'PATH', 'ID'],
  webhooks: ['CREATED', 'EVENT', 'STATUS', 'ID'],
  transactions: ['CREATED', 'TYPE', 'STATUS', 'AMOUNT', 'CURRENCY', 'ID'],
}

test('lists fit the terminal, whole ids included, and are complete in a pipe', async () => {
  await paidCharge()
  for (const [list, columns] of Object.entries(firstColumns))
    for (const width of [80, 120]) {
      const [titles = '', ...rows] = await linesAt(width, list)
      expect(titles.split(/ {2,}/).slice(0, columns.length), `${list} at ${width}`).toEqual(columns)
      expect(rows.length).toBeGreaterThan(0)
      expect(rows[0], `${list} at ${width}`).toMatch(/(req|evt|tx)_[0-9a-z]{20}/)
      for (const line of [titles, ...rows]) expect(line.length, `${width}: ${line}`).toBeLessThanOrEqual(width)
    }
  const piped = (await cli('requests')).stdout
  expect(piped).toMatch(/ERROR +FAULTS +WARNINGS +ACCOUNT +TOOK\n\d{4}-\d\d-\d\dT/)
})

test('logs print time, amount and order of each call and webhook', async () => {
  const child = launch(['logs', '--url', sandbox.url])
  const output = collect(child, 'stdout')
  await eventually(
    async () => {
      await cli(
        'request',
        'POST',
        '/v2/transactions/cashin',
        '--data',
        '{"amount":25.5,"currency":"BRL","external_id":"order-9"}',
      )
      return output()
    },
    (text) => /^\d\d:\d\d:\d\d 200 POST \/v2\/transactions\/cashin 25\.5 BRL order-9$/m.test(text),
  )
  child.kill('SIGINT')
  expect((await ended(child)).code).toBe(0)
})
