/** Renders types of the platform for Java: records for responses and events, classes with a method for each field for requests. */
import type { Field, FieldType, ObjectType } from './data.js'
import { sentence } from './words.js'

export const quote = (text: string) => JSON.stringify(text)
const camel = (name: string) => name.replace('[]', '').replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
export const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/`([^`]*)`/g, '{@code $1}')
    .replaceAll('*/', '* /')

/** A Javadoc comment of sentences and tags. */
export function javadoc(indent: string, lines: readonly string[]): string {
  const [first = '', ...more] = lines
  if (more.length === 0) return `${indent}/** ${first} */`
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`].join('\n')
}

/** Java's type of each kind, and the method that reads it from JSON. */
const kinds = {
  text: ['String', 'text'],
  time: ['String', 'text'],
  integer: ['Integer', 'integer'],
  decimal: ['BigDecimal', 'decimal'],
  boolean: ['Boolean', 'bool'],
  map: ['Map<String, String>', 'texts'],
  any: ['Object', 'value'],
} as const

/** The enums of texts with a table of their own, by one of their values. */
const enumOf = (type: FieldType): string | undefined =>
  type.kind !== 'text'
    ? undefined
    : type.values.includes('BRL')
      ? 'Currency'
      : type.values.includes('NOT_FOUND')
        ? 'ErrorCode'
        : undefined

function typeText(type: FieldType): string {
  if (type.kind === 'list') return `List<${typeText(type.of)}>`
  if (type.kind === 'object') return type.name
  return enumOf(type) ?? kinds[type.kind][0]
}

/** The function that reads a value of this type from JSON. */
function reader(type: FieldType): string {
  if (type.kind === 'list') return `json -> json.list(${reader(type.of)})`
  if (type.kind === 'object') return `${type.name}::from`
  return `Json::${kinds[type.kind][1]}`
}

const values = ({ type }: Field) =>
  type.kind === 'text' && type.values.length > 0 && enumOf(type) === undefined
    ? ` One of ${type.values.map((value) => `{@code ${value}}`).join(', ')}.`
    : ''
const note = (field: Field) => {
  const about = field.about === '' ? '' : escaped(sentence(field.about))
  return `${about}${values(field)}${field.nullable || field.optional ? ' May be null.' : ''}`.trim()
}

/** The expression that reads the field of an object. */
function read({ name, type }: Field): string {
  const value = `json.get(${quote(name)})`
  if (type.kind === 'object') return `${value}.map(${reader(type)})`
  if (type.kind === 'list') return `${value}.list(${reader(type.of)})`
  const choice = enumOf(type)
  return choice === undefined ? `${value}.${kinds[type.kind][1]}()` : `${value}.oneOf(${choice}.class)`
}

const lines = (indent: string, texts: readonly string[]) => texts.map((text) => `${indent}${text}`).join(',\n')

/** `Webhook` also has the payload of its event, whose type is a parameter. */
export function record({ name, fields }: ObjectType): string {
  const isWebhook = name === 'Webhook'
  const tags = fields.filter((field) => note(field) !== '').map((field) => `@param ${camel(field.name)} ${note(field)}`)
  if (isWebhook) tags.push('@param data The payload.', '@param <T> The type of the payload.')
  const about = isWebhook ? 'An event with its delivery.' : `${name.replace(/([a-z])([A-Z])/g, '$1 $2')}.`
  const components = fields.map((field) => `${typeText(field.type)} ${camel(field.name)}`)
  const [payload, argument, parameter, type] = isWebhook ? [['T data'], ['data'], ', T data', '<T>'] : [[], [], '', '']
  return `${javadoc('  ', [about, ...(tags.length === 0 ? [] : ['', ...tags])])}
  public record ${name}${type}(
${lines('      ', [...components, ...payload])}) {
    static ${type}${type === '' ? '' : ' '}${name}${type} from(Json json${parameter}) {
      return new ${name}${type === '' ? '' : '<>'}(
${lines('          ', [...fields.map(read), ...argument])});
    }
  }`
}

/** A request with a method for each field. Amounts are never binary floating-point numbers. */
export function request({ name, fields }: ObjectType): string {
  const setters = fields.flatMap((field) => {
    const isUpload = field.name.endsWith('[]')
    const types = isUpload
      ? ['List<Upload>']
      : field.type.kind === 'decimal'
        ? ['BigDecimal', 'String', 'long']
        : // A text can also be a value that the platform rejects.
          [typeText(field.type), ...(enumOf(field.type) === undefined ? [] : ['String'])]
    return types.map((type) => {
      const parameter = camel(field.name)
      const value = field.type.kind === 'decimal' && type !== 'BigDecimal' ? `new BigDecimal(${parameter})` : parameter
      const text = note({ ...field, optional: false, nullable: false })
      return `${text === '' ? '' : `${javadoc('    ', [text])}\n`}    public ${name} ${parameter}(${type} ${parameter}) {
      set(${quote(field.name)}, ${value});
      return this;
    }`
    })
  })
  const required = fields.filter(({ optional }) => !optional).map((field) => `{@code ${camel(field.name)}}`)
  return `${javadoc('  ', [required.length === 0 ? 'All fields are optional.' : `Required: ${required.join(', ')}.`])}
  public static final class ${name} extends Request {
${setters.join('\n\n')}
  }`
}
