/** JSON Schemas, as far as forms are made of them. */
import type { Field } from './dialog.js'

/** A field of a JSON Schema, as far as forms are made of it. */
export interface FieldSchema {
  type?: string | string[]
  enum?: string[]
  description?: string
  maxLength?: number
  format?: string
  properties?: Record<string, FieldSchema>
  required?: string[]
}

/** The fields of a form, from the JSON Schema of the parameters. */
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
