/** Control routes of workspaces: separate sandboxes in one process. */
import * as z from 'zod'
import { integerInQuery } from '../platform/fields.js'
import { account } from './accounts.js'
import { filterText, listOf } from './fields.js'
import { model, route } from './route.js'

const workspace = model('WorkspaceAddress', () => z.strictObject({ name: z.string(), base_url: z.string() }))

/** Largest page. */
export const maxWorkspaces = 1000

export const workspaceRoutes = {
  listWorkspaces: route({
    method: 'GET',
    path: '/workspaces',
    summary: 'The workspaces of this sandbox, by their names, `default` first',
    query: () =>
      z.strictObject({
        limit: integerInQuery(1, maxWorkspaces)
          .optional()
          .describe(`Largest number of rows (default: ${maxWorkspaces})`),
        after: filterText().describe('The `next` of an earlier page'),
      }),
    answer: () => listOf(workspace()),
  }),
  createWorkspace: route({
    method: 'POST',
    path: '/workspaces',
    summary: 'Create a workspace: an isolated sandbox under /w/{name}',
    body: () => z.strictObject({ name: z.string('must be a string') }),
    answer: () =>
      workspace().extend({
        accounts: z.array(account()),
        admin_token: z
          .string()
          .optional()
          .describe('The admin token of the workspace, if each has its own; shown only once'),
      }),
    example: { name: 'team-a' },
  }),
  deleteWorkspace: route({
    method: 'DELETE',
    path: '/workspaces/{name}',
    summary: 'Delete a workspace and everything in it',
  }),
} as const
