/** The one form that may lie over the page: which one it is, and how to open it. */
import { createValue } from './value.js'

export interface Field {
  /** A dot leads into an object: `payer.name`. */
  name: string
  label?: string
  kind?: 'text' | 'amount' | 'url' | 'area' | 'code' | 'choice' | 'check' | 'moment'
  choices?: readonly string[]
  hint?: string
  value?: string | boolean
  required?: boolean
  maxLength?: number
}

export interface FormSpec {
  title: string
  /** The name of it in the API, where it has one. */
  name?: string
  text?: string
  fields?: readonly Field[]
  submit: string
  danger?: boolean
  /** Throws what is to be shown in the form, which then stays. Empty fields are left out of the values. */
  run: (values: Record<string, unknown>) => Promise<unknown>
}

export const dialog = createValue<FormSpec | null>(null)
export const ask = (spec: FormSpec): void => dialog.set(spec)

/** A dot in a name leads into an object. */
export function put(target: Record<string, unknown>, name: string, value: unknown): void {
  const dot = name.indexOf('.')
  if (dot < 0) {
    target[name] = value
    return
  }
  const head = name.slice(0, dot)
  target[head] ??= {}
  put(target[head] as Record<string, unknown>, name.slice(dot + 1), value)
}
