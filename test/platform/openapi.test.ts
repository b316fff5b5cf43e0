/** The OpenAPI document: complete, well-formed, and in agreement with the tables and the responses of a running sandbox. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fetchPackage } from '../../scripts/fetch.mjs'
import { parseJson } from '../../src/base/json.js'
import { validate } from '../../src/core/endpoints/validate.js'
import { documentCache, type SandboxDocument } from '../../src/http/openapi/document.js'
import { eventExamples } from '../../src/http/openapi/examples-events.js'
import { eventSchemaName } from '../../src/http/openapi/field-descriptions.js'
import type { Schema } from '../../src/http/openapi/json-schema.js'
import { requestSchemaName } from '../../src/http/openapi/paths.js'
import { exampleBody } from '../../src/http/openapi/webhooks.js'
import { assumptions } from '../../src/protocol/platform/assumptions.js'
import { exampleInfractionId } from '../../src/protocol/platform/emulated-interface.js'
import { type Endpoint, endpointNames, endpoints, errorsOf } from '../../src/protocol/platform/endpoints.js'
import { type ErrorCode, errorCatalogue } from '../../src/protocol/platform/errors.js'
import { eventNames, eventTable } from '../../src/protocol/platform/events.js'
import { transitions } from '../../src/protocol/platform/transitions.js'
import { defaultConfig, platformSettingNames } from '../../src/protocol/settings/platform.js'
import type { RunningSandbox } from '../../src/runtime/node/sandbox.js'
import { caller, checker, misfit, operationOf } from '../support/api-document.js'
import { controlRows } from '../support/control-rows.js'
import { isDocumented } from '../support/documented.js'
import { startSandbox } from '../support/sandbox.js'

let sandbox: RunningSandbox
let document: SandboxDocument

beforeAll(async () => {
  sandbox = await startSandbox({ clock: 'manual' })
  document = (await (await fetch(`${sandbox.url}/_sandbox/openapi.json`)).json()) as SandboxDocument
})
afterAll(() => sandbox.close(0))

const errorCodes = Object.keys(errorCatalogue) as ErrorCode[]

test('the OpenAPI document passes a strict linter', () => {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document, null, 2))
  const cli = join(fetchPackage('@redocly/cli', '2.77.0'), 'bin/cli.js')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [cli, 'lint', file, '--config', 'test/openapi-lint.yaml', '--format', 'stylish'],
    { encoding: 'utf8', env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
  )
  rmSync(folder, { recursive: true })
  expect(status, stdout + stderr).toBe(0)
})

describe('the OpenAPI document', () => {
  test('has every endpoint as an operation with every error that it can return', () => {
    for (const name of endpointNames) {
      const endpoint: Endpoint = endpoints[name]
      const { operationId, responses } = operationOf(document, name)
      expect(operationId).toBe(name)
      expect(Object.keys(responses)).toContain(String(endpoint.status ?? 200))
      const listed = Object.values(responses).flatMap(({ content }) =>
        Object.values(content?.['application/json']?.examples ?? {}).flatMap(
          ({ $ref }) => $ref?.split('/').at(-1) ?? [],
        ),
      )
      expect(listed.sort(), name).toEqual([...errorsOf(endpoint)].sort())
    }
  })

  test('has every error under its own status with an example body', () => {
    for (const code of errorCodes) {
      expect(document.components.examples[code]?.value).toMatchObject({ success: false, error: { code } })
      for (const name of endpointNames.filter((one) => errorsOf(endpoints[one]).includes(code)))
        expect(
          operationOf(document, name).responses[String(errorCatalogue[code].status)]?.content?.['application/json']
            ?.examples,
        ).toHaveProperty(code)
    }
    expect(document.components.schemas.ErrorCode?.enum).toEqual(errorCodes)
  })

  test('has all sixteen events as webhooks with their headers', () => {
    expect(Object.keys(document.webhooks)).toEqual(eventNames)
    expect(eventNames).toHaveLength(16)
    const headers = Object.values(document.components.parameters).map(({ name }) => name)
    expect(headers).toEqual([
      'X-Webhook-Event',
      'X-Webhook-Signature',
      'X-Webhook-Id',
      'X-Webhook-Timestamp',
      'User-Agent',
      'X-Sandbox',
    ])
    for (const event of eventNames) expect(document.webhooks[event]?.post?.parameters).toHaveLength(headers.length)
  })

  test('has every route of the control API as an operation', () => {
    for (const { method, path } of Object.values(controlRows))
      expect(document.paths[`/_sandbox${path}`], path).toHaveProperty(method.toLowerCase())
  })

  test('has the requested address as its server, a workspace included', async () => {
    await sandbox.host.createWorkspace('described')
    const other = await (await fetch(`${sandbox.url}/w/described/_sandbox/openapi.json`)).json()
    expect(document.servers[0]?.url).toBe(sandbox.url)
    expect(other).toMatchObject({ servers: [{ url: `${sandbox.url}/w/described` }] })
  })
})

test('a cached OpenAPI document has the address and the version of each call', () => {
  const cached = documentCache()
  const first = cached({ baseUrl: 'http://127.0.0.1:1', version: '1.0.0', config: defaultConfig })
  const second = cached({ baseUrl: 'http://127.0.0.1:2', version: '2.0.0', config: defaultConfig })
  expect([first.info.version, first.servers[0]?.url]).toEqual(['1.0.0', 'http://127.0.0.1:1'])
  expect([second.info.version, second.servers[0]?.url]).toEqual(['2.0.0', 'http://127.0.0.1:2'])
})

/** The paths of the fields without a description, apart from objects, whose fields have one. */
function undescribed({ properties = {}, items, anyOf = [] }: Schema, path: string): string[] {
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...([field.description, field.$ref, field.properties].some(Boolean) ? [] : [`${path}.${name}`]),
      ...undescribed(field, `${path}.${name}`),
    ]),
    ...[...(items === undefined ? [] : [items]), ...anyOf].flatMap((part) => undescribed(part, path)),
  ]
}

