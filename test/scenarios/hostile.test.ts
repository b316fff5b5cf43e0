/** Hostile scenario texts on every surface: twice the text takes about twice the time, and no other caller waits. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves
import { beforeAll, describe, expect, test } from 'vitest'
import { satisfiesAll } from '../../src/core/scenarios/references.js'
import { bodyLimits } from '../../src/protocol/platform/limits.js'
import { readScenarioText } from '../../src/runtime/shared/scenario-text.js'
import { effortMs, leastEffortMs } from '../support/effort.js'
import { type Body, send } from '../support/http.js'
import { scenarioSandbox } from '../support/scenario-api.js'

/** Repeats a text up to the size limit of a file. */
const most = bodyLimits.scenarioBytes

const fill = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
/** Numbered pieces, all different. */
function count(piece: (index: number) => string, length: number): string {
  const pieces: string[] = []
  for (let size = 0; size < length; size += pieces.at(-1)?.length ?? 1) pieces.push(piece(pieces.length))
  return pieces.join('')
}
/** A valid scenario around a hostile text. */
const yaml = (body: string) => `name: hostile\n${body}`
const nested = (open: string, close: string, length: number) => {
  const depth = Math.floor(length / (open.length + close.length))
  return `${open.repeat(depth)}1${close.repeat(depth)}`
}

