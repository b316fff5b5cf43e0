/** Certification as a deployment on Durable Objects has it: each in an object for it alone. */
import { systemRandom } from '../../base/crypto.js'
import { randomText } from '../../base/ids.js'
import type { Config } from '../../protocol/settings/platform.js'
import type { Quota } from '../../runtime/workers/quota.js'
import type { Home, ObjectsByName } from '../../runtime/workers/runtime.js'
import type { CertifyOptions } from '../core/check-context.js'
import type { CertifyHost } from '../http/host.js'
import type { ReceiverRule } from '../protocol/receiver-rules.js'
import type { Report, RuleReport } from '../protocol/rules.js'

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
  ): Promise<Report<ReceiverRule>>
}

interface Asking {
  home: () => Home
  /** undefined: nobody limits it. */
  quota: () => Quota | undefined
}

/** 429 RATE_LIMIT_EXCEEDED where a hosted workspace has had as many as it may. */
export const certifyIn = (objects: ObjectsByName<CertificationMethods>, { home, quota }: Asking): CertifyHost => ({
  async receiver(config, options, { onRule, isOver }) {
    const limit = quota()?.limits.certificationsPerHour
    if (limit !== undefined)
      quota()?.admitHourly(
        'certifications',
        limit,
        `A hosted workspace can run at most ${limit} certifications per hour.`,
      )
    const name = randomText(systemRandom().stream('certification'), 40)
    return objects.getByName(name).certify(home(), config, options, async (rule) => {
      onRule(rule)
      return !isOver()
    })
  },
})
