/** Short messages at the edge of the page. */
import { type Failure, failureOf } from '../api.js'
import { createValue } from './value.js'

interface Toast {
  id: number
  tone: 'ok' | 'bad'
  text: string
  failure?: Failure
  action?: ToastAction
}

interface ToastAction {
  label: string
  run: () => unknown
}

export const toasts = createValue<readonly Toast[]>([])
let lastId = 0

function show(toast: Omit<Toast, 'id'>, forMs: number): void {
  const id = ++lastId
  toasts.set([...toasts.get().slice(-3), { id, ...toast }])
  setTimeout(() => dismiss(id), forMs)
}

export function dismiss(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id))
}

export const showMessage = (text: string, action?: ToastAction): void =>
  action === undefined ? show({ tone: 'ok', text }, 4000) : show({ tone: 'ok', text, action }, 20_000)

export function showError(error: unknown): void {
  const failure = failureOf(error)
  show({ tone: 'bad', text: failure.message, failure }, 12_000)
}
