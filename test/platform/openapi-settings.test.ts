/** The OpenAPI document of a workspace with settings: every response and every webhook matches the document that the workspace serves. */
import { expect, test } from 'vitest'
import type { SandboxDocument } from '../../src/http/openapi/document.js'
import { eventSchemaName } from '../../src/http/openapi/field-descriptions.js'
import type { Schema } from '../../src/http/openapi/json-schema.js'
import { type EndpointName, endpointNames, endpoints } from '../../src/protocol/platform/endpoints.js'
import { type EventName, eventNames } from '../../src/protocol/platform/events.js'
import {
  type Config,
  defaultConfig,
  type PlatformSetting,
  platformSettingNames,
  platformSettings,
} from '../../src/protocol/settings/platform.js'
import { checker, misfit, operationOf } from '../support/api-document.js'
import type { Body } from '../support/http.js'
import { type PlatformAnswer, platformCalls } from '../support/platform-calls.js'
import { openSandbox } from '../support/sandbox.js'

/** Settings of the sandbox itself, which do not change the form of the platform API. */
const ownSettings = ['clock', 'webhook_url', 'seed', 'platform', 'demo_secrets', 'chaos', 'accounts', 'rate_limits']

/** The values of the settings that are not one of a few words. */
const otherValues: Partial<Record<PlatformSetting, readonly unknown[]>> = {
  strict_webhooks: [true],
  strict: [true],
  cashout_settle: ['manual', '5s'],
  pix_charge_life: ['15m'],
  crypto_charge_life: ['10m'],
  clabe_life: ['2h'],
  rates: [{ MXN: '0.31', BTC: '500000' }],
  spread_percent: ['2.5'],
  fees: [{ BRL: { cashin: { fixed: '0.10', percent: '2' }, conversion: { percent: '1' } } }],
  limits: [{ BRL: { cashin: { min_amount: '3', max_amount: '5000', daily_limit: '90000' } } }],
  limit_day: ['Z'],
  filter_day: ['Z', '+05:30'],
  page_size: [7],
  default_reasons: [{ 'cashin.refund': 'MANUAL_REFUND', 'dispute.lose': 'MED_LOST' }],
  rate_decimals: [2, 6],
  quote_life: ['2m'],
  withdrawal_status: [200, 201],
  time_offset: ['Z', '+05:30'],
  payment_methods: [{ spei: 'bank_transfer', crypto: 'blockchain' }, { crypto: 'pix' }],
  network_labels: [{ PIX: 'pix', TRC20: 'tron', ERC20: 'ETHEREUM', SPEI: 'PIX' }],
  min_confirmations: [{ tron: 0, ethereum: 10_000 }],
  sent_direction: ['out', 'received'],
  error_groups: [{ validation: 'request', INVALID_AMOUNT: 'money', auth: 'access', business: 'limits' }],
  retryable_errors: [{ INVALID_CURRENCY: true, RATE_LIMIT_EXCEEDED: false }],
}

/** The settings that change how values are written: each is also tried alone. */
const ofForm: readonly PlatformSetting[] = [
  ...([
    'withdrawal_status',
    'empty_fields',
    'answer_amounts',
    'amount_decimals',
    'time_offset',
    'payment_methods',
  ] as const),
  ...(['network_labels', 'min_confirmations', 'sent_direction', 'error_groups', 'retryable_errors'] as const),
]

/** Every value of a setting except its default. */
function valuesOf(name: PlatformSetting): readonly unknown[] {
  const { enum: words } = (platformSettings[name].schema.meta() ?? {}) as { enum?: readonly unknown[] }
  return otherValues[name] ?? words?.filter((word) => !isDefault(configFor(name, word))) ?? []
}

const isDefault = (part: Partial<Config>) =>
  Object.entries(part).every(([key, value]) => defaultConfig[key as keyof Config] === value)

