/** `payments-sandbox compare`, the library and the control API: reports, accepted differences, profiles and exit codes. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compareRecording, startSandbox } from '../../src/testing/index.js'
import { changeBody, copy } from '../support/compared.js'
import { temporaryFolder as folder } from '../support/folder.js'
import { control } from '../support/http.js'
import { run } from '../support/program.js'
import { playCharges, playDisputes, playErrors, recordTraffic } from '../support/recorded-traffic.js'
import { type HarEntry, harOf } from '../support/recording.js'
import { isRefused } from '../support/refused.js'
import { openSandbox } from '../support/sandbox.js'

const settings = { belowMinimum: 'INVALID_AMOUNT', pixChargeLife: '15m', disputeDeadline: 'lose' } as const
let recorded: Promise<HarEntry[]> | undefined

async function recordingIn(place: string, change: (entries: HarEntry[]) => void = () => {}): Promise<string> {
  recorded ??= recordTraffic(settings, async (played) => {
    await playCharges(played)
    await playErrors(played)
    await playDisputes(played)
  })
  const entries = copy(await recorded)
  change(entries)
  const file = join(place, 'recording.har')
  writeFileSync(file, harOf(entries))
  return file
}

test('a comparison finds what docs/compare.md shows, and with the profile that it wrote nothing more', async () => {
  const place = folder()
  const file = await recordingIn(place)
  const profile = join(place, 'platform.yaml')
  const first = await run(['compare', file, '--write-profile', profile, '--json'])
  expect(first.code, first.stderr).toBe(1)
  const report = JSON.parse(first.stdout)
  expect(report.summary.assumption_wrong).toBe(3)
  expect(Object.keys(report.summary).sort()).toEqual(['assumption_confirmed', 'assumption_wrong'])
  const page = readFileSync('docs/compare.md', 'utf8')
  for (const { verdict, about, setting, value } of report.findings)
    if (verdict === 'assumption_wrong') expect(page).toContain(`      ${about}\n      set ${setting}: ${value}\n`)
  const written = readFileSync(profile, 'utf8')
  for (const line of ['below_minimum: INVALID_AMOUNT', 'pix_charge_life: 15m', 'dispute_deadline: lose'])
    expect(written).toContain(line)
  const second = await run(['compare', file, '--config', profile])
  expect(second.code, second.stdout + second.stderr).toBe(0)
  expect(second.stdout).toContain('assumption_confirmed')
})

test('a sandbox that starts with a profile shows what recordings revealed about each assumption', async () => {
  const platform = { pix_charge_life: { verdict: 'assumption_wrong', recordings: 2, last_seen: '2026-11-21' } } as const
  await using sandbox = await startSandbox({ pixChargeLife: '15m', platform })
  const charge = await sandbox.client().cashin({ amount: 5, currency: 'BRL' })
  expect(charge.payment_info).toMatchObject({ expiration: 900 })
  const document = JSON.stringify(await sandbox.control.call('GET', '/openapi.json'))
  expect(document).toContain('wrong in 2 recordings, last on 2026-11-21')
  const page = await fetch(`${sandbox.url}/_sandbox/docs`).then((answer) => answer.text())
  expect(page).toContain('wrong in 2 recordings, last on 2026-11-21')
})

test('the API description shows which assumptions recordings confirmed', async () => {
  const seen = { verdict: 'assumption_confirmed', recordings: 3, last_seen: '2026-11-21' } as const
  const { url } = await openSandbox({ platform: { pix_charge_life: seen } })
  const { body } = await control(url)('GET', '/openapi.json')
  expect(JSON.stringify(body)).toContain('confirmed by 3 recordings, last on 2026-11-21')
})

test('accepted differences pass, and one that no longer occurs fails', async () => {
  const place = folder()
  const file = await recordingIn(place)
  const accepted = join(place, 'accepted.yaml')
  const entry = (path: string, call: string) =>
    `- { verdict: assumption_wrong, call: "${call}", path: ${path}, reason: known, date: 2026-11-21 }\n`
  const all = [
    entry('data.payment_info.expiration', 'POST /v2/transactions/cashin'),
    entry('error.code', 'POST /v2/transactions/cashin'),
    entry('outcome', 'chargeback.lost'),
  ].join('')
  writeFileSync(accepted, all)
  const passed = await run(['compare', file, '--accept', accepted])
  expect(passed.code, passed.stdout + passed.stderr).toBe(0)
  writeFileSync(accepted, all + entry('data.fee', 'POST /v2/transactions/cashin'))
  const stale = await run([
    'compare',
    file,
    '--accept',
    accepted,
    '--junit',
    join(place, 'c.xml'),
    '--markdown',
    join(place, 'c.md'),
  ])
  expect(stale.code).toBe(1)
  expect(stale.stdout).toContain('no longer found: assumption_wrong POST /v2/transactions/cashin data.fee')
  expect(readFileSync(join(place, 'c.xml'), 'utf8')).toContain('failures="1"')
  expect(readFileSync(join(place, 'c.md'), 'utf8')).toMatch(/^# Comparison with the platform/)
})

test('unusable files end the comparison with exit code 2 and one sentence', async () => {
  const place = folder()
  const file = join(place, 'a.har')
  writeFileSync(file, 'not a recording')
  const foreign = await run(['compare', file])
  expect([foreign.code, foreign.stderr]).toEqual([2, expect.stringContaining('it is not a HAR file')])
  writeFileSync(file, '{"log":{"version":"1.2","entries":[')
  const cut = await run(['compare', file])
  expect([cut.code, cut.stdout, cut.stderr]).toEqual([
    2,
    '',
    expect.stringMatching(/^[^\n]*nothing to compare[^\n]*\n$/),
  ])
  const missing = await run(['compare', join(place, 'b.har')])
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('there is no such file')])
  const list = join(place, 'accepted.yaml')
  writeFileSync(list, '- { verdict: perhaps, call: a, path: b, reason: c, date: 2026-11-21 }')
  const bad = await run(['compare', file, '--accept', list])
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('entry 1, verdict must be one of')])
})

test('an entry of the accepted differences that is not an object is reported as such', async () => {
  const list = join(folder(), 'accepted.yaml')
  writeFileSync(
    list,
    '- cashin\n- { verdict: assumption_wrong, call: a, path: b, reason: c, date: 2026-11-21, since: 1 }',
  )
  const { code, stderr } = await run(['compare', await recordingIn(folder()), '--accept', list])
  expect([code, stderr]).toEqual([2, expect.stringContaining('entry 1 must be an object')])
  expect(stderr).toContain('entry 2 has no field since')
})

test('the control API and the library compare a recording as the command does', async () => {
  const place = folder()
  const file = await recordingIn(place, (entries) =>
    changeBody(entries, '/transactions/cashin', (body) => {
      body.data.extra = true
    }),
  )
  await using sandbox = await startSandbox(settings)
  const text = readFileSync(file, 'utf8')
  const answer = await sandbox.control.call<{ findings: { verdict: string; path: string }[] }>(
    'POST',
    '/compare',
    text,
    {
      contentType: 'application/json',
    },
  )
  const found = answer.findings.filter(({ verdict }) => verdict !== 'assumption_confirmed')
  expect(found.map(({ verdict, path }) => [verdict, path])).toEqual([['unknown_field', 'data.extra']])
  const result = await compareRecording(file, settings)
  expect(result.passed).toBe(false)
  const [one] = result.findings
  expect(one).toMatchObject({ verdict: 'unknown_field', path: 'data.extra', platform: true, sandbox: null })
  const accept = [
    { verdict: 'unknown_field', call: one?.call ?? '', path: 'data.extra', reason: 'harmless', date: '2026-11-21' },
  ] as const
  expect((await compareRecording(file, { ...settings, accept })).passed).toBe(true)
  await expect(
    sandbox.control.call('POST', '/compare', '{}', { contentType: 'application/json' }),
  ).rejects.toMatchObject({
    message: expect.stringContaining('This file is not a recording of the platform.'),
    details: { rule: 'it is not a HAR file: it has no log.entries' },
  })
})

test('reports tell the text "5" from the number 5, and an absent field from one that is null', async () => {
  const place = folder()
  const file = await recordingIn(place, (entries) => {
    const charges = entries.filter((entry) => entry.request.url.endsWith('/transactions/cashin'))
    for (const entry of charges) {
      const body = JSON.parse(entry.response.content.text)
      if (body.data === undefined) continue
      body.data.amount = String(body.data.amount)
      body.data.status = null
      body.data.extra = null
      delete body.data.created_at
      entry.response.content.text = JSON.stringify(body)
    }
  })
  const [junit, markdown] = [join(place, 'report.xml'), join(place, 'report.md')]
  const { stdout } = await run(['compare', file, '--junit', junit, '--markdown', markdown])
  for (const pair of [
    /platform: "([\d.]+)" +sandbox: \1\n/,
    /platform: null +sandbox: "pending"/,
    /platform: absent +sandbox: "20/,
  ])
    expect(stdout).toMatch(pair)
  expect(stdout).toMatch(/platform: null +sandbox: absent/)
  const table = readFileSync(markdown, 'utf8')
  expect(table).toMatch(/\| "([\d.]+)" \| \1 \|/)
  expect(table).toContain('| absent | "20')
  expect(readFileSync(junit, 'utf8')).toMatch(/platform: absent\s+sandbox: &quot;20/)
})

test('one file is never used for two reports', async () => {
  const cwd = folder()
  const args = ['compare', 'no.har', '--junit', 'a.xml', '--markdown', './a.xml']
  await isRefused(() => run(args, { cwd }), '--junit and --markdown must not name the same file', 2)
  expect(readdirSync(cwd)).toEqual([])
})
