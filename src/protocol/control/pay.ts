/** The payer's page, outside `/_sandbox`: a customer opens it. */
import * as z from 'zod'
import { route } from './route.js'

/** The first that fits is taken: no transaction is called like one of the files. */
export const payRoutes = {
  readPayStyle: route({
    method: 'GET',
    path: '/pay/page.css',
    summary: "The style of the payer's page",
    media: 'text/css',
  }),
  readPayScript: route({
    method: 'GET',
    path: '/pay/page.js',
    summary: "The script of the payer's page",
    media: 'text/javascript',
  }),
  readPayPage: route({
    method: 'GET',
    path: '/pay/{id}',
    // Whoever sends the link on may add to it.
    query: () => z.looseObject({}),
    summary: 'What the payer of a charge would see, with a bar for testers',
    media: 'text/html',
  }),
} as const