function configFor(name: PlatformSetting, value: unknown): Partial<Config> {
  const { schema, toConfig: sets } = platformSettings[name]
  return (sets as (parsed: unknown) => Partial<Config>)(schema.parse(value))
}

const names = platformSettingNames.filter((name) => !ownSettings.includes(name))

/** Round `n` gives every setting its n-th value, so that a few sandboxes try all values. */
const together = [0, 1].map((round) => ({
  title: `all settings at once, round ${round + 1}`,
  config: Object.assign(
    {},
    ...names.map((name) => (valuesOf(name).length > round ? configFor(name, valuesOf(name)[round]) : {})),
  ) as Partial<Config>,
}))
const alone = ofForm.flatMap((name) =>
  valuesOf(name).map((value) => ({ title: `${name}: ${JSON.stringify(value)}`, config: configFor(name, value) })),
)

test('the rounds have every value of every setting', () => {
  for (const name of names) {
    expect(valuesOf(name).length, name).toBeGreaterThan(0)
    expect(valuesOf(name).length, name).toBeLessThanOrEqual(together.length)
  }
})

const pix = { amount: 25.5, currency: 'BRL' }
const payout = { amount: 10, currency: 'BRL', key: '52998224725' }
const quoted = { base_currency: 'BRL', destination_currency: 'MXN', amount: 100 }