/** Each creates a text of about the given length. */
const texts: Record<string, (length: number) => string> = {
  'a reference that never ends, then spaces': (n) => yaml(`title: "\${${fill(' ', n)}"\nsteps: [cashin.pay]`),
  'a reference of spaces, then no end': (n) => yaml(`title: "\${ a${fill(' ', n)}b"\nsteps: [cashin.pay]`),
  'many beginnings of a reference': (n) => yaml(`title: "${fill('${', n)}"\nsteps: [cashin.pay]`),
  'many beginnings of a reference and one end': (n) => yaml(`title: "${fill('${ ', n)}}"\nsteps: [cashin.pay]`),
  'many references': (n) => yaml(`params: { a: x }\nsteps: [{ wait: "${fill('${a}', n)}" }]`),
  'references to what is not there': (n) => yaml(`steps:\n${count((i) => `- cashin.pay: { id: "\${x${i}}" }\n`, n)}`),
  'a long param, put in many times': (n) =>
    yaml(`params: { a: ${fill('x', n / 2)} }\nsteps: [{ wait: "${fill('${a}', n / 2)}" }]`),
  'names and references to others': (n) =>
    yaml(`steps:\n${count((i) => `- cashin.pay: { as: n${i}, id: "\${m${i}}" }\n`, n)}`),
  'unknown keys': (n) => yaml(count((i) => `key_${i}: 1\n`, n)),
  'unknown keys of a step': (n) => yaml(`steps: [{ cashin.pay: { ${count((i) => `key_${i}: 1, `, n)} } }]`),
  'unknown keys beside each other in a step': (n) => yaml(`steps: [{ ${count((i) => `key_${i}: 1, `, n)} }]`),
  'unknown steps': (n) => yaml(`steps:\n${count((i) => `- cashin.pya${i}: {}\n`, n)}`),
  'empty steps': (n) => yaml(`steps: [${fill('{},', n)}]`),
  'steps that are none': (n) => yaml(`steps: [${fill('7,', n)}]`),
  'wrong values': (n) => yaml(`steps:\n${fill('- wait: never\n', n)}`),
  'wrong params': (n) => yaml(`params: { ${count((i) => `p${i}: [], `, n)} }\nsteps: [cashin.pay]`),
  'params of odd names': (n) => yaml(`params: { ${count((i) => `"${i} ": 1, `, n)} }\nsteps: [cashin.pay]`),
  'wrong conditions': (n) =>
    yaml(`on: { operation: cashin, where: { ${count((i) => `f${i}: {}, `, n)} } }\nsteps: [cashin.pay]`),
  'a condition of spaces': (n) =>
    yaml(`on: { operation: cashin, where: { amount: ">${fill(' ', n)}x\\n" } }\nsteps: [cashin.pay]`),
  'outcomes that are wrong': (n) => yaml(`outcomes: [${fill('{ title: a, on: { operation: nope }, steps: [] },', n)}]`),
  'faults where they cannot act': (n) => yaml(`steps:\n- wait: 1s\n${fill('- latency: 1s\n', n)}`),
  'a long key': (n) => yaml(`${fill('k', n)}: 1`),
  'a long step': (n) => yaml(`steps: [{ ${fill('k', n)}: 1 }]`),
  'a long name': (n) => `name: ${fill('a-', n)}\nsteps: [cashin.pay]`,
  'a long name of one letter': (n) => `name: ${fill('a', n)}!\nsteps: [cashin.pay]`,
  'a long duration': (n) => yaml(`steps: [{ wait: "${fill('1', n)}x" }]`),
  'a long amount': (n) => yaml(`steps: [{ cashin.pay: { amount: "${fill('1', n)}x" } }]`),
  'a long word that is nearly a choice': (n) => yaml(`steps: [{ expect: { event: "${fill('cashin', n)}" } }]`),
  'many anchors': (n) => yaml(`x:\n${count((i) => `- &a${i} x\n`, n)}`),
  'many aliases': (n) => yaml(`x:\n- &a x\n${fill('- *a\n', n)}`),
  'aliases of a long text': (n) => yaml(`x:\n- &a ${fill('x', n / 2)}\n${fill('- *a\n', n / 2)}`),
  'aliases of a long list': (n) => yaml(`x:\n- &a [${fill('1,', n / 2)}]\n${fill('- *a\n', n / 2)}`),
  'aliases that multiply': (n) =>
    yaml(`x:\n- &a0 [1]\n${count((i) => `- &a${i + 1} [${fill(`*a${i} , `, 60)}1]\n`, n)}`),
  'aliases in a chain': (n) => yaml(`x:\n- &a0 [1]\n${count((i) => `- &a${i + 1} [*a${i} ]\n`, n)}`),
  'an alias of itself': (n) => yaml(`x: &x [${fill('*x ,', n)}]`),
  documents: (n) => fill('name: a\n---\n', n),
  'empty documents': (n) => fill('---\n', n),
  directives: (n) => fill('%A b\n', n),
  'lists in lists': (n) => yaml(`x: ${nested('[', ']', n)}`),
  'lists that never end': (n) => yaml(`x: ${fill('[', n)}`),
  'maps in maps': (n) => yaml(`x: ${nested('{a: ', '}', n)}`),
  hyphens: (n) => yaml(`x:\n${fill('- ', n)}`),
  'question marks': (n) => yaml(`x:\n${fill('? ', n)}`),
  'ever deeper lines': (n) => yaml(count((i) => `${' '.repeat(i)}a:\n`, n)),
  'closing brackets': (n) => fill(']', n),
  quotes: (n) => fill('"', n),
  'odd indentation': (n) => yaml(fill('  a: 1\n b: 2\n', n)),
  spaces: (n) => yaml(fill(' ', n)),
  'line ends': (n) => yaml(fill('\n', n)),
  comments: (n) => yaml(fill('# a\n', n)),
  'folded lines': (n) => yaml(`title: >\n${fill('  x\n\n   y\n', n)}`),
  'a text over many lines': (n) => yaml(`title: "${fill('a\n ', n)}"`),
  tags: (n) => yaml(`x:\n${fill('- !x y\n', n)}`),
  'the same key': (n) => yaml(fill('a: 1\n', n)),
  'bad escapes': (n) => yaml(`title: "${fill('\\q', n)}"`),
  'long escapes that are bad': (n) => yaml(`title: "${fill('\\uZZZZ', n)}"`),
  'ends of documents': (n) => fill('...\n', n),
  'tags in a flow': (n) => `!<${fill('}a: !t ', n)}`,
  'reserved characters in a list': (n) => yaml(`x: [${fill(': @kkkkkk', n)}`),
  'merge keys': (n) => yaml(fill('<<: *a\nkkkkkk', n)),
  'keys without values': (n) => yaml(fill('a: : kkkkkk', n)),
  'maps that close nothing': (n) => yaml(`steps:\n${fill('}\t{kkkkkkk', n)}`),
  tabs: (n) => yaml(`x:\n${fill('\tkkkkkkkkk: 1\n', n)}`),
  'words in a map': (n) => yaml(`x: {${fill('~, kkkkkk', n)}`),
  'anchors and keys in a list': (n) => yaml(`x: [${fill('a: &a kkkkkkkk', n)}`),
  'JSON: unknown keys': (n) => `{"name": "a", ${count((i) => `"key_${i}": 1, `, n)}"steps": []}`,
  'JSON: empty steps': (n) => `{"name": "a", "steps": [${fill('{},', n)}{}]}`,
  'JSON: lists in lists': (n) => `{"name": "a", "x": ${nested('[', ']', n)}}`,
  'JSON: escapes': (n) => `{"name": "a", "title": "${fill('\\u0041', n)}"}`,
  'JSON: numbers': (n) => `{"name": "a", "x": [${fill('1e400,', n)}1]}`,
}

