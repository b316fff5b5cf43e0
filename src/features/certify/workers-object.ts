/** One certification of a receiver, in a separate Durable Object, because it needs a database besides the one of the workspace. */
import { DurableObject } from 'cloudflare:workers'
import {
  allToOneReceiver,
  type Bindings,
  Connections,
  callAfter,
  databaseOf,
  senderOf,
  settingsOf,
  wallClock,
} from '../../inside/workers.js'
import { openWorkspace } from '../../inside/workspace.js'
import { certifyReceiver } from './receiver/certify-receiver.js'
import { certifyMark, timeLimits } from './receiver/timing.js'
import type { CertificationMethods } from './workers-run.js'

export class CertificationObject extends DurableObject<Bindings> implements CertificationMethods {
  async certify(...[callingWorkspace, config, options, onRule]: Parameters<CertificationMethods['certify']>) {
    const { storage } = this.ctx
    // If the object is stopped early, the alarm deletes what it has written.
    await storage.setAlarm(wallClock() + 2 * (options.timeLimitMs ?? timeLimits.mostMs))
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
        onRule: (rule) =>
          void notifications.push(
            onRule(rule)
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