/** One call for each endpoint and rail, with and without optional fields, and some that are rejected. */
const calls: [EndpointName, object][] = [
  ['cashin', { ...pix, external_id: 'full', payer: { name: 'Ana', document: '52998224725', email: 'a@b.example' } }],
  ['cashin', pix],
  ['cashin', { amount: 250, currency: 'MXN' }],
  ['cashin', { amount: 25.5, currency: 'USDT', chain: 'tron' }],
  ['cashin', { amount: 25.5, currency: 'USDC', chain: 'ethereum', postback_url: 'http://127.0.0.1:9/hook' }],
  ['cashin', { amount: 1, currency: 'EUR' }],
  ['cashin', { amount: 0, currency: 'BRL' }],
  ['cashin', { amount: 0.5, currency: 'BRL' }],
  ['cashin', { currency: 'BRL' }],
  ['cashin', { ...pix, chain: 'tron' }],
  ['cashout', { ...payout, external_id: 'out-1' }],
  [
    'cashout',
    { ...payout, external_id: 'out-2', currency: 'USDT', network: 'tron', key: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
  ],
  ['cashout', { ...payout, external_id: 'out-3', currency: 'MXN', key: '032180000118359719', name: 'Ana' }],
  ['cashout', { ...payout, external_id: 'out-4', key: 'nobody', key_type: 'cpf' }],
  ['cashout', { ...payout, external_id: 'out-5', amount: 99_999 }],
  ['pixPayment', { amount: 10, creditParty: { key: '52998224725' } }],
  ['wallet', { currency: 'BRL' }],
  ['wallet', { currency: 'USDT', chain: 'tron' }],
  ['transfer', { username: 'customer', amount: 5, currency: 'BRL' }],
  ['transfer', { username: 'merchant', amount: 5, currency: 'BRL' }],
  ['rate', quoted],
  ['simulate', quoted],
  ['conversion', quoted],
  ['conversion', { ...quoted, external_id: 'swap', amount: 3, base_currency: 'USDT', destination_currency: 'BTC' }],
]
const reads: [EndpointName, object?][] = [
  ['transactionList', { page_size: 100 }],
  ['transactionList', { type: 'refund' }],
  ...(['balance', 'profile', 'limits', 'fees', 'infractionList'] as const).map((name): [EndpointName] => [name]),
]

test.each([{ title: 'no settings', config: {} }, ...alone, ...together])(
  'every response and webhook matches the document of its workspace: $title',
  async ({ config }) => {
    const { url } = await openSandbox({ clock: 'manual', ...config })
    const api = await platformCalls(url)
    const document = (await (await fetch(`${url}/_sandbox/openapi.json`)).json()) as SandboxDocument
    const wrong: string[] = []
    const seen = new Set<string>()
    const look = (name: EndpointName, { status, body }: PlatformAnswer): Body => {
      wrong.push(misfit(document, name, status, body))
      seen.add(name)
      if (status >= 400) expectRow(document, body.error)
      return body
    }
    const send = async (name: EndpointName, body: object = {}) =>
      look(
        name,
        await (endpoints[name].method === 'GET' ? api.get(endpoints[name].path) : api.post(endpoints[name].path, body)),
      )
    for (const [name, body] of calls) await send(name, body)
    for (const action of [
      'cashin.pay',
      'cashin.refund',
      'cashout.confirm',
      'cashout.refund',
      'cashout.fail',
      'conversion.refund',
    ])
      await api.trigger(action, { create: true })
    await api.trigger('cashin.pay', { create: true, fields: { currency: 'MXN' } })
    await api.trigger('wallet.deposit', { amount: 5, create: true })
    for (const decision of ['confirm', 'win', 'lose', 'cancel'])
      await api.trigger(`dispute.${decision}`, { create: true })
    const { object: dispute } = await api.trigger('dispute.open', { create: true })
    look('infractionDetail', await api.get(`/v2/account/infractions/detail?id=${dispute.infraction_id}`))
    look('infractionReply', await api.reply({ id: dispute.infraction_id, message: 'It was delivered.' }))
    look('infractionReply', await api.reply({ id: dispute.infraction_id, message: 'Again.' }))
    look('infractionDetail', await api.get(`/v2/account/infractions/detail?id=${dispute.infraction_id}`))
    await api.advance('3h')
    for (const [name, body] of reads) await send(name, body)
    for (const path of ['/v2/nothing', '/v2/transactions/cashin']) {
      const { body } = await api.get(path)
      expectFits(document, document.components.schemas.Error ?? {}, body, wrong)
      expectRow(document, body.error)
    }
    expect(endpointNames.filter((name) => !seen.has(name) && name !== 'token')).toEqual([])
    const { data: hooks } = await (await fetch(`${url}/_sandbox/webhooks?limit=200`)).json()
    const bodies = await Promise.all(
      hooks.map(async ({ id }: Body) =>
        JSON.parse((await (await fetch(`${url}/_sandbox/webhooks/${id}`)).json()).body),
      ),
    )
    for (const body of bodies) {
      const name = eventSchemaName(body.event)
      expectFits(document, document.components.schemas[name] ?? {}, body, wrong)
    }
    const events = new Set<EventName>(bodies.map(({ event }) => event))
    expect(eventNames.filter((event) => !events.has(event))).toEqual([])
    expect(wrong.filter((text) => text !== '')).toEqual([])
    expectOwnExamples(document, wrong)
    expect(wrong.filter((text) => text !== '')).toEqual([])
  },
)

function expectFits(document: SandboxDocument, schema: Schema, body: unknown, wrong: string[]): void {
  const result = checker(document, schema).safeParse(body)
  if (!result.success) wrong.push(`${result.error.message} ${JSON.stringify(body)}`)
}

/** An error has the group of its row in the document. */
function expectRow(document: SandboxDocument, { code, group, retryable }: Body): void {
  expect(document['x-errors'].find((row) => row.code === code)).toMatchObject({ group, retryable })
}

/** The examples of the document follow the settings, too. */
function expectOwnExamples(document: SandboxDocument, wrong: string[]): void {
  for (const name of endpointNames) {
    const [status = '', success] =
      Object.entries(operationOf(document, name).responses).find(([code]) => code < '300') ?? []
    const example = success?.content?.['application/json']?.examples?.success?.value
    wrong.push(misfit(document, name, Number(status), example))
  }
  for (const event of eventNames) {
    const examples = document.webhooks[event]?.post?.requestBody?.content['application/json']?.examples
    expectFits(document, document.components.schemas[eventSchemaName(event)] ?? {}, examples?.event?.value, wrong)
  }
}
