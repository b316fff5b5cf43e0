/** Checks each response of a control API against the row of its route, and records which rows were used. */
import * as z from 'zod'
import type { ControlRow } from '../../src/protocol/control/route.js'
import { endpoints } from '../../src/protocol/platform/endpoints.js'
import { controlRows } from './control-rows.js'
import { isDocumented } from './documented.js'
import { note } from './noted.js'
import { plainFetch } from './plain-fetch.js'
import { strictly } from './strict.js'

interface Place {
  method: string
  path: string
}

/** The rows of an API with the method and path pattern of each, in any workspace. */
const placesOf = <Row extends Place>(under: string, rows: Readonly<Record<string, Row>>) =>
  Object.entries(rows).map(([name, row]) => ({
    name,
    row,
    pattern: new RegExp(`^(/w/[^/]+)?${under}${row.path.replaceAll('.', '\\.').replace(/\{[a-z_]+\}/g, '[^/]+')}$`),
  }))

const routes = placesOf<ControlRow>('/_sandbox', controlRows)
const calls = placesOf<Place>('', endpoints)

/** Finds the row of a call. Paths without parameters come first: in `/webhooks/wait`, `wait` is not an id. */
function placeOf<Found extends { row: Place; pattern: RegExp }>(
  places: readonly Found[],
  method: string,
  pathname: string,
): Found | undefined {
  const fitting = places.filter(({ row, pattern }) => row.method === method && pattern.test(pathname))
  return fitting.find(({ row }) => !row.path.endsWith('}')) ?? fitting[0]
}

const strict = new Map<string, z.ZodType>()

function misfit(name: string, row: ControlRow, status: number, text: string): string {
  if (row.mediaType !== undefined || row.otherStatuses !== undefined) return ''
  if (row.answer === undefined)
    return status === 204 && text === '' ? '' : `${status} with a body instead of 204 without one`
  if (status !== 200) return `the row has no status ${status}`
  const schema = strict.get(name) ?? strictly(row.answer())
  strict.set(name, schema)
  const result = schema.safeParse(JSON.parse(text))
  return result.success ? '' : z.prettifyError(result.error)
}

/** The body of every error of both APIs. */
export const errorBody = z.strictObject({
  success: z.literal(false),
  error: z.strictObject({
    code: z.string(),
    message: z.string().min(1),
    group: z.string(),
    retryable: z.boolean(),
    details: z.record(z.string(), z.unknown()),
  }),
})

/** Returns what is wrong with a response, or an empty text, and records the rows that it used. */
export function judge(method: string, url: string, status: number, text: string): string {
  const { pathname } = new URL(url)
  const call = placeOf(calls, method, pathname)
  if (call !== undefined && status < 300) note('endpoint', call.name)
  const code = status >= 400 ? codeOf(text) : ''
  if (code !== '') note('error', code)
  const found = placeOf(routes, method, pathname)
  if (found === undefined) return ''
  const { name, row } = found
  note('route', name)
  const reported = (problem: string) => (problem === '' ? '' : `${method} ${url}\n${problem}\n${text.slice(0, 2000)}`)
  if (status < 400) {
    noteDone(name, text)
    return reported(misfit(name, row, status, text))
  }
  if (row.otherStatuses !== undefined) return ''
  const result = errorBody.safeParse(JSON.parse(text))
  return reported(result.success ? '' : z.prettifyError(result.error))
}

/** Records a response that the OpenAPI document lacks, unless a scenario created it: such a response may be anything. */
export async function recordAnswer(
  method: string,
  url: string,
  status: number,
  text: string,
  id: string,
): Promise<void> {
  const { pathname } = new URL(url)
  const operation = placeOf(calls, method, pathname)?.name ?? placeOf(routes, method, pathname)?.name
  if (operation === undefined) return
  const code = status >= 400 ? codeOf(text) : ''
  if (isDocumented(operation, status, code) || (await isOfScenario(url, id))) return
  note('undocumented', `${operation} ${status} ${code}`)
}

/** Whether the request log says that a scenario answered the call. */
async function isOfScenario(url: string, id: string): Promise<boolean> {
  const { origin, pathname } = new URL(url)
  const workspace = /^\/w\/[^/]+/.exec(pathname)?.[0] ?? ''
  const entry = await plainFetch(`${origin}${workspace}/_sandbox/requests/${id}`).then(
    (answer) => answer.json(),
    () => ({}),
  )
  return z.object({ scenario: z.string() }).safeParse(entry).success
}

const codeIn = z.object({ error: z.object({ code: z.string() }) })

function codeOf(text: string): string {
  const reported = codeIn.safeParse(parsed(text))
  return reported.success ? reported.data.error.code : ''
}

const triggered = z.object({ action: z.string(), events: z.array(z.object({ event: z.string() })) })
const run = z.object({ steps: z.array(z.object({ step: z.string(), status: z.string() })) })
const runs = z.object({ data: z.array(run) })

/** Records the actions and steps that a response reports. */
function noteDone(route: string, text: string): void {
  if (route === 'trigger') {
    const { action, events } = triggered.parse(parsed(text))
    note('action', action)
    for (const { event } of events) note('event', event)
  }
  if (!['runScenario', 'readRun', 'listRuns'].includes(route)) return
  const seen = route === 'listRuns' ? runs.parse(parsed(text)).data : [run.parse(parsed(text))]
  for (const { step, status } of seen.flatMap(({ steps }) => steps)) if (status === 'passed') note('step', step)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a response is checked: it must come from a sandbox, have a schema, and end. */
export const isJudged = (headers: Headers): boolean =>
  headers.has('x-request-id') && !/^text\/(event-stream|csv)/.test(headers.get('content-type') ?? '')

/** The judgements of one test's responses; some are still pending. */
export const judgements: (string | Promise<string>)[] = []
