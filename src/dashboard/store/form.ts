/** Forms: the one modal form of the page, fields from JSON Schemas, and which field an error is about. */
import { parseUntrustedJson } from '../../base/json.js'
import { fieldsIn } from '../../base/unknown.js'
import type { ErrorCode } from '../../protocol/platform/errors.js'
import { labelOf } from '../../protocol/platform/fields.js'
import { type Failure, isTokenRequired } from '../api.js'
import { createValue } from './hooks.js'
import { onLeave } from './route.js'

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
  /** Known values of a field that accepts others, too. */
  suggestions?: readonly string[] | undefined
  /** Text of a choice (default: the choice itself). */
  words?: ((choice: string) => string) | undefined
  hint?: string | undefined
  /** An example, or what holds, shown while the field is empty. */
  placeholder?: string | undefined
  /** The line of a table in which it stands; its label is the name of the column. */
  line?: Line | undefined
  /** Hint of the object that it belongs to. */
  groupHint?: string | undefined
  value?: string | boolean | undefined
  required?: boolean | undefined
  maxLength?: number | undefined
}

interface Line {
  title: string
  /** The name in the API, if it has one. */
  name?: string
  hint?: string
  /** Stands above the first line of each group. */
  group?: string
}

export interface FormSpec<Values = Record<string, unknown>> {
  title: string
  /** The field's name in the API, if it has one. */
  name?: string
  text?: string | undefined
  fields?: readonly Field<PathOf<Values>>[]
  submit: string
  danger?: boolean
  /** Of each form that is opened, so that none is mistaken for the one before it. */
  key?: string
  /** Throws errors for the form to show; it then stays open. Empty fields are omitted from the values. */
  run: (values: Values) => Promise<unknown>
}

export const dialog = createValue<FormSpec | null>(null)

const cancel = () => dialog.set(null)
isTokenRequired.subscribe(cancel)
onLeave(cancel)

let opened = 0

/** Field names follow from the request type; the API validates the values. */
export const openForm = <Values>({ fields = [], run, ...spec }: FormSpec<Values>): void =>
  // Only the API knows the types of the values.
  dialog.set({ ...spec, fields, key: String(++opened), run: (values) => run(values as Values) })

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

/** The part of a JSON Schema that forms use. */
export interface FieldSchema {
  type?: string | string[]
  enum?: (string | null)[]
  description?: string
  maxLength?: number
  format?: string
  examples?: string[]
  properties?: Record<string, FieldSchema>
  required?: string[]
  items?: FieldSchema
}

/** The form fields for the JSON Schema of the parameters. Fields of an object form a group with its description. */
export function fieldsOf(schema: FieldSchema, path = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]): Field[] => {
    const name = `${path}${key}`
    const hint = field.description
    if (field.properties !== undefined)
      return fieldsOf(field, `${name}.`).map((inner) => ({ ...inner, groupHint: hint }))
    return [
      {
        name,
        label: labelOf(name),
        kind: kindOf(field),
        required: schema.required?.includes(key) ?? false,
        columns: field.items === undefined ? undefined : fieldsOf(field.items),
        // An optional field accepts null, which the form expresses by leaving the field empty.
        choices: field.enum?.filter((one) => one !== null),
        suggestions: field.examples,
        hint,
        maxLength: field.maxLength,
      },
    ]
  })
}

function kindOf(field: FieldSchema): NonNullable<Field['kind']> {
  if (field.enum !== undefined) return 'choice'
  if ([field.type].flat().includes('number')) return 'amount'
  if ([field.type].flat().includes('array')) return field.items?.properties === undefined ? 'code' : 'rows'
  return field.maxLength !== undefined && field.maxLength > 300 && field.format !== 'uri' ? 'area' : 'text'
}

/** Fields of errors whose details name none. */
const fieldOfCode: Partial<Record<ErrorCode, string>> = {
  BELOW_MIN_LIMIT: 'amount',
  EXCEEDS_MAX_LIMIT: 'amount',
  LIMIT_EXCEEDED: 'amount',
  INSUFFICIENT_BALANCE: 'amount',
  DUPLICATE_EXTERNAL_ID: 'external_id',
  SELF_TRANSFER_BLOCKED: 'username',
}

/** The name of the field in the form; undefined if the error is not about one of them. */
export function fieldOfError(error: Failure | null, fields: readonly Pick<Field, 'name'>[]): string | undefined {
  if (error === null) return undefined
  const named = String(error.details.field ?? fieldOfCode[error.code as ErrorCode])
  return fields.find(({ name }) => named === name || named.startsWith(`${name}[`) || named.startsWith(`${name}.`))?.name
}

/** The error of the first required field without a value, as the API would report it. */
export function missingField(fields: readonly Field[], form: FormData): Failure | undefined {
  const missing = fields.find(({ name, required }) => required === true && form.get(name) === '')
  if (missing === undefined) return undefined
  return {
    code: 'MISSING_REQUIRED_FIELD',
    message: 'This field is required.',
    status: 0,
    details: { field: missing.name },
  }
}

/** The form of a `submit` event. */
export function formOf({ target }: Event): HTMLFormElement {
  if (!(target instanceof HTMLFormElement)) throw new TypeError('488. only a form can be submitted')
  return target
}

/** Valid JSON stays as it is; anything else becomes a string, which the API rejects by name. */
export const jsonLiteral = (value: string): string =>
  parseUntrustedJson(value) === undefined ? JSON.stringify(value) : value.trim()
