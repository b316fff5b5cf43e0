/** The one form that may lie over the page: which one it is, and how to open it. */
import { fieldsIn } from '../../base/unknown.js'
import { tokenWanted } from '../api.js'
import { leavings } from './route.js'
import { createValue } from './value.js'

/** The names of its fields; a dot leads into an object: `payer.name`. */
type PathOf<Values> = {
  [Name in keyof Values & string]: unknown extends Values[Name]
    ? Name
    : NonNullable<Values[Name]> extends object
      ? `${Name}.${PathOf<NonNullable<Values[Name]>>}`
      : Name
}[keyof Values & string]

export interface Field<Name extends string = string> {
  name: Name
  label?: string
  kind?: 'text' | 'amount' | 'url' | 'area' | 'code' | 'choice' | 'check' | 'moment'
  choices?: readonly string[]
  hint?: string
  value?: string | boolean
  required?: boolean
  maxLength?: number
}

export interface FormSpec<Values = Record<string, unknown>> {
  title: string
  /** The name of it in the API, where it has one. */
  name?: string
  text?: string
  fields?: readonly Field<PathOf<Values>>[]
  submit: string
  danger?: boolean
  /** Throws what is to be shown in the form, which then stays. Empty fields are left out of the values. */
  run: (values: Values) => Promise<unknown>
}

export const dialog = createValue<FormSpec | null>(null)

// Whoever leaves the view, by a link, by Back or by closing the page, has not confirmed anything.
tokenWanted.subscribe(() => dialog.set(null))
for (const leaving of leavings) addEventListener(leaving, () => dialog.set(null))

/** The fields are named after what is made of them; what they hold is for the API to check. */
export const ask = <Values>({ fields = [], run, ...spec }: FormSpec<Values>): void =>
  // Which is why nobody but the API can tell what type they have.
  dialog.set({ ...spec, fields, run: (values) => run(values as Values) })

/** A dot in a name leads into an object. */
export function put(target: Record<string, unknown>, name: string, value: unknown): void {
  const dot = name.indexOf('.')
  if (dot < 0) {
    target[name] = value
    return
  }
  const head = name.slice(0, dot)
  const inner = fieldsIn(target[head])
  target[head] = inner
  put(inner, name.slice(dot + 1), value)
}
