/** What certification asks of the process that the sandbox runs in. */
import type { Config } from '../../protocol/settings/platform.js'
import type { CertifyOptions, Progress } from '../core/check-context.js'
import type { ReceiverReport } from '../protocol/routes.js'

export interface CertifyHost {
  /** Tests a receiver in a workspace of this configuration, made for it alone. 409 CONFLICT where too many are under way. */
  certifyReceiver(config: Config, options: CertifyOptions, progress: Progress): Promise<ReceiverReport>
}
