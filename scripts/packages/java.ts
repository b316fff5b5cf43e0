/** Renders the tables for the package for Java: types, actions, errors, events and endpoints. */

import { coordinates } from './coordinates.js'
import {
  type ActionData,
  type CallData,
  type EndpointData,
  generatedNote,
  listLimit,
  type PackageData,
  type Renderer,
} from './data.js'
import { escaped, javadoc, quote, record, request } from './java-types.js'
import { callGroups, callTypes, onlyFieldOf, requestTypeNames, sentence } from './words.js'

const folder = 'packages/java/src/main/java/payments/sandbox'

const constant = (name: string) => name.replaceAll('.', '_').toUpperCase()

const file = (name: string, about: string, imports: readonly string[], code: string) =>
  [
    `${folder}/${name}.java`,
    `// ${generatedNote}\npackage payments.sandbox;\n\n${imports.map((one) => `import ${one};`).join('\n')}${imports.length === 0 ? '' : '\n\n'}${javadoc('', [about])}\n${code}\n`,
  ] as const

function method(endpoint: EndpointData): string {
  const { name, title, method, path, input, signed, response } = endpoint
  const parameter = endpoint.request === null ? '' : `${endpoint.request} request`
  const sent = endpoint.request === null ? 'new Request()' : 'request'
  return `${javadoc('  ', [
    `${escaped(sentence(title))} {@code ${method} ${path}}`,
    '',
    '@throws SandboxException if the platform rejects the request',
  ])}
  public ${response} ${name}(${parameter}) {
    Call call = new Call(${[method, path, input].map(quote).join(', ')}, ${signed});
    return send(call, ${sent}).map(${response}::from);
  }`
}

/** A method that sends a call of the control API; a second one without fields, if all are optional. */
function controlMethod(call: CallData, types: PackageData['inputTypes']): string {
  const { name, title, method, path, places, input, request, response, item } = call
  const fields = types.find((type) => type.name === request)?.fields ?? []
  const onlyField = onlyFieldOf(request, types)
  const parameters = places.map((place) => `String ${place}`)
  const given = request === null ? [] : [onlyField === undefined ? `${request} fields` : `String ${onlyField}`]
  const result = item === null ? (response ?? 'void') : `List<${item}>`
  const sent =
    request === null ? 'null' : onlyField === undefined ? 'fields' : `Map.of(${quote(onlyField)}, ${onlyField})`
  const target = quote(path)
    .replaceAll(/\{(\w+)\}/g, '" + place($1) + "')
    .replace(/ \+ ""$/, '')
  const query =
    input === 'query' && request !== null
      ? ` + "?${item === null ? '' : `limit=${listLimit}&`}" + ApiClient.query(fields.fields)`
      : ''
  const send = `control().send(${quote(method)}, ${target}${query}, ${input === 'json' ? sent : 'null'})`
  const body = response === null ? send : `return ${response}.from(${send})${item === null ? '' : '.data()'}`
  const text = `${javadoc('    ', [escaped(sentence(title))])}
    public ${result} ${name}(${[...parameters, ...given].join(', ')}) {
      ${body};
    }`
  if (request === null || onlyField !== undefined || fields.some(({ optional }) => !optional)) return text
  const short = `    /** The same without fields. */
    public ${result} ${name}(${parameters.join(', ')}) {
      ${response === null ? '' : 'return '}${name}(${[...places, `new ${request}()`].join(', ')});
    }`
  return `${text}\n\n${short}`
}

function calls(data: PackageData): string {
  const classes = callGroups.map((group) => {
    const methods = data.calls
      .filter((call) => call.group === group)
      .map((call) => controlMethod(call, data.inputTypes))
    return `${javadoc('  ', [callTypes[group].about])}
  public abstract static class ${callTypes[group].type} {
    abstract Sandbox.Control control();

${methods.join('\n\n')}
  }`
  })
  return `public final class Calls {
  private Calls() {}

  private static String place(String value) {
    return URLEncoder.encode(value, UTF_8);
  }

${classes.join('\n\n')}
}`
}

function headers({ headers: { call, answer, webhook } }: PackageData): string {
  const used = {
    ...call,
    requestId: answer.requestId,
    webhookSignature: webhook.signature,
    webhookTimestamp: webhook.timestamp,
  }
  const lines = Object.entries(used).map(
    ([key, name]) => `  static final String ${key.replace(/[A-Z]/g, '_$&').toUpperCase()}_HEADER = ${quote(name)};`,
  )
  return lines.join('\n')
}

function action({ name, title, params }: ActionData): string {
  const about = params.map((one) => `Parameter {@code ${one.name}}: ${escaped(sentence(one.about))}`)
  return `${javadoc('    ', [escaped(sentence(title)), ...about])}\n    ${constant(name)}(${quote(name)})`
}

