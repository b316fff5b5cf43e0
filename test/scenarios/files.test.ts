/** Scenario files: their contents, and the messages about mistakes. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.js'
import { type Body, send } from '../support/http.js'
import { scenarioSandbox } from '../support/scenario-api.js'

test('a file with many mistakes is rejected with each mistake, its place and its fix', async () => {
  const { upload, url, call } = await scenarioSandbox()
  const text = `name: Bad_name
tilte: oops
on: { operation: cashout, where: { curency: USDT } }
params: { delay: 2s }
steps:
  - create: { cashin: { amunt: 3, currency: BRX }, as: charge }
  - wait: \${dely}
  - cashin.pya: {}
  - cashout.fail: { error_code: TRON_ENERGY_FIAL }
  - expect: { event: cashin.confirmd }
  - expect: { status: confirmed, event: cashin.confirmed }
  - respond: {}
  - wait: 3 years
  - cashin.pay: { id: "\${charg}", amount: ten }
  - wait: 1s
    cashin.pay: {}
`
  const answer = await upload(text)
  expect(answer.status).toBe(422)
  expect(answer.body.error.code).toBe('INVALID_VALUE')
  // Validation reports the same and stores nothing.
  const validate = (yaml: string) =>
    send('POST', `${url}/_sandbox/scenarios/validate`, yaml, { 'Content-Type': 'application/yaml' })
  const { mistakes: reported, more } = answer.body.error.details
  expect(await validate(text)).toMatchObject({ status: 200, body: { mistakes: reported, more } })
  expect((await validate('name: good\nsteps: [cashin.pay]')).body).toMatchObject({ mistakes: [], more: 0 })
  expect((await call('GET', '/scenarios/good')).status).toBe(404)
  const mistakes = answer.body.error.details.mistakes.map((one: Body) => [one.line, one.column, one.path, one.message])
  const has = (line: number, column: number, path: string, words: string) =>
    expect(
      mistakes.some((one: Body) => one[0] === line && one[1] === column && one[2] === path && one[3].includes(words)),
      `${line}:${column} ${path} ${words} in ${JSON.stringify(mistakes, null, 1)}`,
    ).toBe(true)
  has(1, 7, 'name', 'joined by hyphens')
  has(2, 1, 'tilte', 'did you mean title?')
  has(3, 36, 'on.where.curency', 'did you mean currency?')
  has(6, 25, 'steps[0].create.cashin.amunt', 'did you mean amount?')
  has(6, 23, 'steps[0].create.cashin', 'amount is missing')
  has(6, 45, 'steps[0].create.cashin.currency', 'did you mean BRL?')
  has(7, 11, 'steps[1].wait', 'did you mean ${delay}?')
  has(8, 5, 'steps[2].cashin.pya', 'did you mean cashin.pay?')
  has(9, 33, 'steps[3].cashout.fail.error_code', 'did you mean TRON_ENERGY_FAIL?')
  has(10, 22, 'steps[4].expect.event', 'did you mean cashin.confirmed?')
  has(11, 13, 'steps[5].expect', 'exactly one of')
  has(12, 14, 'steps[6].respond', 'requires a status or a code')
  has(13, 11, 'steps[7].wait', '10m')
  has(14, 23, 'steps[8].cashin.pay.id', 'did you mean ${charge}?')
  has(14, 43, 'steps[8].cashin.pay.amount', 'decimal number')
  has(15, 5, 'steps[9]', 'start each step with its own hyphen')
})

test('invalid YAML, a list, two documents and an empty text are mistakes with a place, never a fault', async () => {
  const { upload } = await scenarioSandbox()
  for (const text of [
    'steps: [',
    '- a\n- b',
    'name: a\n---\nname: b',
    '',
    '{"name": "a", ',
    'name: a\nname: b\nsteps: [cashin.pay]',
    'null',
    '7',
    'steps:\n  - 7\n  - [a]',
    'a: &x [*x]',
    'steps: yes',
    '['.repeat(50_000),
    `a: ${'{a: '.repeat(9_000)}1${'}'.repeat(9_000)}`,
    'name: a\nsteps: [{ __proto__: { a: 1 } }]',
    'name: a\nsteps: [{ constructor: {} }]',
    'name: a\nsteps: [{ wait: "${constructor}" }]',
  ]) {
    const answer = await upload(text)
    expect([text, answer.status, answer.body?.error?.code]).toEqual([
      text,
      text === '' ? answer.status : 422,
      answer.body?.error?.code,
    ])
    expect(answer.body.error.details.mistakes.length, text).toBeGreaterThan(0)
    expect(answer.body.error.details.mistakes[0].line, text).toBeGreaterThan(0)
  }
})

test.each([
  [
    'steps:\n  - cashin.pay: charge',
    'steps[0].cashin.pay: must be a map of fields (payer, amount, hash, id, as, create, fields)',
  ],
  ['on: cashin\nsteps: [cashin.pay]', 'on: must be a map of fields (operation, where)'],
  ['steps: [{ pay: {} }]', 'steps[0].pay: "pay" is not a step; did you mean cashin.pay?'],
  ['steps: [confirm]', 'steps[0].confirm: "confirm" is not a step; did you mean cashout.confirm or dispute.confirm?'],
  ['steps:\n  cashin.pay: {}', 'steps: must be a list of steps, each starting with a hyphen'],
  [
    'on: { operation: cashin, where: { amount: >= 10 } }\nsteps: [cashin.pay]',
    'a comparison must be in quotes, such as ">= 10"',
  ],
  ['steps:\n- cashin.pay\n  id: x', 'a step with parameters must be one key and a map'],
  ['steps: [latency: 11m]', 'at most 10m'],
  ['steps: [wait: 1s, latency: 1s]', 'put it before every other step, or before a create'],
  ['steps: [cashout.fail: { code: UNKNOWN }]', '"code" is not a field here; known: error_code, error_message, id, as'],
])('the mistake in %j has a readable message', async (text, words) => {
  const { upload } = await scenarioSandbox()
  const { mistakes } = (await upload(`name: a\n${text}\n`)).body.error.details
  expect(mistakes.map((one: Body) => `${one.path}: ${one.message}`).join('\n')).toContain(words)
})

const anywhere: Body = {
  name: 'anywhere',
  title: 'A title',
  description: 'More of it',
  on: { operation: 'cashin', where: { currency: 'BRL', amount: '>= 1' } },
  times: 1,
  params: { a: '1s' },
  settle: 'manual',
  steps: [
    { wait: '${a}' },
    { create: { cashin: { amount: 5, currency: 'BRL' }, as: 'charge' } },
    { 'cashin.pay': { id: '${charge}', payer: { name: 'Ana' } } },
    { expect: { event: 'cashin.confirmed', within: '1s', where: { amount: '5.00' } } },
  ],
}

/** Returns the file with each part replaced in turn. */
function* replacements(whole: Body, by: unknown): Generator<Body> {
  yield by
  if (whole === null || typeof whole !== 'object') return
  for (const key of Object.keys(whole))
    for (const inner of replacements(whole[key], by)) {
      const copy = structuredClone(whole)
      copy[key] = inner
      yield copy
    }
}

