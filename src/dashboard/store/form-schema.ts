/** The parameters of an action, as far as forms are made of them. */

/** A field of a JSON Schema, as far as forms are made of it. */
export interface FieldSchema {
  type?: string | string[]
  enum?: string[]
  description?: string
  maxLength?: number
  properties?: Record<string, FieldSchema>
  required?: string[]
}

export interface Action {
  name: string
  subject: string
  title: string
  params: FieldSchema
}
