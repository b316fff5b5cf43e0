/** The part of certification that the runtime provides: Node and Cloudflare Workers each implement it. */
import type { Config } from '../../protocol/settings/platform.js'
import type { CertifyOptions, Progress } from '../core/check-context.js'
import type { ReceiverReport } from '../protocol/routes.js'

export interface CertifyHost {
  /** Tests a receiver from a new workspace with this configuration. Throws 409 CONFLICT if too many tests are running. */
  certifyReceiver(config: Config, options: CertifyOptions, progress: Progress): Promise<ReceiverReport>
}
