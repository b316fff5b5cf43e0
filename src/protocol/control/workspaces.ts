/** Routes of workspaces: separate sandboxes in one process. */
import * as z from 'zod'
import { wholeInQuery } from '../platform/fields.js'
import { account } from './accounts.js'
import { listOf, wanted } from './fields.js'
import { model, route } from './route.js'

const workspace = model('WorkspaceAddress', () => z.strictObject({ name: z.string(), base_url: z.string() }))

/** On one page. */
export const mostNames = 1000

export const workspaceRoutes = {
  listWorkspaces: route({
    method: 'GET',
    path: '/workspaces',
    summary: 'The workspaces of this sandbox, by their names, `default` first',
    query: () =>
      z.strictObject({
        limit: wholeInQuery(1, mostNames).optional().describe(`At most so many; ${mostNames} where absent`),
        after: wanted().describe('The `next` of an earlier page'),
      }),
    answer: () => listOf(workspace()),
  }),
  createWorkspace: route({
    method: 'POST',
    path: '/workspaces',
    summary: 'Make a workspace: a sandbox of its own under /w/{name}',
    body: () => z.strictObject({ name: z.string('must be a string') }),
    answer: () =>
      workspace().extend({
        accounts: z.array(account()),
        admin_token: z
          .string()
          .optional()
          .describe('What its control API asks for, where each has one of its own; told this once'),
      }),
    example: { name: 'team-a' },
  }),
  deleteWorkspace: route({ method: 'DELETE', path: '/workspaces/{name}', summary: 'Drop a workspace and all in it' }),
} as const
