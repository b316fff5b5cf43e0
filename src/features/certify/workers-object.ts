/** Certification of a receiver in a deployment on Durable Objects: each run has an object of its own, because it needs a database besides the one of the workspace. */
import { DurableObject } from 'cloudflare:workers'
import type { Config } from '../../inside/control.js'
import { routeSet } from '../../inside/handlers.js'
import { ApiError } from '../../inside/platform.js'
import { randomText, systemRandom } from '../../inside/secrets.js'
import {
  accessOf,
  allToOneReceiver,
  type Bindings,
  Connections,
  callAfter,
  databaseOf,
  type Home,
  type ObjectsByName,
  senderOf,
  settingsOf,
  wallClock,
} from '../../inside/workers.js'
import { openWorkspace } from '../../inside/workspace.js'
import { certifyReceiver } from './receiver/certify-receiver.js'
import type { RunCertification } from './receiver/check-context.js'
import { certifyMark, timeLimits } from './receiver/timing.js'
import type { Remaining, RuleReport } from './report/evidence.js'
import { type CertifyOptions, certifyRoutes, type ReceiverReport } from './routes.js'

interface CertificationMethods {
  /**
   * Reports each rule as soon as its result is known; the callback resolves to whether the report is still wanted.
   * `home` is the calling workspace.
   */
  certify(
    home: Home,
    config: Config,
    options: CertifyOptions,
    onRule: (rule: RuleReport, remaining: Remaining) => Promise<boolean>,
  ): Promise<ReceiverReport>
}

/** Throws 429 RATE_LIMIT_EXCEEDED if a hosted workspace has used up its certifications. */
const certifyInObject: RunCertification = async (host, config, options, { onRule, isCanceled }) => {
  if (options.load !== undefined) throw noLoad()
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
  return objects.getByName(name).certify(home(), config, options, async (...found) => {
    onRule(...found)
    return !isCanceled()
  })
}

export const certifyInObjects = routeSet(certifyRoutes, async () =>
  (await import('./handlers.js')).certifyHandlers(certifyInObject),
)

/** Rejects load tests: six connections at a time would measure the runtime, and strangers must not send a load from here. */
const noLoad = () =>
  new ApiError(
    'INVALID_VALUE',
    { field: 'load', rule: 'is not available in a hosted sandbox: start one on your own machine' },
    'A hosted sandbox cannot run load tests. Start a sandbox on your own machine.',
  )

export class CertificationObject extends DurableObject<Bindings> implements CertificationMethods {
  async certify(...[callingWorkspace, config, options, onRule]: Parameters<CertificationMethods['certify']>) {
    const { storage } = this.ctx
    // If the object is stopped early, the alarm deletes what it has written.
    await storage.setAlarm(wallClock() + 2 * (options.time_limit ?? timeLimits.mostMs))
    const connections = new Connections(allToOneReceiver)
    const send = senderOf(
      this.env,
      settingsOf(this.env),
      () => callingWorkspace,
      (origin, exchange) => connections.withConnection(origin, exchange),
      wallClock,
    )
    const ws = openWorkspace(
      'scratch',
      { db: databaseOf(storage), wall: wallClock, send, wake() {}, callAfter, idMark: certifyMark },
      config,
    )
    const notifications: Promise<void>[] = []
    let isCanceled = false
    try {
      const report = await certifyReceiver(ws, options, {
        onRule: (...found) =>
          void notifications.push(
            onRule(...found)
              .catch(() => false)
              .then((isWanted) => {
                isCanceled ||= !isWanted
              }),
          ),
        isCanceled: () => isCanceled,
      })
      await Promise.all(notifications)
      return report
    } finally {
      // Does now what the alarm would do later.
      await this.alarm()
    }
  }

  async alarm(): Promise<void> {
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
  }
}
