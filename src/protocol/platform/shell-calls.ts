/** Writes a call of the API, from the token to the response: as shell commands, and as a program in the languages of the dashboard. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the programs that are written
import { requestHeaders, tokenPath } from './headers.js'

export interface ShellCall {
  method: string
  path: string
  signed: boolean
  /** The exact text that is sent; empty if there is no body. */
  body: string
}

export interface ShellCredential {
  clientId: string
  clientSecret: string
  signingKey: string
}

export const quoteForShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
/** Returns text unchanged if a shell reads it as one word; otherwise quotes it. */
export const word = (text: string) => (/^[\w.,:@/-]+$/.test(text) ? text : quoteForShell(text))
/** A filter that prints one text field of a JSON answer. */
export const fieldOf = (field: string) => `sed 's/.*"${field}":"\\([^"]*\\)".*/\\1/'`
export const lines = (parts: readonly string[]) => parts.join(' \\\n  ')

export const bearer = `-H "Authorization: Bearer $TOKEN"`
export const jsonHeader = `-H 'Content-Type: application/json'`

export const tokenCall = (baseUrl: string, { clientId, clientSecret }: ShellCredential) =>
  lines([
    `curl -s ${baseUrl}${tokenPath}`,
    `-u ${word(`${clientId}:${clientSecret}`)}`,
    jsonHeader,
    `-d '{"grant_type":"client_credentials"}'`,
  ])

/** Sets TOKEN for the following commands. */
export const tokenStep = (baseUrl: string, credential: ShellCredential) =>
  `TOKEN=$(${tokenCall(baseUrl, credential)} \\\n  | ${fieldOf('access_token')})`

/** Sets BODY, TIMESTAMP, NONCE and SIGNATURE. */
export const signSteps = (body: string, { signingKey }: ShellCredential) => [
  `BODY=${quoteForShell(body)}`,
  'TIMESTAMP=$(date +%s)',
  // Makes a UUID v4 with openssl, because uuidgen is not installed everywhere.
  "NONCE=$(openssl rand -hex 16 \\\n  | sed 's/\\(.\\{8\\}\\)\\(.\\{4\\}\\).\\(...\\).\\(...\\)/\\1-\\2-4\\3-a\\4-/')",
  `SIGNATURE=$(printf '%s' "$TIMESTAMP.$NONCE.$BODY" \\\n  | openssl dgst -sha256 -hmac ${word(signingKey)} \\\n  | sed 's/^.* //')`,
]

/** The curl options that use the variables of `signSteps`: three headers and the body. */
export const signedParts = [
  `-H "${requestHeaders.timestamp}: $TIMESTAMP"`,
  `-H "${requestHeaders.nonce}: $NONCE"`,
  `-H "${requestHeaders.signature}: $SIGNATURE"`,
  '-d "$BODY"',
]

/** A complete call, from the token to the answer. */
export function callSteps(baseUrl: string, credential: ShellCredential, call: ShellCall): string {
  const { method, path, signed, body } = call
  const target = `curl -s ${word(baseUrl + path)}`
  const token = tokenStep(baseUrl, credential)
  if (signed)
    return [token, ...signSteps(body, credential), lines([target, bearer, jsonHeader, ...signedParts])].join('\n')
  const verb = method === 'GET' || (method === 'POST' && body !== '') ? [] : [`-X ${method}`]
  const sent = body === '' ? [] : [jsonHeader, `-d ${quoteForShell(body)}`]
  return [token, lines([target, ...verb, bearer, ...sent])].join('\n')
}

type Writer = (baseUrl: string, credential: ShellCredential, call: ShellCall) => string

/** A string literal of JavaScript and of Python; both read the escapes of JSON. */
const quoted = (text: string) => (/^[^'\\\p{C}]*$/u.test(text) ? `'${text}'` : JSON.stringify(text))

const { timestamp, nonce, signature } = requestHeaders
const grant = quoted('{"grant_type":"client_credentials"}')

const node: Writer = (baseUrl, { clientId, clientSecret, signingKey }, { method, path, signed, body }) =>
  [
    ...(signed ? ['import { createHmac, randomUUID } from "node:crypto"', ''] : []),
    `const url = ${quoted(baseUrl)}`,
    `const headers = { 'Content-Type': 'application/json' }`,
    `const basic = btoa(${quoted(`${clientId}:${clientSecret}`)})`,
    `const token = await fetch(\`\${url}${tokenPath}\`, {`,
    `  method: 'POST',`,
    `  headers: { ...headers, Authorization: \`Basic \${basic}\` },`,
    `  body: ${grant},`,
    '})',
    'headers.Authorization = `Bearer ${(await token.json()).access_token}`',
    '',
    `const body = ${quoted(body)}`,
    ...(signed
      ? [
          'const timestamp = String(Math.floor(Date.now() / 1000))',
          'const nonce = randomUUID()',
          `const hmac = createHmac('sha256', ${quoted(signingKey)})`,
          `headers['${timestamp}'] = timestamp`,
          `headers['${nonce}'] = nonce`,
          `headers['${signature}'] = hmac.update(\`\${timestamp}.\${nonce}.\${body}\`).digest('hex')`,
        ]
      : []),
    `const response = await fetch(\`\${url}${path}\`, { method: '${method}', headers, body })`,
    'console.log(await response.text())',
  ].join('\n')

const python: Writer = (baseUrl, { clientId, clientSecret, signingKey }, { method, path, signed, body }) =>
  [
    `import base64, ${signed ? 'hashlib, hmac, json, time, uuid' : 'json'}`,
    'from urllib.request import Request, urlopen',
    '',
    `url = ${quoted(baseUrl)}`,
    "headers = {'Content-Type': 'application/json'}",
    `basic = base64.b64encode(${quoted(`${clientId}:${clientSecret}`)}.encode()).decode()`,
    `token = Request(url + '${tokenPath}', ${grant}.encode(),`,
    "                {**headers, 'Authorization': f'Basic {basic}'}, method='POST')",
    "headers['Authorization'] = 'Bearer ' + json.load(urlopen(token))['access_token']",
    '',
    `body = ${quoted(body)}`,
    ...(signed
      ? [
          'timestamp, nonce = str(int(time.time())), str(uuid.uuid4())',
          "text = f'{timestamp}.{nonce}.{body}'.encode()",
          `headers['${timestamp}'] = timestamp`,
          `headers['${nonce}'] = nonce`,
          `headers['${signature}'] = hmac.new(${quoted(signingKey)}.encode(), text, hashlib.sha256).hexdigest()`,
        ]
      : []),
    `call = Request(url + '${path}', body.encode(), headers, method='${method}')`,
    'print(urlopen(call).read().decode())',
  ].join('\n')

export const codeSamples = {
  curl: { label: 'curl', write: callSteps },
  node: { label: 'Node.js', write: node },
  python: { label: 'Python', write: python },
} as const satisfies Record<string, { label: string; write: Writer }>
