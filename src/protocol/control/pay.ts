/** The payer's page, outside `/_sandbox` because customers open it. */
import * as z from 'zod'
import { route } from './route.js'

/** The first matching route wins: no transaction has the name of one of the files. */
export const payRoutes = {
  readPayStyle: route({
    method: 'GET',
    path: '/pay/page.css',
    summary: "The style of the payer's page",
    mediaType: 'text/css',
  }),
  readPayScript: route({
    method: 'GET',
    path: '/pay/page.js',
    summary: "The script of the payer's page",
    mediaType: 'text/javascript',
  }),
  readPayPage: route({
    method: 'GET',
    path: '/pay/{id}',
    // Messengers and mail programs add parameters to links. A language that the page does not have is ignored.
    query: () =>
      z.looseObject({
        lang: z.string().optional().describe('`pt`, `es` or `en` (default: the language of the browser)'),
      }),
    summary: 'The page that the payer of a charge sees, with buttons for testers',
    mediaType: 'text/html',
  }),
} as const
