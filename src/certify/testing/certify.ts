/** `certifyReceiver`: is a receiver of webhooks right, rule by rule? For one assertion of a test suite. */
import type { Certificate } from '../../client/types/control.js'
import { openAsked } from '../../runtime/node/asked.js'
import { requireKnown } from '../../testing/options.js'
import type { Sandbox } from '../../testing/sandbox.js'
import { startSandbox } from '../../testing/start.js'

/** What has become of a transaction on the integrator's side. */
export interface ReceiverEffect {
  /** Where it is a word of the interface, it is compared; any other is shown. */
  status?: string | null | undefined
  /** What stands to the credit of whoever paid, as a decimal. */
  credited: string | number
}

export interface CertifyReceiverOptions {
  url: string
  /** A URL that answers `?transaction_id=` with `{status, credited}`, or a function that tells it; null: nothing is known of it. */
  effects?: string | ((transactionId: string) => ReceiverEffect | null | Promise<ReceiverEffect | null>) | undefined
  /** A URL that restarts the receiver, or a function that does; done when it is up again. */
  restart?: string | (() => void | Promise<void>) | undefined
  /** `production`: without `X-Sandbox`, which is to be refused. */
  mode?: 'sandbox' | 'production' | undefined
  productionUrl?: string | undefined
  /** What the receiver knows; the demonstration secret of `merchant` where absent. */
  webhookSecret?: string | undefined
  /** One that runs already; one for this alone where absent. */
  sandbox?: Sandbox | undefined
}

/** Resolves to the report, whatever the receiver does. Rejects with `SandboxError` where the addresses may not be called. */
export async function certifyReceiver(options: CertifyReceiverOptions): Promise<Certificate> {
  requireKnown('certifyReceiver', options, optionNames)
  const { url, effects, restart, mode, productionUrl, webhookSecret } = options
  const asked = await openAsked(
    typeof effects === 'function' ? async (id) => JSON.stringify(await effects(id)) : effects,
    typeof restart === 'function' ? async () => restart() : restart,
  )
  const sandbox = options.sandbox ?? (await startSandbox())
  try {
    return await sandbox.control.call('POST /certify/receiver', {
      body: {
        url,
        effects: asked.effects,
        restart: asked.restart,
        mode,
        production_url: productionUrl,
        webhook_secret: webhookSecret,
      },
    })
  } finally {
    asked.close()
    if (options.sandbox === undefined) await sandbox.close()
  }
}

const optionNames = ['url', 'effects', 'restart', 'mode', 'productionUrl', 'webhookSecret', 'sandbox']