test('every field of a request, a response and an event of the platform API has a description', () => {
  const names = Object.keys(document.components.schemas).filter((name) => !/^(Sandbox|Error$)/.test(name))
  expect(names.flatMap((name) => undescribed(document.components.schemas[name] ?? {}, name))).toEqual([])
  expect(undescribed({ properties: { new_field: {} } }, 'Event')).toEqual(['Event.new_field'])
})

describe('the document marks the assumptions', () => {
  test('for operations', () => {
    for (const name of endpointNames)
      expect(operationOf(document, name)['x-assumed'] === true, name).toBe(endpoints[name].basis === 'assumed')
  })

  test('for the statuses of successes, of which the documentation gives that of a charge only', () => {
    const marked = endpointNames.filter((name) =>
      Object.entries(operationOf(document, name).responses).some(
        ([status, answer]) => status.startsWith('2') && 'x-assumed' in answer,
      ),
    )
    expect(endpointNames.filter((name) => !marked.includes(name))).toEqual(['cashin'])
    expect(marked).toContain('cashout')
  })

  test('for errors', () => {
    const assumed = errorCodes.filter((code) => errorCatalogue[code].basis === 'assumed')
    expect(document.components.schemas.ErrorCode).toHaveProperty('x-assumed-values', assumed)
    expect(errorCodes.filter((code) => document.components.examples[code]?.['x-assumed'] === true)).toEqual(assumed)
    expect(document['x-errors'].filter((row) => 'x-assumed' in row).map(({ code }) => code)).toEqual(assumed)
  })

  test('for transitions', () => {
    expect(document['x-transitions'].map((row) => 'x-assumed' in row)).toEqual(
      transitions.map(({ basis }) => basis === 'assumed'),
    )
  })

  test('for fields', () => {
    const { schemas } = document.components
    expect(schemas.Cashin?.properties?.payment_method?.['x-assumed']).toBe(true)
    expect(schemas.Token?.properties?.access_token?.['x-assumed']).toBeUndefined()
    expect(schemas.Cashin?.['x-assumed']).toBeUndefined()
    expect(schemas.Cashout?.['x-assumed']).toBe(true)
    expect(schemas.TransferConfirmedEvent?.properties?.data?.properties?.direction?.['x-assumed']).toBe(true)
    expect(JSON.stringify(schemas)).not.toContain('"code":"INVALID')
  })

  test('for existing settings', () => {
    const keys: readonly string[] = platformSettingNames
    for (const row of assumptions) if ('setting' in row) expect(keys).toContain(row.setting)
  })
})

