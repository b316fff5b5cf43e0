/** Renders the generated files of the PHP package. */

import { coordinates } from './coordinates.js'
import {
  type CallData,
  type EndpointData,
  type FieldType,
  generatedNote,
  listLimit,
  type PackageData,
  type Renderer,
} from './data.js'
import type { Field, ObjectType } from './types.js'
import { callGroups, callTypes, isConstant, requestTypeNames, sentence } from './words.js'

const pascal = (name: string) =>
  name.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase()).replaceAll(/[._[\]]/g, '')
const camel = (name: string) => (isConstant(name) ? name : pascal(name).replace(/^./, (letter) => letter.toLowerCase()))
const quoted = (text: string) => `'${text.replaceAll(/['\\]/g, '\\$&')}'`
const isOptional = ({ optional, nullable }: Field) => optional || nullable
/** Parameters with defaults come last. */
const requiredFirst = (fields: readonly Field[]) => [...fields].sort((a, b) => Number(a.optional) - Number(b.optional))

const fileOf = (space: string, body: string) =>
  `<?php\n\n// ${generatedNote}\n\ndeclare(strict_types=1);\n\nnamespace ${space};\n\n${body.trimEnd()}\n`

const kinds = {
  text: 'string',
  time: 'string',
  integer: 'int',
  decimal: 'string',
  boolean: 'bool',
  any: 'mixed',
  list: 'array',
  map: 'array',
}
const typeOf = (type: FieldType) => (type.kind === 'object' ? type.name : kinds[type.kind])

function docTypeOf(type: FieldType): string {
  if (type.kind === 'list') return `list<${docTypeOf(type.of)}>`
  if (type.kind === 'map') return 'array<string, string>'
  return type.kind === 'decimal' ? 'numeric-string' : typeOf(type)
}

/** The declared type; the lists of a response are empty rather than null. */
function declaredOf(field: Field, isRequest: boolean): string {
  const canBeNull = isOptional(field) && field.type.kind !== 'any' && (isRequest || field.type.kind !== 'list')
  return `${canBeNull ? '?' : ''}${typeOf(field.type)}`
}

const docOf = (fields: readonly Field[], indent: string) => {
  const lines = fields
    .filter(({ type, about }) => ['list', 'map', 'decimal'].includes(type.kind) || about !== '')
    .map((field) => {
      const type = `${docTypeOf(field.type)}${isOptional(field) && field.type.kind !== 'any' ? '|null' : ''}`
      return `${indent} * @param ${type} $${camel(field.name)} ${field.about}`.trimEnd()
    })
  return lines.length === 0 ? '' : `${indent}/**\n${lines.join('\n')}\n${indent} */\n`
}

/** Reads a field of a decoded response. */
function readOf({ name, type, optional, nullable }: Field): string {
  const value = `$data[${quoted(name)}]`
  const canBeNull = optional || nullable
  if (type.kind === 'list') {
    const list = canBeNull ? `${value} ?? []` : value
    return type.of.kind === 'object' ? `array_map(${type.of.name}::from(...), ${list})` : list
  }
  const whole = { object: type.kind === 'object' ? `${type.name}::from(${value})` : '', decimal: `(string) ${value}` }
  if (type.kind !== 'object' && type.kind !== 'decimal') return canBeNull ? `${value} ?? null` : value
  return canBeNull ? `isset(${value}) ? ${whole[type.kind]} : null` : whole[type.kind]
}

/** Writes a field of a request. */
function writeOf({ name, type, optional }: Field, variable: string): string {
  const safe = optional ? '?' : ''
  const value = () => {
    if (type.kind === 'decimal') return optional ? `Decimal::orNull(${variable})` : `new Decimal(${variable})`
    if (type.kind === 'object') return `${variable}${safe}->toArray()`
    if (type.kind !== 'list' || type.of.kind !== 'object') return variable
    const list = `array_map(static fn (${type.of.name} $item): array => $item->toArray(), ${variable})`
    return optional ? `${variable} === null ? null : ${list}` : list
  }
  return `${quoted(name)} => ${value()},`
}

function classOf({ name, fields }: ObjectType, requests: ReadonlySet<string>): string {
  const isRequest = requests.has(name)
  const ordered = isRequest ? requiredFirst(fields) : fields
  const properties = ordered.map(
    (field) =>
      `        public readonly ${declaredOf(field, isRequest)} $${camel(field.name)}${isRequest && field.optional ? ' = null' : ''},\n`,
  )
  const methods = isRequest
    ? `    /** @return array<string, mixed> */
    public function toArray(): array
    {
        $fields = [
${fields.map((field) => `            ${writeOf(field, `$this->${camel(field.name)}`)}\n`).join('')}        ];

        return array_filter($fields, static fn (mixed $field): bool => $field !== null);
    }`
    : `    /** @param array<string, mixed> $data */
    public static function from(array $data): self
    {
        return new self(
${fields.map((field) => `            ${readOf(field)},\n`).join('')}        );
    }`
  return `final class ${name}
{
${docOf(ordered, '    ')}    public function __construct(
${properties.join('')}    ) {
    }

${methods}
}
`
}