function platform(data: PackageData): string {
  const inputs = new Set([...requestTypeNames(data), ...data.inputTypes.map(({ name }) => name)])
  const types = [...data.inputTypes, ...data.controlTypes, ...data.types].filter(
    ({ name }) => !name.startsWith('Token'),
  )
  return `public final class Platform {
${headers(data)}
  static final String TOKEN_PATH = ${quote(data.endpoints.find(({ name }) => name === 'token')?.path ?? '')};
  static final long TOLERANCE_SECONDS = ${data.signatureWindowSeconds};

  private Platform() {}

  /** What can be triggered. */
  public enum Action {
${data.actions.map(action).join(',\n')};

    final String wireName;

    Action(String wireName) {
      this.wireName = wireName;
    }
  }

  /** The currencies. */
  public enum Currency {
    ${data.currencies.join(', ')}
  }

  /** The words that start the published program; none before it is published. */
  static final List<String> NPX = List.of(${coordinates.npx.map(quote).join(', ')});

  /** Faults of each preset of chaos, as JSON. */
  static final Map<String, String> CHAOS_PRESETS = Map.of(
${Object.entries(data.chaosPresets)
  .map(([name, faults]) => `      ${quote(name)}, ${quote(faults)}`)
  .join(',\n')});

  /** The codes of all errors. */
  public enum ErrorCode {
${data.errors.map(({ code, status, retryable, message }) => `    /** ${escaped(message)} */\n    ${code}(${status}, ${retryable})`).join(',\n')};

    /** The HTTP status. */
    public final int status;
    /** Whether the same request can succeed later. */
    public final boolean retryable;

    ErrorCode(int status, boolean retryable) {
      this.status = status;
      this.retryable = retryable;
    }
  }

  /**
   * A file that is attached to a reply to a dispute.
   *
   * @param type the media type
   */
  public record Upload(String name, String type, byte[] content) {}

  /**
   * An event as the platform sends it in a webhook.
   *
   * @param <T> the type of the payload
   */
  public record Event<T>(String event, String timestamp, String transactionId, T data) {}

  /** The fields of a request. */
  public static class Request {
    final Map<String, Object> fields = new LinkedHashMap<>();

    void set(String name, Object value) {
      fields.put(name, value);
    }
  }

${types.map((type) => (inputs.has(type.name) ? request(type) : record(type))).join('\n\n')}
}`
}

const eventTypes = ({ events }: PackageData) => `public final class EventType<T> {
${events.map(({ name, sentWhen, data }) => `  /** ${escaped(sentence(sentWhen))} */\n  public static final EventType<${data}> ${constant(name)} = new EventType<>(${quote(name)}, ${data}::from);`).join('\n\n')}

  private static final List<EventType<?>> ALL = List.of(
${events.map(({ name }) => `      ${constant(name)}`).join(',\n')});

  final String name;
  private final Function<Json, T> reader;

  private EventType(String name, Function<Json, T> reader) {
    this.name = name;
    this.reader = reader;
  }

  T read(Json body) {
    return body.get("data").map(reader);
  }

  /** The payload of any event; an unknown event has plain JSON. */
  static Object readAny(Json body) {
    String event = body.get("event").text();
    for (EventType<?> type : ALL) if (type.name.equals(event)) return type.read(body);
    return body.get("data");
  }

  @Override
  public String toString() {
    return name;
  }
}`

export const java: Renderer = (data) => {
  const endpoints = data.endpoints.filter(({ name }) => name !== 'token')
  return Object.fromEntries([
    file(
      'Platform',
      'Actions, errors, and the types of requests, responses and events.',
      ['java.math.BigDecimal', 'java.util.LinkedHashMap', 'java.util.List', 'java.util.Map'],
      platform(data),
    ),
    file(
      'EventType',
      'The names of all events, each with the type of its payload.',
      [
        'java.util.List',
        'java.util.function.Function',
        ...data.events.map((event) => `payments.sandbox.Platform.${event.data}`),
      ],
      eventTypes(data),
    ),
    file(
      'Calls',
      'Calls of the control API, which {@link Sandbox} offers as methods.',
      [
        'static java.nio.charset.StandardCharsets.UTF_8',
        'java.net.URLEncoder',
        'java.util.List',
        'java.util.Map',
        'payments.sandbox.Platform.*',
      ],
      calls(data),
    ),
    file(
      'Endpoints',
      'One method for each endpoint of the platform API.',
      [
        'payments.sandbox.Platform.Request',
        ...[...new Set(endpoints.flatMap(({ request, response }) => [request ?? response, response]))]
          .sort()
          .map((name) => `payments.sandbox.Platform.${name}`),
      ],
      `public abstract class Endpoints {
  /** How an endpoint is called. */
  record Call(String method, String path, String input, boolean signed) {}

  /** Returns the {@code data} of the response. */
  abstract Json send(Call call, Request request);

${endpoints.map(method).join('\n\n')}
}`,
    ),
  ])
}