describe('responses that tests have seen', () => {
  test('are described, and no others are', () => {
    expect(isDocumented('rate', 409, 'LIMIT_EXCEEDED')).toBe(true)
    expect(isDocumented('balance', 403, 'FORBIDDEN_ORIGIN')).toBe(true)
    expect(isDocumented('cashout', 202, '')).toBe(true)
    for (const status of [200, 503]) expect(isDocumented('postToInbox', status, '')).toBe(true)
    expect(isDocumented('trigger', 422, 'INSUFFICIENT_BALANCE')).toBe(true)
    expect(isDocumented('balance', 418, 'TEAPOT')).toBe(false)
    expect(isDocumented('rate', 409, 'DUPLICATE_EXTERNAL_ID')).toBe(false)
    expect(isDocumented('cashin', 202, '')).toBe(false)
  })

  test('are described for an inbox', () => {
    const responses = document.paths['/_sandbox/inbox/{name}']?.post?.responses
    for (const status of ['2XX', '3XX', '4XX', '5XX'])
      expect(JSON.stringify(responses?.[status]?.content?.['application/json']?.schema)).toContain('"status"')
  })
})

describe('valid examples', () => {
  test('exist for requests', () => {
    for (const name of endpointNames) {
      const { examples, input }: Endpoint = endpoints[name]
      for (const { value } of Object.values(examples)) {
        // All query values are text.
        const texts = Object.fromEntries(Object.entries(value).map(([field, one]) => [field, String(one)]))
        const given = input === 'query' ? texts : parseJson(JSON.stringify(value))
        validate(endpoints[name].request(), given as Record<string, unknown>)
      }
    }
  })

  test('exist for responses, and the document agrees with the tables about their shape', () => {
    for (const name of endpointNames) {
      const endpoint: Endpoint = endpoints[name]
      const status = endpoint.status ?? 200
      const answer = operationOf(document, name).responses[String(status)]
      const { success } = answer?.content?.['application/json']?.examples ?? {}
      expect(misfit(document, name, status, success?.value)).toBe('')
    }
  })

  test('exist for events', () => {
    for (const event of eventNames) {
      eventTable[event].data().strict().parse(eventExamples[event])
      checker(document, { $ref: `#/components/schemas/${eventSchemaName(event)}` }).parse(exampleBody(event))
    }
  })

  test('exist for errors', () => {
    const error = checker(document, { $ref: '#/components/schemas/Error' })
    for (const code of errorCodes) error.parse(document.components.examples[code]?.value)
  })
})

/** The examples with new ids, so that they create other objects than an earlier test. */
const fresh = ({ external_id: id }: Record<string, unknown>) => (id === undefined ? {} : { external_id: `${id}-again` })

