/** One certification of a receiver, in a Durable Object for it alone: it needs a database beside that of the workspace. */
import { DurableObject } from 'cloudflare:workers'
import { openWorkspace } from '../../core/workspace/opening.js'
import { ringAfter } from '../../runtime/workers/alarm.js'
import type { Bindings, CertificationMethods } from '../../runtime/workers/bindings.js'
import { Connections, wholeShare } from '../../runtime/workers/connections.js'
import { databaseOf } from '../../runtime/workers/database.js'
import { wall } from '../../runtime/workers/runtime.js'
import { senderOf } from '../../runtime/workers/send.js'
import { settingsOf } from '../../runtime/workers/settings.js'
import { certifyReceiver, maxDurationMs } from '../core/certify-receiver.js'

export class CertificationObject extends DurableObject<Bindings> implements CertificationMethods {
  async certify(...[home, config, options, told]: Parameters<CertificationMethods['certify']>) {
    const { storage } = this.ctx
    // Should the object go before its end, what it has written goes all the same.
    await storage.setAlarm(wall() + 2 * maxDurationMs)
    const connections = new Connections(wholeShare)
    const send = senderOf(
      this.env,
      settingsOf(this.env),
      () => home,
      (origin, exchange) => connections.use(origin, exchange),
      wall,
    )
    const ws = openWorkspace('scratch', { db: databaseOf(storage), wall, send, wake() {}, alarm: ringAfter }, config)
    const telling: Promise<void>[] = []
    let isOver = false
    try {
      const report = await certifyReceiver(ws, options, {
        onRule: (rule) =>
          void telling.push(
            told(rule).then(
              (isWanted) => {
                isOver ||= !isWanted
              },
              () => {
                isOver = true
              },
            ),
          ),
        isOver: () => isOver,
      })
      await Promise.all(telling)
      return report
    } finally {
      await this.alarm()
    }
  }

  async alarm(): Promise<void> {
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
  }
}