function typesFile(data: PackageData): string {
  const { types, inputTypes, controlTypes, endpoints, calls } = data
  const requests = new Set([...requestTypeNames(data), ...inputTypes.map(({ name }) => name)])
  // Requests themselves are parameters of methods.
  const isRequest = (name: string) => [...endpoints, ...calls].some(({ request }) => request === name)
  const classes = [...[...types, ...inputTypes].filter(({ name }) => !isRequest(name)), ...controlTypes]
  return fileOf(
    'PaymentsSandbox\\Type',
    `use PaymentsSandbox\\Decimal;\n\n${classes.map((type) => classOf(type, requests)).join('\n')}`,
  )
}

/** The parameters of a method, their documentation, and the array that they become. */
function parametersOf(request: string | null, types: readonly ObjectType[]) {
  const fields = types.find((type) => type.name === request)?.fields ?? []
  const ordered = requiredFirst(fields)
  const parameters = ordered.filter(isPlain).map((field) => {
    const type = field.type.kind === 'object' ? `Type\\${field.type.name}` : typeOf(field.type)
    if (!field.optional) return `${type} $${camel(field.name)}`
    return `${type === 'mixed' ? '' : '?'}${type} $${camel(field.name)} = null`
  })
  const rows = fields.filter(isPlain).map((field) => `            ${writeOf(field, `$${camel(field.name)}`)}\n`)
  const doc = ordered
    .filter((field) => isPlain(field) && ['list', 'map', 'decimal'].includes(field.type.kind))
    .map((field) => {
      const type = docTypeOf(field.type).replace(/<(?=[A-Z])/, '<Type\\')
      return `     * @param ${type}${field.optional ? '|null' : ''} $${camel(field.name)}\n`
    })
  const body = rows.length === 0 ? '[]' : `[\n${rows.join('')}        ]`
  return { parameters, doc: `${doc.join('')}${doc.length > 0 ? '     *\n' : ''}`, body }
}

/** Attachments are the last parameter. */
const isPlain = ({ name }: Field) => name !== 'files[]'

function methodOf(endpoint: EndpointData, types: readonly ObjectType[]): string {
  const { name, title, method, path, signed, input, request, response } = endpoint
  const { parameters, doc, body } = parametersOf(request, types)
  const isForm = input === 'multipart'
  const all = [...parameters, ...(isForm ? ['Upload ...$files'] : [])]
  return `    /**
     * ${title}: ${method} ${path}.
     *
${doc}     * @throws ApiException
     */
    public function ${name}(${all.join(', ')}): Type\\${response}
    {
        $fields = ${body};

        return Type\\${response}::from($this->send(${quoted(method)}, ${quoted(path)}, ${quoted(input)}, ${signed}, $fields${isForm ? ', $files' : ''}));
    }
`
}

/** A method that sends a call of the control API. */
function controlMethodOf(call: CallData, types: readonly ObjectType[]): string {
  const { name, title, method, path, places, input, request, response, item } = call
  const { parameters, doc, body } = parametersOf(request, types)
  const all = [...places.map((place) => `string $${place}`), ...parameters]
  const target = quoted(path)
    .replaceAll(/\{(\w+)\}/g, "' . rawurlencode($$$1) . '")
    .replace(/ \. ''$/, '')
  const result = item !== null ? 'array' : response === null ? 'void' : `Type\\${response}`
  const sent = `$this->call(${quoted(method)}, ${target}, ${quoted(input)}, ${request === null ? '[]' : `$fields${item === null ? '' : ` + ['limit' => ${listLimit}]`}`})`
  const returned = response === null ? sent : `return Type\\${response}::from(${sent})${item === null ? '' : '->data'}`
  const list = item === null ? '' : `     * @return list<Type\\${item}>\n     *\n`
  return `    /**
     * ${sentence(title)}
     *
${doc}${list}     * @throws ApiException
     */
    public function ${name}(${all.join(', ')}): ${result}
    {
${request === null ? '' : `        $fields = ${body};\n\n`}        ${returned};
    }
`
}

