/** Renders the tables for the package for Python: `payments_sandbox/platform.py`. */

import { coordinates } from './coordinates.js'
import {
  type CallData,
  type EndpointData,
  type Field,
  type FieldType,
  generatedNote,
  listLimit,
  type PackageData,
  type Renderer,
} from './data.js'
import { callGroups, callTypes, decimalFields, requestTypeNames, sentence, snake } from './words.js'

const file = 'packages/python/src/payments_sandbox/platform.py'

const quote = (text: string) => JSON.stringify(text)
const literal = (values: readonly string[]) => `Literal[${values.map(quote).join(', ')}]`
const doc = (text: string) => `"""${text.replaceAll('\\', '\\\\')}"""`

/** A literal type of a table, one value in each line. */
const choice = (name: string, about: string, values: readonly string[]) =>
  `${name} = Literal[\n${values.map((value) => `    ${quote(value)},`).join('\n')}\n]\n${doc(about)}`

/** Python's name of a type. `input` accepts whatever can become an exact decimal. */
function typeText(type: FieldType, data: PackageData, input: boolean): string {
  if (type.kind === 'list') return `List[${typeText(type.of, data, input)}]`
  if (type.kind === 'object') return type.name
  if (type.kind !== 'text') {
    const decimal = input ? 'Amount' : 'Decimal'
    return { integer: 'int', decimal, boolean: 'bool', time: 'str', map: 'Dict[str, str]', any: 'Any' }[type.kind]
  }
  const { values } = type
  if (values.length === 0) return 'str'
  if (values.join() === data.currencies.join()) return 'Currency'
  if (values.join() === data.networks.join()) return 'Network'
  if (values.join() === data.events.map(({ name }) => name).join()) return 'EventName'
  return literal(values)
}

const isAbsentable = ({ optional, nullable }: Field) => optional || nullable

/** Fields without a default come first, as the language requires. */
const ordered = (fields: readonly Field[]) => [...fields].sort((a, b) => Number(a.optional) - Number(b.optional))

function resultType(name: string, fields: readonly Field[], data: PackageData): string {
  const lines = ordered(fields).map((field) => {
    const type = typeText(field.type, data, false)
    const text = isAbsentable(field) ? `Optional[${type}]` : type
    const about = field.about === '' ? '' : `\n    ${doc(sentence(field.about))}`
    return `    ${snake(field.name)}: ${text}${field.optional ? ' = None' : ''}${about}`
  })
  if (name !== 'Webhook') return `@dataclass(frozen=True)\nclass ${name}:\n${lines.join('\n')}`
  const payload = `    data: Data\n    """The payload; its type follows from the name of the event."""`
  return `@dataclass(frozen=True)\nclass Webhook(Generic[Data]):\n${[payload, ...lines].join('\n')}`
}

const dataclass = (name: string, about: string, fields: readonly string[]) =>
  `@dataclass(frozen=True)\nclass ${name}:\n    ${doc(about)}\n\n${fields.map((field) => `    ${field}`).join('\n')}`

/** A dictionary with the names of the wire: an object within a request. */
function requestType(name: string, fields: readonly Field[], data: PackageData): string {
  const lines = (part: readonly Field[]) =>
    part.map((field) => {
      const about = field.about === '' ? '' : `\n    ${doc(sentence(field.about))}`
      return `    ${field.name}: ${typeText(field.type, data, true)}${about}`
    })
  const required = fields.filter(({ optional }) => !optional)
  const optional = fields.filter((field) => field.optional)
  if (required.length === 0) return `class ${name}(TypedDict, total=False):\n${lines(optional).join('\n')}`
  if (optional.length === 0) return `class ${name}(TypedDict):\n${lines(required).join('\n')}`
  const base = `class _${name}(TypedDict):\n${lines(required).join('\n')}`
  return `${base}\n\n\nclass ${name}(_${name}, total=False):\n${lines(optional).join('\n')}`
}

/** Files are given as `files`. */
const parameterOf = (name: string) => (name === 'from' ? 'from_' : snake(name.replace('[]', '')))

/** The parameters of the fields of a request, their descriptions, and the dictionary that they become. */
function parametersOf(request: string | null, types: PackageData['types'], data: PackageData) {
  const fields = ordered(types.find(({ name }) => name === request)?.fields ?? [])
  const parameters = fields.map((field) => {
    const type = field.name.endsWith('[]') ? 'Sequence[Upload]' : typeText(field.type, data, true)
    return `${parameterOf(field.name)}: ${field.optional ? `Optional[${type}] = None` : type}`
  })
  const notes = fields
    .filter(({ about }) => about !== '')
    .map(({ name, about }) => `        :param ${parameterOf(name)}: ${sentence(about)}`)
  const body = fields.map(({ name }) => `            ${quote(name)}: ${parameterOf(name)},`)
  return { parameters, notes, sent: body.length === 0 ? '{}' : `{\n${body.join('\n')}\n        }` }
}

