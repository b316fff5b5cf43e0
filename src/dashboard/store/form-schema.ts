/** Builds forms from JSON Schemas. */
import { labelOf } from '../../protocol/platform/fields.js'
import type { Field } from './dialog.js'

/** The part of a JSON Schema that forms use. */
export interface FieldSchema {
  type?: string | string[]
  enum?: (string | null)[]
  description?: string
  maxLength?: number
  format?: string
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
