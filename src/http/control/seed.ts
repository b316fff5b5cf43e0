/** Sample data: fills a workspace as if it had been used for a month. */

import { playMonth } from '../../core/demo/play.js'
import { parsePostbackUrl } from '../../core/endpoints/operations.js'
import { defaultSeedDays, seedNames, type seedRoutes } from '../../protocol/control/seed.js'
import type { Handlers } from './routes.js'
import { baseUrlOf } from './workspaces.js'

export const seedHandlers: Handlers<typeof seedRoutes> = {
  async seed({ host, ws, env, body: { days = defaultSeedDays, postback_url } }) {
    const url = parsePostbackUrl(postback_url, ws.config.strictWebhooks)
    const postbackUrl = url ?? `${baseUrlOf(host, ws.name)}/_sandbox/inbox/demo`
    return { name: seedNames[0], ...(await playMonth(ws, { days, postbackUrl }, env.onDisconnect)) }
  },
}
