/** `chaos` and `start --chaos` on the command line. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.js'
import { run, startHereForTest } from '../support/program.js'
import { cli, json, shareSandbox } from '../support/shared-sandbox.js'

shareSandbox()

test('chaos set changes the named faults, and chaos off ends all of them', async () => {
  expect((await cli('chaos')).stdout).toBe('chaos is off\n')
  expect(await json('chaos', 'set', 'duplicate=1%', 'late=1%:2m', 'seed=a')).toEqual({
    seed: 'a',
    duplicate: '1%',
    late: { share: '1%', by: '2m' },
  })
  const { stdout } = await cli('chaos', 'set', 'reorder=0.5%')
  for (const words of ['FAULT', 'duplicate', 'reorder', '0.5%', '2m', 'seed a']) expect(stdout).toContain(words)
  expect(await json('chaos', 'set', 'gentle', 'error=0%')).toMatchObject({ seed: 'a', error: '0%', duplicate: '2%' })
  const one = await cli('chaos', 'set', 'only=reset:0123456789')
  expect(one.stdout).toContain('seed a, only reset:0123456789')
  expect(await json('chaos', 'set', 'gentle')).not.toHaveProperty('only')
  expect(await json('chaos', 'off')).toEqual({})
})

test('chaos set rejects an unknown fault, a missing share, a missing duration and a wrong share', async () => {
  const reported = async (word: string) => {
    const { code, stderr } = await cli('chaos', 'set', word)
    return [code, stderr.trim()]
  }
  expect(await reported('eror=1%')).toEqual([2, 'payments-sandbox: eror is not a fault; did you mean error?'])
  expect(await reported('error')).toEqual([2, expect.stringContaining('must have the form error=1%')])
  expect(await reported('slow=5%')).toEqual([2, expect.stringContaining('slow requires a rate and a duration')])
  expect(await reported('error=1')).toEqual([1, expect.stringContaining('must be a rate from 0% to 100%')])
})

test('start takes chaos from a preset, from a file and from the configuration file', async () => {
  const folder = temporaryFolder()
  const faults = join(folder, 'faults.yaml')
  writeFileSync(faults, 'seed: 7\nduplicate: 2%\nlate: { share: 1%, by: 120 }\n')
  const config = join(folder, 'sandbox.yaml')
  writeFileSync(config, 'chaos: rough\n')
  const chaosOf = async (...args: string[]) => {
    const { url } = await startHereForTest(args)
    return (await fetch(`${url}/_sandbox/chaos`)).json()
  }
  expect(await chaosOf('--config', config, '--chaos', faults)).toEqual({
    seed: '7',
    duplicate: '2%',
    late: { share: '1%', by: '120' },
  })
  expect(await chaosOf('--config', config)).toMatchObject({ error: '5%' })
  expect(await chaosOf('--config', config, '--chaos', 'off')).toEqual({})
})

test('start reports every mistake of a file of faults with its line, and the nearest preset', async () => {
  const faults = join(temporaryFolder(), 'faults.yaml')
  writeFileSync(faults, 'errror: 1%\nslow: { share: 5%, by: soon }\n')
  const inFile = await run(['start', '--port', '0', '--chaos', faults])
  expect(inFile.code).toBe(1)
  expect(inFile.stderr).toContain(':1:1: errror is not a setting; did you mean error?')
  expect(inFile.stderr).toContain('slow.by must be a duration such as 500ms, 3s or 2m')
  const misspelled = await run(['start', '--port', '0', '--chaos', 'gentel'])
  expect([misspelled.code, misspelled.stderr]).toEqual([2, expect.stringContaining('did you mean gentle?')])
})
