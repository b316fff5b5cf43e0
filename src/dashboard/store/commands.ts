/** Commands of the page, their undo, and the short messages that say what they did. */

import type { RouteAnswer, RouteArguments } from '../../client/control.js'
import type { ControlRoute } from '../../client/types/control.js'
import { type Body, call, type Failure, failureOf } from '../api.js'
import { errorText } from '../format.js'
import { t } from '../language.js'
import { createValue } from './hooks.js'
import { announce } from './live.js'
import { onLeave, pageNow } from './route.js'
import { stepText } from './steps.js'

interface Toast {
  tone: 'ok' | 'bad'
  text: string
  failure?: Failure
  action?: ToastAction | undefined
  /** The page on which it is shown, which it outlives only to offer its action. */
  page?: string
}

interface ToastAction {
  label: string
  run: () => unknown
}

/** The newest one replaces the one before. */
export const toast = createValue<Toast | undefined>(undefined)

onLeave(() => {
  const shown = toast.get()
  if (shown?.action === undefined && shown?.page !== pageNow()) toast.set(undefined)
})

function show(shown: Toast): void {
  const next = { ...shown, page: pageNow() }
  toast.set(next)
  setTimeout(() => dismiss(next), next.action === undefined && next.tone === 'ok' ? 4000 : 10_000)
}

export const dismiss = (shown: Toast): void => {
  if (toast.get() === shown) toast.set(undefined)
}

export const showMessage = (text: string, action?: ToastAction, tone: Toast['tone'] = 'ok'): void =>
  show({ tone, text, action })

export function showError(error: unknown): void {
  const failure = failureOf(error)
  show({ tone: 'bad', text: errorText(failure), failure })
}

/** Throws the error of the API. */
export async function send<Route extends ControlRoute>(
  route: Route,
  ...input: RouteArguments<Route>
): Promise<RouteAnswer<Route>> {
  const answer = await call(route, ...input)
  announce('everything')
  return answer
}

/** For buttons: shows an error as a message at the edge of the page. */
export async function attempt(work: () => Promise<unknown>, done?: string): Promise<void> {
  try {
    await work()
    if (done !== undefined) showMessage(done)
  } catch (error) {
    showError(error)
  }
}

export type Action = RouteAnswer<'GET /actions'>['data'][number]

let actionsPromise: Promise<Action[]> | undefined

/** The table of actions, which does not change while the page is open. */
export function actions(): Promise<Action[]> {
  actionsPromise ??= call('GET /actions').then(
    ({ data }) => data,
    (error: unknown) => {
      actionsPromise = undefined
      throw error
    },
  )
  return actionsPromise
}

/** `params` come from a form that follows the action's schema. */
export async function trigger(action: Action['name'], id: string, params: Record<string, unknown> = {}): Promise<void> {
  const body = { ...params, action, id } as Body<'POST /trigger'>
  showMessage(triggeredText(await send('POST /trigger', { body })))
}

function triggeredText({ action, events }: RouteAnswer<'POST /trigger'>): string {
  const names = events.map(({ event }) => event).join(', ')
  return names === '' ? stepText(action) : t`${t(stepText(action))}; ${names} sent`
}

/** The same, on an object that is created for the action. */
export async function triggerOnNew(action: Action['name'], params: Record<string, unknown>): Promise<void> {
  const body = { ...params, action, create: true } as Body<'POST /trigger'>
  showMessage(triggeredText(await send('POST /trigger', { body })))
}

/** For a longer advance, the clock shows progress and a cancel button. */
const showAdvanceAfterMs = 500

export async function advance(target: Body<'POST /clock/advance'>): Promise<void> {
  const timer = setTimeout(() => announce('everything'), showAdvanceAfterMs)
  try {
    showMessage(advancedText(await send('POST /clock/advance', { body: target })))
  } finally {
    clearTimeout(timer)
  }
}

function advancedText({ ran, complete, canceled, in_flight }: RouteAnswer<'POST /clock/advance'>): string {
  if (canceled) return 'The advance was canceled; jobs that have run are not undone'
  if (!complete) return t`The clock is still advancing; webhooks in flight: ${in_flight.length}`
  return ran.length === 0
    ? 'The clock was advanced; no job was due'
    : t`The clock was advanced; due jobs that ran: ${ran.length}`
}

export const cancelAdvance = (): Promise<unknown> => send('DELETE /clock/advance')

export const undoSnapshotName = 'before-the-last-change'

/** A deleted snapshot gets this name until another one is deleted. */
export const deletedSnapshotName = 'deleted-last'

/** The snapshot is renamed. */
export async function deleteWithUndo(name: string): Promise<void> {
  const rename = (from: string, to: string) =>
    send('PATCH /snapshots/{name}', { params: { name: from }, body: { name: to } })
  await rename(name, deletedSnapshotName)
  showMessage(t`Deleted: ${name}`, {
    label: 'Undo',
    run: () => attempt(() => rename(deletedSnapshotName, name), t`Undone: deletion of ${name}`),
  })
}

/** `done` is said with a button that restores the state before `work`. */
export async function runWithUndo(done: string, work: () => Promise<unknown>): Promise<void> {
  await send('POST /snapshots', { body: { name: undoSnapshotName } })
  await work()
  showMessage(done, {
    label: 'Undo',
    run: () => attempt(undoLast),
  })
}

/** Of the current state, until the undone one has made room. */
const replacedSnapshotName = 'before-the-last-undo'

/** Restores the state before the last change. The one that it replaces takes its name, so that the next undo does it again. */
async function exchange(done: string, next: ToastAction): Promise<void> {
  await send('POST /snapshots', { body: { name: replacedSnapshotName } })
  await send('POST /snapshots/{name}/restore', { params: { name: undoSnapshotName } })
  await send('PATCH /snapshots/{name}', { params: { name: replacedSnapshotName }, body: { name: undoSnapshotName } })
  showMessage(done, next)
}

/** Undoes the last reset, restore or run, also after its message is gone. */
export const undoLast = (): Promise<void> =>
  exchange('Undone: the last reset, restore or run', { label: 'Redo', run: () => attempt(redoLast) })

const redoLast = (): Promise<void> => exchange('Done again', { label: 'Undo', run: () => attempt(undoLast) })