/** A valid scenario of the maximum size. */
const ordinary = yaml(`steps:\n${fill('- cashin.pay: { amount: 12.50, payer: { name: Ana } }\n', 54 * 500)}`)

/** Four times the text may take four times as long, plus noise; quadratic time would take sixteen times as long. */
const growth = 9

/** The minimum wait without hostile texts, because shorter ones cannot be measured. */
const littleMs = 5

/** How much longer other callers may wait because of the worst file. */
const allowedMs = 50

describe('parsing takes time proportional to the text, with a bounded number of mistakes:', () => {
  let ordinaryMs = 0
  beforeAll(async () => {
    ordinaryMs = await leastEffortMs(3, () => readScenarioText(ordinary))
  })

  test.each(Object.entries(texts))('%s', async (_name, make) => {
    const effort = (length: number, rounds: number) => {
      const text = make(length)
      return leastEffortMs(rounds, () => readScenarioText(text))
    }
    const seen = async (length: number, shortMs: number, rounds: number) => {
      const longMs = await effort(length, rounds)
      return { holds: longMs < growth * Math.max(shortMs, ordinaryMs / 4), length, ordinaryMs, shortMs, longMs }
    }
    // Short texts come first, so that cubic growth is noticed before it takes too long.
    for (let length = most / 4 ** 3, shortMs = await effort(length / 4, 1); length <= most; length *= 4) {
      const first = await seen(length, shortMs, 1)
      // One good result is enough; a bad one may be chance and is repeated.
      const sure = first.holds ? first : await seen(length, await effort(length / 4, 5), 5)
      expect(sure).toMatchObject({ holds: true })
      shortMs = sure.longMs
    }
    const whole = make(most)
    const read = readScenarioText(whole)
    if (read.mistakes === null) return
    expect(read.mistakes.length).toBeLessThanOrEqual(20)
    expect(JSON.stringify(read).length).toBeLessThan(40_000)
  })
})

test('the first twenty of thousands of mistakes are reported in the order of the text, with the number of the rest', async () => {
  const { upload } = await scenarioSandbox()
  const answer = await upload(yaml(`steps: [cashin.pay]\n${count((i) => `key_${i}: 1\n`, 20_000)}`))
  const { mistakes, more } = answer.body.error.details
  expect(answer.status).toBe(422)
  expect(mistakes.map((one: Body) => one.line)).toEqual(Array.from({ length: 20 }, (_, index) => index + 3))
  expect(mistakes.length + more).toBeGreaterThan(1500)
  expect(answer.body.error.message).toContain(`(and ${19 + more} more)`)
})

test.each(Object.entries(texts))('the largest file takes at most 50 ms of CPU: %s', async (_name, make) => {
  const rounds = async (text: string) => leastEffortMs(5, () => readScenarioText(text))
  const text = make(most).slice(0, most)
  const once = await effortMs(() => readScenarioText(text))
  if (once <= allowedMs) return
  // On a busy machine, a large valid file shows how slow the machine is.
  expect(await rounds(text)).toBeLessThanOrEqual(Math.max(allowedMs, 2 * (await rounds(ordinary))))
})

test('a file over 64 KiB is answered 413 with the limit', async () => {
  const { upload } = await scenarioSandbox()
  const answer = await upload(yaml(`description: ${fill('x', most)}`))
  expect(answer.status).toBe(413)
  expect(answer.body.error.details).toEqual({ max_bytes: 65536 })
})

