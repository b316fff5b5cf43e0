/** The sandbox for agents, over the Model Context Protocol. */
import type { Feature } from '../../feature.js'
import { mcpRouteSet } from './routes.js'

export const mcp: Feature = {
  routes: [mcpRouteSet],
  commands: {
    mcp: {
      group: 'Test and integrate',
      short: 'serve agents (MCP)',
      summary: 'serve the sandbox to agents over the Model Context Protocol',
      load: () => import('./command.js'),
    },
  },
}