test('references, empty lists and empty maps anywhere in a file are accepted or rejected, never a fault', async () => {
  const { upload, call } = await scenarioSandbox({ clock: 'manual' })
  const statuses = new Set<number>()
  expect((await upload(JSON.stringify(anywhere))).body).toMatchObject({ name: 'anywhere' })
  for (const by of ['${a}', '${nobody}', [], {}])
    for (const file of replacements(anywhere, by)) {
      const { status, body } = await upload(JSON.stringify(file))
      expect([200, 400, 422], JSON.stringify(file)).toContain(status)
      statuses.add(status)
      if (status !== 200) continue
      const ran = await call('POST', `/scenarios/${body.name}/run`, { fast_forward: true })
      expect(ran.status, JSON.stringify(file)).toBeLessThan(500)
      expect((await call('GET', `/scenarios/${body.name}`)).status).toBe(200)
    }
  expect([...statuses].toSorted()).toEqual([200, 422])
  expect((await call('GET', '/scenarios')).status).toBe(200)
})

test('scenarios may be JSON or YAML, and an uploaded one can be read, replaced and deleted', async () => {
  const { url, call, run } = await scenarioSandbox()
  const json = {
    name: 'mine',
    title: 'Mine',
    steps: [{ create: { cashin: { amount: 5, currency: 'BRL' } } }, 'cashin.pay'],
  }
  expect((await send('POST', `${url}/_sandbox/scenarios`, json)).body).toMatchObject({
    name: 'mine',
    origin: 'uploaded',
  })
  expect((await run('mine')).status).toBe('passed')
  expect((await send('POST', `${url}/_sandbox/scenarios`, { ...json, title: 'Newer' })).status).toBe(200)
  expect((await call('GET', '/scenarios/mine')).body).toMatchObject({
    title: 'Newer',
    steps: [json.steps[0], { 'cashin.pay': {} }],
  })
  expect((await call('DELETE', '/scenarios/mine')).status).toBe(204)
  expect((await call('GET', '/scenarios/mine')).status).toBe(404)
  expect((await call('DELETE', '/scenarios/pix-paid')).status).toBe(422)
  const missing = await call('GET', '/scenarios/pix-payd')
  expect([missing.status, missing.body.error.details.did_you_mean]).toEqual([404, 'pix-paid'])
})

test('scenarios of a folder come before the built-in ones; a mistake in one stops the start with one line', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'own.yaml'), 'name: own\nsteps: [{ create: { wallet: { currency: BRL } } }]\n')
  writeFileSync(join(folder, 'pix-paid.yaml'), 'name: pix-paid\ntitle: Ours\nsteps: [cashin.pay]\n')
  const { call } = await scenarioSandbox({}, { scenariosDir: folder })
  const names = (await call('GET', '/scenarios')).body.data.map((one: Body) => `${one.name} ${one.origin}`)
  expect(names).toEqual(expect.arrayContaining(['own folder', 'pix-paid folder', 'auto-pay built-in']))
  writeFileSync(join(folder, 'z.yml'), 'name: z\nsteps:\n  - wiat: 2s\n')
  await expect(scenarioSandbox({}, { scenariosDir: folder })).rejects.toThrow(
    /z\.yml:3:5: steps\[0\]\.wiat: "wiat" is not a step; did you mean wait\?$/,
  )
  mkdirSync(join(folder, 'empty'))
  await expect(scenarioSandbox({}, { scenariosDir: join(folder, 'empty'), arm: ['auto-pya'] })).rejects.toThrow(
    /did you mean auto-pay\?/,
  )
  await expect(scenarioSandbox({}, { scenariosDir: join(folder, 'nowhere') })).rejects.toThrow(/nowhere does not exist/)
})
