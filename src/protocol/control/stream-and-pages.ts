/** Control routes that do not answer with JSON: the stream of changes, the description of the API and its page, and the page of the payer. */
import * as z from 'zod'
import { didYouMean, nearest } from '../../base/text.js'
import { filterText, route } from './route.js'

const changeTypes = [
  'transaction',
  'dispute',
  'wallet',
  'webhook',
  'account',
  'clock',
  'run',
  'request',
  'inbox',
  'chaos',
  'certify',
  'workspace',
] as const
export type ChangeType = (typeof changeTypes)[number]

const isChangeType = (type: string): type is ChangeType => changeTypes.some((one) => one === type)

/** A comma-separated list of types. */
const typeList = () =>
  z.string().transform((text, context) => {
    const types = text.split(',').map((type) => type.trim())
    for (const type of types) {
      if (isChangeType(type)) continue
      const guess = nearest(type, changeTypes)
      const message = `must be one or more of ${changeTypes.join(', ')}${didYouMean(guess)}`
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    return types.filter(isChangeType)
  })

/** Links to a page may have parameters that only its script reads. */
const anything = () => z.looseObject({})

export const streamRoutes = {
  streamChanges: route('GET /stream', {
    summary: 'Server-sent events: one event for each change',
    query: () =>
      z.strictObject({
        types: typeList().optional().describe('Types of changes, separated by commas (default: all)'),
        last_event_id: filterText().describe('The id of the last received event; the stream continues after it'),
      }),
    mediaType: 'text/event-stream',
  }),
} as const

export const docsRoutes = {
  readOpenApi: route('GET /openapi.json', {
    summary: 'The API as an OpenAPI 3.1 document',
    answer: () => z.looseObject({ openapi: z.string() }),
  }),
  readDocs: route('GET /docs', {
    summary: 'The API as a page',
    query: anything,
    mediaType: 'text/html',
  }),
  readDocsStyle: route('GET /docs.css', { summary: 'The style of the page', mediaType: 'text/css' }),
  readDocsScript: route('GET /docs.js', { summary: 'The script of the page', mediaType: 'text/javascript' }),
} as const

/** The pages that people open, outside `/_sandbox`. */
export const pageRoutes = {
  readDashboard: route('GET /', { summary: 'The dashboard', query: anything, mediaType: 'text/html' }),
  readAsset: route('GET /assets/{file}', {
    summary: 'Script, style and icon of the dashboard',
    query: anything,
    // The response has the type of its file.
    mediaType: 'text/javascript',
  }),
  readIcon: route('GET /favicon.ico', {
    summary: 'The icon, which browsers request for a page that names none',
    query: anything,
    mediaType: 'image/svg+xml',
  }),
} as const

/** The first matching route wins, so the two files come before the page. */
export const payRoutes = {
  readPayStyle: route('GET /pay/page.css', { summary: "The style of the payer's page", mediaType: 'text/css' }),
  readPayScript: route('GET /pay/page.js', { summary: "The script of the payer's page", mediaType: 'text/javascript' }),
  readPayPage: route('GET /pay/{id}', {
    // Messengers and mail programs add parameters to links. A language that the page does not have is ignored.
    query: () =>
      z.looseObject({
        lang: z.string().optional().describe('`pt`, `es` or `en` (default: the language of the browser)'),
      }),
    summary: 'The page that the payer of a charge sees, with buttons for testers',
    mediaType: 'text/html',
  }),
} as const