test('a condition is compared in time proportional to its length', async () => {
  const compare = (length: number) => () => {
    for (const condition of [`>${fill(' ', length)}x\n`, `>= ${fill('1 ', length)}`, `${fill(' ', length)}>`])
      satisfiesAll({ amount: 10 }, { amount: condition })
  }
  const shortMs = await leastEffortMs(5, compare(most / 4))
  expect(await leastEffortMs(5, compare(most))).toBeLessThan(growth * Math.max(shortMs, 0.2))
})

/** Returns the most CPU time of this process during one wait of another caller while the work runs. */
async function waitOfOthers(url: string, work: () => Promise<unknown>): Promise<number> {
  let longest = littleMs
  let isOver = false
  const caller = (async () => {
    while (!isOver) longest = Math.max(longest, await effortMs(() => send('GET', `${url}/_sandbox/clock`)))
  })()
  try {
    await work()
  } finally {
    isOver = true
    await caller
  }
  return longest
}

/** One good result is enough; a bad one may be chance, which does not occur three times. */
async function waitsNoLonger(url: string, usual: () => Promise<unknown>, worst: () => Promise<unknown>) {
  const seen: object[] = []
  for (let times = 0; times < 3; times++) {
    const usualMs = await waitOfOthers(url, usual)
    const longestMs = await waitOfOthers(url, worst)
    if (longestMs < growth * usualMs) return
    seen.push({ usualMs, longestMs })
  }
  expect(seen).toEqual([])
}

describe('other callers wait no longer than for a large scenario while a hostile one', () => {
  const worst = [
    'a reference that never ends, then spaces',
    'unknown steps',
    'quotes',
    'wrong params',
    'aliases that multiply',
  ]

  test.each(['application/yaml', 'application/json'])('is uploaded: %s', async (type) => {
    const { url } = await scenarioSandbox()
    const upload = async (body: string, status: number) => {
      const answer = await send('POST', `${url}/_sandbox/scenarios`, body, { 'Content-Type': type })
      expect([answer.status, body.slice(0, 60)]).toEqual([status, body.slice(0, 60)])
    }
    await upload(ordinary, 200)
    await waitsNoLonger(
      url,
      () => upload(ordinary, 200),
      async () => {
        for (const name of worst) await upload(texts[name]?.(most - 100) ?? '', 422)
      },
    )
  })

  const many = (value: unknown, number = 15_000) =>
    Object.fromEntries(Array.from({ length: number }, (_, index) => [`p${index}`, value]))

  test.each<[string, Body]>([
    ['many params', { params: many(1) }],
    ['params that are none', { params: many([]) }],
    ['nearly as many as a body may hold', { params: many([], 9000) }],
    ['a long param', { params: { delay: fill('1', 250_000) } }],
    ['references in a param', { params: { delay: fill('${delay}', 250_000) } }],
    ['a long id', { id: fill('1', 250_000) }],
    ['unknown fields', many(1)],
  ])('runs: %s', async (_how, body) => {
    const { url, upload } = await scenarioSandbox()
    await upload(yaml(`params: { delay: 1s }\nsteps:\n${fill('- wait: "${delay}"\n', 500 * 19)}`))
    const run = () => send('POST', `${url}/_sandbox/scenarios/hostile/run`, body)
    await waitsNoLonger(
      url,
      () => upload(ordinary.replace('hostile', 'ordinary')),
      async () => expect((await run()).status).toBeGreaterThan(399),
    )
  })
})

test('a run of many steps does not block other callers', async () => {
  const { url, upload, call } = await scenarioSandbox({ clock: 'manual' })
  const steps = (count: number) => fill('- create: { cashin: { amount: 5, currency: BRL } }\n', 51 * count)
  await upload(`name: short\nsteps:\n${steps(25)}`)
  await upload(`name: long\nsteps:\n${steps(500)}`)
  const run = (name: string) => call('POST', `/scenarios/${name}/run`, { fast_forward: true })
  await run('short')
  const passes = (name: string) => async () => expect((await run(name)).body.status).toBe('passed')
  await waitsNoLonger(url, passes('short'), passes('long'))
})
