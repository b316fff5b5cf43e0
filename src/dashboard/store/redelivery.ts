/** Sends webhooks again, and says what became of them. */
import type { WebhookAttempt } from '../../client/types/control.js'
import { outcomeWords } from '../../protocol/platform/failures.js'
import { webhookTimeouts } from '../../protocol/platform/limits.js'
import { call } from '../api.js'
import { t } from '../language.js'
import { showError, showMessage } from './commands.js'
import { announce, listen } from './live.js'
import { go, link } from './route.js'

/** The failed webhooks but for the altered ones that their receiver has refused rightly. */
export const toRedeliver = { status: 'failed', verdict: 'none' } as const

/** Why an attempt has not delivered its webhook. */
export const reasonOf = ({ status, outcome }: WebhookAttempt): string =>
  status === null ? t(outcomeWords[outcome]) : t`the receiver answered with HTTP ${status}`

const noteAfterMs = 1000
/** The longest time of an attempt, and some for its way to this page. */
const waitMs = webhookTimeouts.totalMs + 5000

/** Sends the webhooks one after the other, in this order, and shows how the next attempt of each ended. */
export async function redeliver(ids: readonly string[]): Promise<void> {
  const open = new Set(ids)
  const [delivered, failed, errors]: [string[], string[], unknown[]] = [[], [], []]
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const unlisten = listen((changes) => {
    for (const { type, id, outcome } of changes === 'everything' ? [] : changes)
      if (type === 'webhook' && outcome !== undefined && open.delete(id))
        (outcome === 'ok' ? delivered : failed).push(id)
    if (open.size === 0) finish()
  })
  const timers = [
    setTimeout(() => showMessage('Sent again; waiting for the answer of the receiver'), noteAfterMs),
    setTimeout(finish, waitMs),
  ]
  for (const id of ids)
    await call('POST /webhooks/{id}/redeliver', { params: { id } }).catch((error: unknown) => {
      errors.push(error)
      open.delete(id)
    })
  announce('everything')
  if (open.size > 0) await finished
  unlisten()
  timers.forEach(clearTimeout)
  if (errors.length > 0) showError(errors[0])
  if (ids.length !== 1) return showCounts(delivered.length, failed.length, open.size)
  if (open.size > 0) showMessage('Sent again; the receiver has not answered yet')
  else if (delivered.length > 0) showMessage('Sent again, and delivered')
  for (const id of failed) {
    const { attempts } = await call('GET /webhooks/{id}', { params: { id } })
    showMessage(t`Sent again, and not delivered: ${attempts.slice(-1).map(reasonOf)}`, undefined, 'bad')
  }
}

/** Those that are delivered now have left the list of the failed ones. */
function showCounts(delivered: number, failed: number, open: number): void {
  const counts = [
    [delivered, t`Delivered: ${delivered}`],
    [failed, t`Not delivered: ${failed}`],
    [open, t`Not answered yet: ${open}`],
  ] as const
  const text = counts.flatMap(([count, words]) => (count === 0 ? [] : [words])).join(' · ')
  const show = { label: 'Show', run: () => go(link('webhooks', { status: 'delivered' })) }
  showMessage(text || 'Nothing to redeliver', delivered === 0 ? undefined : show, failed === 0 ? 'ok' : 'bad')
}
