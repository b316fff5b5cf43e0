/** The settings that the sandbox was started with: values, defaults and how to set each. */
import { expect, test } from 'vitest'
import { platformSettingNames } from '../../src/protocol/settings/platform.js'
import { type StartOptions, startSandbox } from '../../src/testing/index.js'
import { closeAfter } from '../support/hooks.js'

async function settingsOf(options: StartOptions) {
  const sandbox = await startSandbox(options)
  closeAfter(() => sandbox.close())
  return (await sandbox.control.call('GET /settings')).data
}

test('every setting except accounts is listed, with its default if it was not set', async () => {
  const data = await settingsOf({})
  expect(data.map(({ name }) => name)).toEqual(platformSettingNames.filter((name) => name !== 'accounts'))
  const byName = Object.fromEntries(data.map((row) => [row.name, row]))
  expect(data.filter((row) => !row.is_default || row.source !== 'default')).toEqual([])
  for (const row of data) expect(row.default, row.name).toEqual(row.value)
  expect(byName.quote_life).toMatchObject({ value: expect.stringMatching(/^\d+s$/), flag: null, variable: null })
  expect(byName.limit_day).toMatchObject({ value: '-03:00', is_assumption: true })
  expect(byName.cashout_settle).toMatchObject({ value: 'auto', default_text: expect.stringContaining('after 2 s') })
  expect(byName.rate_limits).toMatchObject({
    value: true,
    flag: '--no-rate-limits',
    variable: 'PAYMENTS_SANDBOX_RATE_LIMITS',
    is_assumption: false,
  })
})

test('changed settings have their values, in the form of the configuration file and without secrets', async () => {
  const secret = 'whsec_for_this_test_only'
  const data = await settingsOf({
    clock: 'manual',
    cashoutSettle: '90s',
    pageSize: 50,
    limitDay: 'Z',
    fees: { BRL: { cashin: { fixed: '0.10', percent: '1.5' } } },
    accounts: [{ username: 'seller', credential: { webhook_secret: secret } }],
  })
  expect(data.filter((row) => !row.is_default).map(({ name, value }) => [name, value])).toEqual([
    ['clock', 'manual'],
    ['cashout_settle', '90s'],
    ['fees', { BRL: { cashin: { fixed: '0.10', percent: '1.5' } } }],
    ['limit_day', 'Z'],
  ])
  const bySource = Object.fromEntries(data.map((row) => [row.name, [row.source, row.default]]))
  expect(bySource).toMatchObject({
    clock: ['option', 'realtime'],
    cashout_settle: ['option', 'auto'],
    limit_day: ['option', '-03:00'],
    // A value that equals the default is still given.
    page_size: ['option', 50],
    clabe_life: ['default', 'never'],
  })
  expect(JSON.stringify(data)).not.toContain(secret)
  expect(JSON.stringify(data)).not.toContain('seller')
})