const withTypes = (code: string) => code.replaceAll(/static fn \((\w+) /g, 'static fn (Type\\$1 ')

const callFiles = ({ calls, inputTypes }: PackageData) =>
  Object.fromEntries(
    callGroups.map((group) => {
      const { type, about } = callTypes[group]
      const methods = calls.filter((call) => call.group === group).map((call) => controlMethodOf(call, inputTypes))
      return [
        `packages/php/src/${type}.php`,
        fileOf(
          'PaymentsSandbox',
          `/** ${about} */
trait ${type}
{
${withTypes(methods.join('\n'))}
    /**
     * @param array<string, mixed> $fields
     *
     * @return array<string, mixed>
     */
    abstract protected function call(string $method, string $path, string $input, array $fields): array;
}`,
        ),
      ]
    }),
  )

function endpointsFile({ endpoints, types }: PackageData): string {
  const methods = endpoints.filter(({ name }) => name !== 'token').map((endpoint) => methodOf(endpoint, types))
  return fileOf(
    'PaymentsSandbox',
    `/** The endpoints of the platform API, as methods of Client. */
trait Endpoints
{
${withTypes(methods.join('\n'))}
    /**
     * @param array<string, mixed> $fields
     * @param list<Upload> $files
     *
     * @return array<string, mixed>
     */
    abstract private function send(string $method, string $path, string $input, bool $signed, array $fields, array $files = []): array;
}`,
  )
}

const casesOf = (rows: readonly { name: string; about: string }[]) =>
  rows.map(({ name, about }) => `    /** ${about}. */\n    case ${pascal(name)} = ${quoted(name)};\n`).join('')

function actionFile({ actions }: PackageData): string {
  const rows = actions.map(({ name, title, params }) => {
    const all = params.map((param) => `${param.name}${param.required ? ' (required)' : ''}`).join(', ')
    return { name, about: `${title}${all === '' ? '' : `; parameters: ${all}`}` }
  })
  return fileOf(
    'PaymentsSandbox',
    `/** What can happen to an object, such as a payment. */\nenum Action: string\n{\n${casesOf(rows)}}`,
  )
}

function eventFile({ events }: PackageData): string {
  const arms = events.map(({ name, data }) => `            self::${pascal(name)} => Type\\${data}::from($data),\n`)
  return fileOf(
    'PaymentsSandbox',
    `/** Events of the platform. */
enum EventName: string
{
${casesOf(events.map(({ name, sentWhen }) => ({ name, about: sentWhen })))}
    /**
     * Returns the data of an event as its type.
     *
     * @param array<string, mixed> $data
     */
    public function dataOf(array $data): object
    {
        return match ($this) {
${arms.join('')}        };
    }
}`,
  )
}

function constantsFile({
  chaosPresets,
  errors,
  headers: { call, answer, webhook },
  signatureWindowSeconds,
  endpoints,
}: PackageData) {
  const codes = errors.map(({ code, message }) => `    /** ${message} */\n    public const ${code} = '${code}';\n`)
  const token = endpoints.find(({ name }) => name === 'token')
  const names = {
    SIGNATURE: call.signature,
    TIMESTAMP: call.timestamp,
    NONCE: call.nonce,
    ADMIN_TOKEN: call.adminToken,
    REQUEST_ID: answer.requestId,
    WEBHOOK_SIGNATURE: webhook.signature,
    WEBHOOK_TIMESTAMP: webhook.timestamp,
    TOKEN_PATH: token?.path ?? '',
  }
  const presets = Object.entries(chaosPresets).map(
    ([name, faults]) => `        ${quoted(name)} => ${quoted(faults)},\n`,
  )
  const facts = Object.entries(names).map(([name, value]) => `    public const ${name} = ${quoted(value)};\n`)
  return {
    'packages/php/src/ErrorCode.php': fileOf(
      'PaymentsSandbox',
      `/** Codes of ApiException. */\nfinal class ErrorCode\n{\n${codes.join('')}}`,
    ),
    'packages/php/src/Protocol.php': fileOf(
      'PaymentsSandbox',
      `/**\n * Headers and limits of the platform API.\n *\n * @internal\n */\nfinal class Protocol\n{\n${facts.join('')}    public const SIGNATURE_WINDOW_SECONDS = ${signatureWindowSeconds};\n    /** The words that start the published program; none before it is published. */\n    public const NPX = [${coordinates.npx.map(quoted).join(', ')}];\n    /** Faults of each preset, as JSON. */\n    public const CHAOS_PRESETS = [\n${presets.join('')}    ];\n}`,
    ),
  }
}

export const php: Renderer = (data) => ({
  'packages/php/src/Action.php': actionFile(data),
  'packages/php/src/EventName.php': eventFile(data),
  'packages/php/src/Endpoints.php': endpointsFile(data),
  'packages/php/src/Type/types.php': typesFile(data),
  ...callFiles(data),
  ...constantsFile(data),
})