function method(endpoint: EndpointData, data: PackageData): string {
  const { parameters, notes, sent } = parametersOf(endpoint.request, data.types, data)
  const all = ['self', '*', ...parameters, 'scenario: Optional[str] = None']
  const signed = endpoint.signed ? 'True' : 'False'
  return [
    `    def ${snake(endpoint.name)}(`,
    ...all.map((parameter) => `        ${parameter},`),
    `    ) -> ${endpoint.response}:`,
    `        """${sentence(endpoint.title)} \`\`${endpoint.method} ${endpoint.path}\`\``,
    '',
    ...notes,
    '        :param scenario: Applies this scenario to this request.',
    `        """`,
    `        fields: Dict[str, Any] = ${sent}`,
    `        call = Call(${quote(endpoint.method)}, ${quote(endpoint.path)}, ${quote(endpoint.input)}, ${signed}, scenario)`,
    `        return cast(${endpoint.response}, self._call(call, fields, ${endpoint.response}))`,
  ].join('\n')
}

/** A method that sends a call of the control API. */
function controlMethod(
  { name, title, method, path, places, input, request, response, item }: CallData,
  data: PackageData,
) {
  const { parameters, notes, sent } = parametersOf(request, data.inputTypes, data)
  const all = [
    'self',
    ...places.map((place) => `${place}: str`),
    ...(parameters.length === 0 ? [] : ['*', ...parameters]),
  ]
  const result = item === null ? (response ?? 'None') : `List[${item}]`
  const target = places.length === 0 ? quote(path) : `f${quote(path.replaceAll(/\{(\w+)\}/g, '{quote($1)}'))}`
  const summary = `${sentence(title)} \`\`${method} ${path}\`\``
  const fields = item === null ? sent : sent.replace(/\n {8}\}$/, `\n            "limit": ${listLimit},\n        }`)
  const call = `self._request(${quote(method)}, ${target}, ${quote(input)}, ${fields}, ${response ?? 'Any'})`
  return [
    `    def ${snake(name)}(`,
    ...all.map((parameter) => `        ${parameter},`),
    `    ) -> ${result}:`,
    ...(notes.length === 0 ? [`        ${doc(summary)}`] : [`        """${summary}`, '', ...notes, '        """']),
    response === null ? `        ${call}` : `        return cast(${response}, ${call})${item === null ? '' : '.data'}`,
  ].join('\n')
}

const callClasses = (data: PackageData) => [
  `class Calls:
    """Sends calls of the control API."""

    def _request(self, method: str, path: str, input: str, fields: Mapping[str, Any], result: Any) -> Any:
        raise NotImplementedError`,
  ...callGroups.map((group) => {
    const methods = data.calls.filter((call) => call.group === group).map((call) => controlMethod(call, data))
    return `class ${callTypes[group].type}(Calls):\n    ${doc(callTypes[group].about)}\n\n${methods.join('\n\n')}`
  }),
]

const waits = (data: PackageData) =>
  data.events.map(
    ({ name, data: type, sentWhen }) => `    @overload
    def wait_for(
        self,
        event: Literal[${quote(name)}],
        *,
        transaction_id: Optional[str] = None,
        external_id: Optional[str] = None,
        timeout: Duration = "5s",
    ) -> Webhook[${type}]:
        ${doc(sentence(sentWhen))}
`,
  )

const rows = (table: readonly (readonly [string, string])[]) =>
  table.map(([key, value]) => `    ${quote(key)}: ${value},`).join('\n')

const mapping = (name: string, type: string, table: readonly (readonly [string, string])[], about = '') =>
  `${name}: Mapping[${type}] = {\n${rows(table)}\n}${about === '' ? '' : `\n${doc(about)}`}`

const headers = (name: string, table: Readonly<Record<string, string>>) =>
  mapping(
    name,
    'str, str',
    Object.entries(table).map(([key, header]) => [snake(key), quote(header)]),
  )

