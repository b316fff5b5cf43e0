/** Writes a call of the API, from the token to the response, as a program. In its own script, which is loaded when it is needed. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the programs that are written

import type { callSteps } from '../../protocol/platform/shell-calls.js'

export type Writer = typeof callSteps
/** Names of the API: a script that imports nothing shares nothing with the first one. */
type WriterWith = (names: Record<'timestamp' | 'nonce' | 'signature' | 'tokenPath', string>) => Writer

/** A string literal of JavaScript and of Python; both read the escapes of JSON. */
const quoted = (text: string) => (/^[^'\\\p{C}]*$/u.test(text) ? `'${text}'` : JSON.stringify(text))

const grant = quoted('{"grant_type":"client_credentials"}')

const node: WriterWith =
  ({ timestamp, nonce, signature, tokenPath }) =>
  (baseUrl, { clientId, clientSecret, signingKey }, { method, path, signed, body }) =>
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

const python: WriterWith =
  ({ timestamp, nonce, signature, tokenPath }) =>
  (baseUrl, { clientId, clientSecret, signingKey }, { method, path, signed, body }) =>
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

export const programs = { node, python }
