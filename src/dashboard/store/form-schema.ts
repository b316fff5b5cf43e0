/** Builds forms from JSON Schemas. */
import type { Field } from './dialog.js'

/** The part of a JSON Schema that forms use. */
export interface FieldSchema {
  type?: string | string[]
  enum?: string[]
  description?: string
  maxLength?: number
  format?: string
  properties?: Record<string, FieldSchema>
  required?: string[]
}

/** The form fields for the JSON Schema of the parameters. */
export function fieldsOf(schema: FieldSchema, path = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]): Field[] => {
    const name = `${path}${key}`
    if (field.properties !== undefined) return fieldsOf(field, `${name}.`)
    return [
      {
        name,
        kind: kindOf(field),
        required: schema.required?.includes(key) ?? false,
        ...(field.enum === undefined ? {} : { choices: field.enum }),
        ...(field.description === undefined ? {} : { hint: field.description }),
        ...(field.maxLength === undefined ? {} : { maxLength: field.maxLength }),
      },
    ]
  })
}

function kindOf(field: FieldSchema): NonNullable<Field['kind']> {
  if (field.enum !== undefined) return 'choice'
  if ([field.type].flat().includes('number')) return 'amount'
  if (field.type === 'array') return 'code'
  return field.maxLength !== undefined && field.maxLength > 300 && field.format !== 'uri' ? 'area' : 'text'
}