describe('a running sandbox answers as documented', () => {
  test('to every example request, with a response that matches its schema', async () => {
    const { call, trigger } = caller(sandbox.url)
    await call('token', { grant_type: 'client_credentials' })
    await call('cashin', { amount: 10, currency: 'BRL' })
    await trigger('cashin.pay')
    const dispute = (await trigger('dispute.open')).object as Record<string, unknown>
    for (const name of endpointNames) {
      const examples = Object.values((endpoints[name] as Endpoint).examples).map(({ value }) => value)
      for (const value of examples.length === 0 ? [{}] : examples) {
        const sent = value.id === exampleInfractionId ? { ...value, id: dispute.infraction_id } : value
        const { status, body } = await call(name, sent)
        expect(status, `${name} ${JSON.stringify(body)}`).toBe((endpoints[name] as Endpoint).status ?? 200)
        expect(misfit(document, name, status, body)).toBe('')
      }
    }
  })

  test('to null in every optional field of a body, which its schema accepts, as if the field were missing', async () => {
    const { call } = caller(sandbox.url)
    await call('token', { grant_type: 'client_credentials' })
    for (const name of endpointNames) {
      const { input, request, examples }: Endpoint = endpoints[name]
      if (input !== 'json' || name === 'token') continue
      const { shape } = request()
      const required = Object.keys(shape).filter((field) => !shape[field]?.safeParse(undefined).success)
      // A PIX call needs no optional field.
      const values: Record<string, unknown> = {
        ...Object.values(examples)[0]?.value,
        ...{ currency: 'BRL', key: '52998224725', external_id: `null-${name}` },
      }
      const sent = Object.fromEntries(
        Object.keys(shape).map((field) => [field, required.includes(field) ? values[field] : null]),
      )
      const schema = { $ref: `#/components/schemas/${requestSchemaName(name)}` }
      expect(checker(document, schema).safeParse(sent).error?.message, name).toBeUndefined()
      const answer = await call(name, sent)
      expect(answer.status, `${name} ${JSON.stringify(answer.body)}`).toBeLessThan(300)
    }
    const deep = { amount: 10, currency: 'BRL', payer: { name: null, document: null, email: null }, split: null }
    expect((await call('cashin', deep)).status).toBe(200)
    checker(document, { $ref: '#/components/schemas/CashinRequest' }).parse(deep)
  })

  test('with listed errors that match their schema', async () => {
    const { call } = caller(sandbox.url)
    const refusals = [
      [await call('balance', {}), 'balance'],
      [await call('token', {}), 'token'],
    ] as const
    await call('token', { grant_type: 'client_credentials' })
    const more = [
      [await call('cashin', { currency: 'BRL' }), 'cashin'],
      [await call('cashin', { currency: 'BRL', amount: 0.5 }), 'cashin'],
      [await call('cashin', { currency: 'BRL', amount: '1' }), 'cashin'],
      [await call('cashin', { currency: 'BTC', amount: 1, chain: 'tron' }), 'cashin'],
      [await call('cashout', { currency: 'BRL', amount: 99999, key: 'a@b.example', external_id: 'poor' }), 'cashout'],
      [await call('transfer', { currency: 'BRL', amount: 1, username: 'merchant' }), 'transfer'],
      [await call('infractionDetail', { id: exampleInfractionId }), 'infractionDetail'],
    ] as const
    for (const [{ status, body }, name] of [...refusals, ...more]) {
      expect(status).toBeGreaterThanOrEqual(400)
      expect(misfit(document, name, status, body)).toBe('')
      const { code } = body.error as { code: string }
      expect(
        operationOf(document, name).responses[String(status)]?.content?.['application/json']?.examples,
      ).toHaveProperty(code)
    }
  })

  test('with events that match their schema', async () => {
    const { call, trigger } = caller(sandbox.url)
    await call('token', { grant_type: 'client_credentials' })
    for (const name of ['cashin', 'cashout', 'pixPayment', 'wallet', 'transfer', 'conversion'] as const)
      for (const { value } of Object.values((endpoints[name] as Endpoint).examples))
        await call(name, { ...value, ...fresh(value) })
    for (const action of ['cashin.pay', 'cashin.refund', 'cashout.confirm', 'cashout.refund', 'cashout.fail'])
      await trigger(action)
    await trigger('conversion.refund')
    await trigger('wallet.deposit', { amount: '5' })
    for (const decision of ['confirm', 'win', 'lose', 'cancel']) {
      const { body } = await call('cashin', { amount: 10, currency: 'BRL' })
      const id = (body.data as { transaction_id: string }).transaction_id
      for (const action of ['cashin.pay', 'dispute.open']) await trigger(action, { id })
      for (const action of ['dispute.respond', `dispute.${decision}`]) await trigger(action)
    }
    await call('cashin', { amount: 10, currency: 'BRL' })
    await trigger('cashin.expire')
    const list = await (await fetch(`${sandbox.url}/_sandbox/webhooks?limit=200`)).json()
    const seen = new Set<string>()
    for (const { id, event } of (list as { data: { id: string; event: (typeof eventNames)[number] }[] }).data) {
      const { body } = (await (await fetch(`${sandbox.url}/_sandbox/webhooks/${id}`)).json()) as { body: string }
      checker(document, { $ref: `#/components/schemas/${eventSchemaName(event)}` }).parse(JSON.parse(body))
      seen.add(event)
    }
    expect([...seen].sort()).toEqual([...eventNames].sort())
  })
})
