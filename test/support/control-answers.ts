/** Runs before every test file: each answer of a control API that `fetch` sees is held against its row, and which routes were answered is written down. */
import { appendFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import * as z from 'zod'
import { controlRoutes } from '../../src/protocol/control/index.js'
import type { ControlRow } from '../../src/protocol/control/route.js'
import { tidyFile, tidyTest } from './hooks.js'
import { plainFetch } from './plain-fetch.js'
import { strictly } from './strict.js'

const routes = Object.entries<ControlRow>(controlRoutes).map(([name, row]) => ({
  name,
  row,
  pattern: new RegExp(`^(/w/[^/]+)?/_sandbox${row.path.replaceAll('.', '\\.').replace(/\{[a-z_]+\}/g, '[^/]+')}$`),
}))

/** Paths without parameters come first: `/webhooks/wait` is no id. */
function routeOf(method: string, pathname: string) {
  const fitting = routes.filter(({ row, pattern }) => row.method === method && pattern.test(pathname))
  return fitting.find(({ row }) => !row.path.endsWith('}')) ?? fitting[0]
}

const strict = new Map<string, z.ZodType>()

function misfit(name: string, row: ControlRow, status: number, text: string): string {
  if (row.media !== undefined || row.also !== undefined) return ''
  if (row.answer === undefined) return status === 204 && text === '' ? '' : `${status} where nothing at all was due`
  if (status !== 200) return `${status} is not in its row`
  const schema = strict.get(name) ?? strictly(row.answer())
  strict.set(name, schema)
  const result = schema.safeParse(JSON.parse(text))
  return result.success ? '' : z.prettifyError(result.error)
}

const errorBody = z.strictObject({
  success: z.literal(false),
  error: z.strictObject({
    code: z.string(),
    message: z.string().min(1),
    group: z.string(),
    retryable: z.boolean(),
    details: z.record(z.string(), z.unknown()),
  }),
})

async function judge(method: string, url: string, answer: Response): Promise<string> {
  const found = routeOf(method, new URL(url).pathname)
  if (found === undefined) return ''
  const { name, row } = found
  note(name)
  // An answer that breaks off is the business of the test that let it.
  const text = await answer.text().catch(() => null)
  if (text === null) return ''
  const told = (problem: string) => (problem === '' ? '' : `${method} ${url}\n${problem}\n${text.slice(0, 2000)}`)
  if (answer.status < 400) return told(misfit(name, row, answer.status, text))
  if (row.also !== undefined) return ''
  const result = errorBody.safeParse(JSON.parse(text))
  return told(result.success ? '' : z.prettifyError(result.error))
}

const folder = process.env.SANDBOX_TEST_ROUTES
const noted = new Set<string>()

function note(name: string): void {
  if (noted.has(name) || folder === undefined) return
  noted.add(name)
  appendFileSync(join(folder, `${process.pid}`), `${name}\n`)
}

beforeAll(() => note(basename(expect.getState().testPath ?? '')))

const judgements: Promise<string>[] = []

/** Only what a sandbox answered, and only where it has an end. */
const isJudged = ({ headers }: Response) =>
  headers.has('x-request-id') && !(headers.get('content-type') ?? '').startsWith('text/event-stream')

globalThis.fetch = async (input, init) => {
  const answer = await plainFetch(input, init)
  const request = input instanceof Request ? input : null
  const url = request?.url ?? String(input)
  const method = (init?.method ?? request?.method ?? 'GET').toUpperCase()
  if (isJudged(answer)) judgements.push(judge(method, url, answer.clone()))
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