/** What the hand-written modules and the tables have in common. */
const common = [
  `from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any, Dict, Generic, List, Literal, Mapping, Optional, Sequence, Type, TypedDict, TypeVar, Union
from typing import cast, overload
from urllib.parse import quote

__tracebackhide__ = True  # pytest leaves the frames of this module out of a failure's traceback.`,
  `Amount = Union[Decimal, str, int]
"""An exact amount. A \`\`float\`\` is rejected, because it is not exact."""

Duration = Union[timedelta, str, int]
"""A \`\`timedelta\`\`, a number of seconds, or text such as \`\`10m\`\`."""

Data = TypeVar("Data")`,
  dataclass('ErrorInfo', 'A row of the catalogue of errors.', [
    'status: int',
    'group: str',
    'retryable: bool',
    'message: str',
  ]),
  dataclass('Call', 'How an endpoint is called.', [
    'method: str',
    'path: str',
    'input: str',
    'signed: bool',
    'scenario: Optional[str]',
  ]),
  dataclass('Upload', 'A file that is attached to a reply to a dispute.', ['name: str', 'content: bytes', 'type: str']),
  dataclass('Event(Generic[Data])', 'An event as the platform sends it in a webhook.', [
    'event: str',
    'timestamp: str',
    'transaction_id: str',
    'data: Data',
  ]),
]

const names = (table: readonly { name: string }[]) => table.map(({ name }) => name)

const tables = (data: PackageData): string[] => [
  choice('Action', 'What can be triggered.', names(data.actions)),
  choice(
    'ErrorCode',
    'The codes of all errors.',
    data.errors.map(({ code }) => code),
  ),
  choice('EventName', 'The names of all events.', names(data.events)),
  choice('Currency', 'The currencies.', data.currencies),
  choice('Network', 'The networks of crypto payments.', data.networks),
  mapping(
    'ERRORS',
    'ErrorCode, ErrorInfo',
    data.errors.map(({ code, status, group, retryable, message }) => [
      code,
      `ErrorInfo(${status}, ${quote(group)}, ${retryable ? 'True' : 'False'}, ${quote(message)})`,
    ]),
    'Status, group, whether a retry can succeed, and message of each code.',
  ),
  mapping('CHAOS_PRESETS', 'str, Mapping[str, Any]', Object.entries(data.chaosPresets), 'Faults of each preset.'),
  `NPX: List[str] = [${coordinates.npx.map(quote).join(', ')}]\n${doc('The words that start the published program; none before it is published.')}`,
  headers('CALL_HEADERS', data.headers.call),
  headers('ANSWER_HEADERS', data.headers.answer),
  headers('WEBHOOK_HEADERS', data.headers.webhook),
  `TOKEN_PATH = ${quote(data.endpoints.find(({ name }) => name === 'token')?.path ?? '')}`,
  `TOLERANCE_SECONDS = ${data.signatureWindowSeconds}\n${doc('Largest accepted age of a webhook.')}`,
  `DECIMAL_FIELDS = frozenset({${decimalFields(data).map(quote).join(', ')}})\n${doc('Fields of requests that are sent as exact decimals.')}`,
]

/** A request itself has no type: its fields are the parameters of a method. */
function types(data: PackageData): string[] {
  const inputs = new Set([...requestTypeNames(data), ...data.inputTypes.map(({ name }) => name)])
  const isRequest = (name: string) => [...data.endpoints, ...data.calls].some(({ request }) => request === name)
  return [...data.inputTypes, ...data.controlTypes, ...data.types]
    .filter(({ name }) => !name.startsWith('Token') && !isRequest(name))
    .map(({ name, fields }) => (inputs.has(name) ? requestType(name, fields, data) : resultType(name, fields, data)))
}

const endpointsClass = (data: PackageData) => `class Endpoints:
    """One method for each endpoint of the platform API. Each raises \`\`SandboxError\`\` if the platform rejects the request."""

    def _call(self, call: Call, fields: Mapping[str, Any], result: Type[Any]) -> Any:
        raise NotImplementedError

${data.endpoints
  .filter(({ name }) => name !== 'token')
  .map((endpoint) => method(endpoint, data))
  .join('\n\n')}`

const eventsClass = (data: PackageData) => `class Events:
    """Waits for an event; the type of its \`\`data\`\` follows from its name."""

    def _wait_for(self, event: str, **options: Any) -> Webhook[Any]:
        raise NotImplementedError

${waits(data).join('\n')}
    def wait_for(self, event: str, **options: Any) -> Webhook[Any]:
        """Return the newest event of this name that was acknowledged or has no webhook URL.

        :raises SandboxError: \`\`WAIT_TIMEOUT\`\` with the events that happened instead.
        """
        return self._wait_for(event, **options)`

export const python: Renderer = (data) => {
  const eventTypes = data.events.map(({ name, data: type }) => [name, type] as const)
  const parts = [
    `"""Actions, errors, events and endpoints of the platform. ${generatedNote}"""`,
    ...common,
    ...tables(data),
    ...types(data),
    mapping('EVENT_DATA', 'str, Type[Any]', eventTypes, 'The type of ``data`` of each event.'),
    endpointsClass(data),
    ...callClasses(data),
    eventsClass(data),
  ]
  return { [file]: `${parts.join('\n\n\n')}\n` }
}
