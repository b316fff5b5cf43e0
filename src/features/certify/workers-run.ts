/** Certification in a deployment on Durable Objects: each run has an object of its own. */

import type { Config } from '../../inside/control.js'
import { ApiError } from '../../inside/platform.js'
import { randomText, systemRandom } from '../../inside/secrets.js'
import { accessOf, type Home, type ObjectsByName } from '../../inside/workers.js'
import type { CertifyOptions, RunCertification } from './receiver/check-context.js'
import type { RuleReport } from './report/evidence.js'
import type { ReceiverReport } from './routes.js'

export interface CertificationMethods {
  /**
   * Reports each rule as soon as its result is known; the callback resolves to whether the report is still wanted.
   * `home` is the calling workspace.
   */
  certify(
    home: Home,
    config: Config,
    options: CertifyOptions,
    onRule: (rule: RuleReport) => Promise<boolean>,
  ): Promise<ReceiverReport>
}

/** Throws 429 RATE_LIMIT_EXCEEDED if a hosted workspace has used up its certifications. */
export const certifyInObject: RunCertification = async (host, config, options, { onRule, isCanceled }) => {
  if (options.load !== null) throw noLoad()
  const { bindings, home, quota } = accessOf(host)
  const limit = quota()?.limits.certifications_per_hour
  if (limit !== undefined)
    quota()?.admitHourly(
      'certifications',
      limit,
      `A hosted workspace can run at most ${limit} certifications per hour.`,
    )
  // The configuration of the deployment binds this name to `CertificationObject`.
  const objects = bindings.CERTIFICATIONS as ObjectsByName<CertificationMethods>
  const name = randomText(systemRandom().stream('certification'), 40)
  return objects.getByName(name).certify(home(), config, options, async (rule) => {
    onRule(rule)
    return !isCanceled()
  })
}

/** Rejects load tests: six connections at a time would measure the runtime, and strangers must not send a load from here. */
const noLoad = () =>
  new ApiError(
    'INVALID_VALUE',
    { field: 'load', rule: 'is not available in a hosted sandbox: start one on your own machine' },
    'A hosted sandbox cannot run load tests. Start a sandbox on your own machine.',
  )
