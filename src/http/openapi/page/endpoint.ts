/** One endpoint on the page: input, output, errors, and a command to try it. */
import { type Endpoint, type EndpointName, endpoints } from '../../../protocol/platform/endpoints.js'
import { type Html, html } from '../../html.js'
import type { SandboxDocument } from '../document.js'
import type { Answer, Operation, Schema } from '../types.js'
import { curlOf, type PageContext } from './curl.js'
import { assumedMark, fieldTable, json, prose } from './fields.js'

/** Follows `$ref`s to schemas of the document, at the top and in `data`. */
function resolve(document: SandboxDocument, schema: Schema | undefined): Schema {
  if (schema?.$ref === undefined) return schema ?? {}
  return document.components.schemas[schema.$ref.slice('#/components/schemas/'.length)] ?? {}
}

export function endpointCard(document: SandboxDocument, name: EndpointName, place: PageContext): Html {
  const endpoint: Endpoint = endpoints[name]
  const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()]
  if (operation === undefined) return html``
  const success = String(endpoint.status)
  const answer = operation.responses[success]
  return html`<section class="endpoint" id="${name}">
<header><h3><a href="#${name}">${endpoint.title}</a></h3>
<p class="route"><span class="method method-${endpoint.method.toLowerCase()}">${endpoint.method}</span> <code>${endpoint.path}</code>${
    endpoint.hmac === true ? html` <span class="badge">signed</span>` : null
  }${endpoint.basis === 'assumed' ? html` ${assumedMark}` : null}</p></header>
<div class="columns"><div class="words"><p>${prose(operation.description ?? '')}</p>
${fieldTable(requestSchema(document, operation), requestCaption(endpoint), true)}
${fieldTable(dataSchema(document, answer), endpoint.auth === 'basic' ? 'Response' : 'Response, in data', false)}
${errorList(operation, success)}</div>
<div class="samples">${codeSample('Terminal', curlOf(endpoint, place))}
${codeSample(html`Response <span class="status">${success}</span>${answer?.['x-assumed'] === true ? html` ${assumedMark}` : null}`, exampleOf(answer))}</div></div>
</section>`
}

const requestCaption = ({ input }: Endpoint) =>
  input === 'query' ? 'Query' : input === 'multipart' ? 'Form (multipart/form-data)' : 'Body'

function requestSchema(document: SandboxDocument, { parameters, requestBody }: Operation): Schema {
  if (requestBody !== undefined) return resolve(document, Object.values(requestBody.content)[0]?.schema)
  const query = (parameters ?? []).filter((parameter) => parameter.in === 'query')
  return {
    properties: Object.fromEntries(
      query.map(({ name = '', schema, description, 'x-assumed': assumed }) => [
        name,
        {
          ...schema,
          ...(description === undefined ? {} : { description }),
          ...(assumed === true ? { 'x-assumed': true } : {}),
        },
      ]),
    ),
    required: query.filter(({ required }) => required).map(({ name = '' }) => name),
  }
}

function dataSchema(document: SandboxDocument, answer: Answer | undefined): Schema {
  const schema = answer?.content?.['application/json']?.schema
  return resolve(document, schema?.properties?.data ?? schema)
}

function exampleOf(answer: Answer | undefined): Html {
  const [example] = Object.values(answer?.content?.['application/json']?.examples ?? {})
  return json(example?.value)
}

export const codeSample = (caption: Html | string, code: Html | string) =>
  html`<figure class="sample"><figcaption>${caption}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`

function errorList(operation: Operation, success: string): Html {
  const answers = Object.entries(operation.responses).filter(([status]) => status !== success)
  return html`<details class="errors"><summary>Errors</summary><dl>${answers.map(
    ([status, answer]) =>
      html`<div><dt>${status}</dt><dd>${Object.keys(answer.content?.['application/json']?.examples ?? {}).map(
        (code) => html`<a href="#${code}"><code>${code}</code></a> `,
      )}</dd></div>`,
  )}</dl></details>`
}
