/** The one modal form of the page, and how to open it. */
import { fieldsIn } from '../../base/unknown.js'
import { isTokenRequired } from '../api.js'
import { leaveEvents } from './route.js'
import { createValue } from './value.js'

/** The names of the fields; a dot leads into an object: `payer.name`. */
export type PathOf<Values> = {
  [Name in keyof Values & string]: unknown extends Values[Name]
    ? Name
    : NonNullable<Values[Name]> extends object
      ? `${Name}.${PathOf<NonNullable<Values[Name]>>}`
      : Name
}[keyof Values & string]

export interface Field<Name extends string = string> {
  name: Name
  /** Default: the label of its name. */
  label?: string | undefined
  kind?: 'text' | 'amount' | 'url' | 'area' | 'code' | 'choice' | 'check' | 'moment' | 'rows'
  /** Fields of a row, for `rows`. */
  columns?: readonly Field[] | undefined
  choices?: readonly string[] | undefined
  /** Text of a choice (default: the choice itself). */
  words?: ((choice: string) => string) | undefined
  hint?: string | undefined
  /** Hint of the object that it belongs to. */
  groupHint?: string | undefined
  value?: string | boolean | undefined
  required?: boolean | undefined
  /** Stands after the groups. */
  isLast?: boolean
  maxLength?: number | undefined
}

export interface FormSpec<Values = Record<string, unknown>> {
  title: string
  /** The field's name in the API, if it has one. */
  name?: string
  text?: string
  fields?: readonly Field<PathOf<Values>>[]
  submit: string
  danger?: boolean
  /** Throws errors for the form to show; it then stays open. Empty fields are omitted from the values. */
  run: (values: Values) => Promise<unknown>
}

export const dialog = createValue<FormSpec | null>(null)

// Leaving the view, by a link, by Back or by closing the page, cancels the form.
isTokenRequired.subscribe(() => dialog.set(null))
for (const leaving of leaveEvents) addEventListener(leaving, () => dialog.set(null))

/** Field names follow from the request type; the API validates the values. */
export const openForm = <Values>({ fields = [], run, ...spec }: FormSpec<Values>): void =>
  // Only the API knows the types of the values.
  dialog.set({ ...spec, fields, run: (values) => run(values as Values) })

/** A dot in a name leads into an object. */
export function setNested(target: Record<string, unknown>, name: string, value: unknown): void {
  const dot = name.indexOf('.')
  if (dot < 0) {
    target[name] = value
    return
  }
  const head = name.slice(0, dot)
  const inner = fieldsIn(target[head])
  target[head] = inner
  setNested(inner, name.slice(dot + 1), value)
}
