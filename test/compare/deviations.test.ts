/** Differences that are planted into a recording one at a time: each is found once, with its verdict and path. */
import { expect, test } from 'vitest'
import type { Verdict } from '../../src/features/compare/judge/verdicts.js'
import { changeBody, compareEntries, copy, differences, find, setHeader, without } from '../support/compared.js'
import { type Played, recordTraffic } from '../support/recorded-traffic.js'
import type { HarEntry } from '../support/recording.js'

const charge = 'POST /v2/transactions/cashin'
const cashin = '/transactions/cashin'
const withdrawal = 'POST /v2/transactions/cashout'
const cashout = '/transactions/cashout'
const list = 'POST /v2/account/transactions/list'
/** A field as a recorded body has it. */
const inText = (field: string) => field.replaceAll('"', '\\"')
const contradicts = (how: string) => `The platform contradicts the documentation: ${how}.`
const noSignatures = 'The platform rejects no call of the recording for a wrong signature.'

interface Deviation {
  is: string
  plant(entries: HarEntry[]): void
  found: [verdict: Verdict, call: string, path: string]
  assumption?: string
  documented?: string
  about?: string
}

const data = (change: (fields: HarEntry) => unknown) => (body: HarEntry) => void change(body.data)
const lifeOf = (expiration: number) =>
  data((d) => {
    d.payment_info.expiration = expiration
  })
const drop = (name: string) => data((fields) => delete fields[name])
const put = (name: string, value: unknown) =>
  data((fields) => {
    fields[name] = value
  })
const body =
  (what: string, change: (body: HarEntry) => unknown, mark = '') =>
  (entries: HarEntry[]) =>
    changeBody(entries, what, change, mark)
const rename = (from: string, to: string) =>
  data((fields) => {
    fields[to] = fields[from]
    delete fields[from]
  })

/** Changes the JSON of every response or of every webhook. */
const inAll = (isWebhook: boolean, change: (body: HarEntry) => unknown) => (entries: HarEntry[]) => {
  for (const entry of entries.filter(({ _webhook = false }) => _webhook === isWebhook)) {
    const holder = isWebhook ? entry.request.postData : entry.response.content
    const fields = JSON.parse(holder.text)
    change(fields)
    holder.text = JSON.stringify(fields)
  }
}

/** Changes every field with this name, at any depth. */
function changeFields(value: HarEntry, name: string, change: (text: string) => unknown): void {
  if (value === null || typeof value !== 'object') return
  for (const [key, one] of Object.entries(value))
    if (key === name && typeof one === 'string') value[key] = change(one)
    else changeFields(one, name, change)
}

/** Writes the amounts of a webhook as numbers. */
function numbersIn({ data: fields = {} }: HarEntry): void {
  for (const [key, one] of Object.entries(fields)) if (/^\d+\.\d+$/.test(String(one))) fields[key] = Number(one)
}

const errorResponse = (status: number, code: string, details: object = {}) => ({
  ...{
    status,
    statusText: '',
    headers: [
      { name: 'content-type', value: 'application/json' },
      { name: 'x-request-id', value: 'req_1' },
    ],
  },
  content: {
    text: JSON.stringify({
      success: false,
      error: { code, message: code, group: 'signature', retryable: false, details },
    }),
  },
})

const deviations: Deviation[] = [
  {
    is: 'a renamed documented field',
    plant: body(cashin, rename('fee', 'fees')),
    found: ['documentation_wrong', charge, 'data.fee'],
  },
  {
    is: 'a renamed documented field with another value of the same form',
    plant: body(
      cashin,
      data((fields) => {
        fields.cost = 1.99
        delete fields.fee
      }),
    ),
    found: ['documentation_wrong', charge, 'data.fee'],
    about: contradicts('it has another name'),
  },
  {
    is: 'a number as text',
    plant: body(cashin, put('amount', '150.50')),
    found: ['documentation_wrong', charge, 'data.amount'],
    documented: 'number, always present',
    about: contradicts('it is a string'),
  },
  {
    is: 'a number as text in an answer that is not documented',
    plant: body('/transactions/cashout', put('amount', '80.00')),
    found: ['assumption_wrong', 'POST /v2/transactions/cashout', 'data.amount'],
    assumption: 'amount_types',
  },
  {
    is: 'another status of a charge',
    plant: (e) => {
      find(e, cashin).response.status = 201
    },
    found: ['documentation_wrong', charge, 'status'],
  },
  {
    is: 'another status of a withdrawal',
    plant: (e) => {
      find(e, '/transactions/cashout').response.status = 200
    },
    found: ['assumption_wrong', 'POST /v2/transactions/cashout', 'status'],
    assumption: 'withdrawal_answer',
  },
  {
    is: 'every type of a PIX key in capitals, in responses, events and lists,',
    plant: (e) => {
      for (const isWebhook of [false, true])
        inAll(isWebhook, (fields) => changeFields(fields, 'key_type', (text) => text.toUpperCase()))(e)
    },
    found: ['documentation_wrong', 'cashout.confirmed', 'data.key_type'],
  },
  {
    is: 'another word for pending withdrawals, in responses and lists,',
    plant: (e) => {
      changeBody(e, '/transactions/cashout', put('status', 'processing'))
      inAll(false, ({ data: { items } = {} as HarEntry }) => {
        for (const one of items ?? []) if (one.type === 'cashout' && one.status === 'pending') one.status = 'processing'
      })(e)
    },
    found: ['assumption_wrong', 'POST /v2/transactions/cashout', 'data.status'],
  },
  {
    is: 'plain text instead of every error',
    plant: (e) => {
      for (const { response, _webhook } of e) {
        if (response.status < 400 || _webhook === true) continue
        response.content.text = 'Request failed'
        setHeader(response.headers, 'content-type', 'text/plain')
      }
    },
    found: ['documentation_wrong', 'POST /v2/transactions/wallet', 'body'],
  },
  {
    is: 'another code for a conversion between equal currencies',
    plant: (e) => {
      const { request, response } = find(e, cashin, 'MISSING_REQUIRED_FIELD')
      request.url = request.url.replace(cashin, '/conversions/rate')
      request.postData.text = JSON.stringify({ amount: 5, base_currency: 'BRL', destination_currency: 'BRL' })
      response.status = 422
      response.content.text = response.content.text.replace('MISSING_REQUIRED_FIELD', 'INVALID_AMOUNT')
    },
    found: ['assumption_wrong', 'POST /v2/conversions/rate', 'error.code'],
    assumption: 'equal_currencies',
  },
  {
    is: 'an additional field',
    plant: body(cashin, put('checkout_url', 'https://pay.example/1')),
    found: ['unknown_field', charge, 'data.checkout_url'],
  },
  {
    is: 'an additional object',
    plant: body(cashin, put('links', { self: 'x' })),
    found: ['unknown_field', charge, 'data.links'],
  },
  {
    is: 'an additional list of items',
    plant: body(cashin, put('items', [{ currency: 'USDT' }])),
    found: ['unknown_field', charge, 'data.items'],
  },
  {
    is: 'an additional field of the envelope',
    plant: body(cashin, (b) => {
      b.version = 2
    }),
    found: ['unknown_field', charge, 'version'],
  },
  {
    is: 'a missing documented field',
    plant: body(cashin, drop('created_at')),
    found: ['documentation_wrong', charge, 'data.created_at'],
    documented: 'ISO 8601, always present',
  },
  {
    is: 'a missing field that is not documented',
    plant: body('/account/profile', drop('name')),
    found: ['assumption_wrong', 'GET /v2/account/profile', 'data.name'],
    assumption: 'undocumented_fields',
  },
  {
    is: 'a missing request id in the body',
    plant: body(cashin, (b) => {
      delete b.request_id
    }),
    found: ['documentation_wrong', charge, 'request_id'],
  },
  {
    is: 'a missing header',
    plant: (e) => setHeader(find(e, cashin).response.headers, 'x-request-id', null),
    found: ['assumption_wrong', charge, 'headers.X-Request-Id'],
    assumption: 'request_id_header',
  },
  {
    is: 'another media type',
    plant: (e) => setHeader(find(e, cashin).response.headers, 'content-type', 'text/plain'),
    found: ['documentation_wrong', charge, 'media_type'],
  },
  {
    is: 'another documented code',
    plant: body(
      cashin,
      (b) => {
        b.error.code = 'INVALID_VALUE'
      },
      'INVALID_CURRENCY',
    ),
    found: ['documentation_wrong', charge, 'error.code'],
  },
  {
    is: 'an unknown code',
    plant: body(
      cashin,
      (b) => {
        b.error.code = 'FIELD_MISSING'
      },
      'MISSING_REQUIRED_FIELD',
    ),
    found: ['documentation_wrong', charge, 'error.code'],
  },
  {
    is: 'an invalid field that is reported before a missing one',
    plant: (e) => rejectCharge(e, { currency: 'EUR' }, 'INVALID_CURRENCY'),
    found: ['assumption_wrong', charge, 'error.code'],
    assumption: 'missing_before_wrong',
  },
  {
    is: 'a field that is null and counts as invalid',
    plant: (e) => rejectCharge(e, { currency: 'BRL', amount: null }, 'INVALID_AMOUNT'),
    found: ['assumption_wrong', charge, 'error.code'],
    assumption: 'null_fields',
  },
  {
    is: 'another code of a missing field',
    plant: (e) => rejectCharge(e, { currency: 'BRL' }, 'INVALID_AMOUNT'),
    found: ['documentation_wrong', charge, 'error.code'],
  },
  {
    is: 'an unknown code for wrong credentials',
    plant: body(
      '/oauth/token',
      (b) => {
        b.error.code = 'INVALID_CLIENT'
      },
      'INVALID_CREDENTIALS',
    ),
    found: ['documentation_wrong', 'POST /v2/oauth/token', 'error.code'],
  },
  {
    is: 'an unknown code for missing credentials and fields',
    plant: (e) => {
      const token = find(e, '/oauth/token', 'INVALID_CREDENTIALS')
      token.request.postData.text = '{}'
      changeBody([token], '/oauth/token', (b) => {
        b.error.code = 'INVALID_CLIENT'
      })
    },
    found: ['documentation_wrong', 'POST /v2/oauth/token', 'error.code'],
    documented: 'INVALID_CREDENTIALS (401): client_id or client_secret is wrong.',
  },
  {
    is: 'another code of an error that is not documented',
    plant: body(
      '/transactions/cashout',
      (b) => {
        b.error.code = 'NO_FUNDS'
      },
      'INSUFFICIENT_BALANCE',
    ),
    found: ['assumption_wrong', 'POST /v2/transactions/cashout', 'status'],
    assumption: 'error_codes',
  },
  {
    is: 'the other code below the minimum',
    plant: (e) => {
      const one = find(e, cashin, 'BELOW_MIN_LIMIT')
      one.response.status = 422
      changeBody(
        e,
        cashin,
        (b) => {
          Object.assign(b.error, { code: 'INVALID_AMOUNT', group: 'validation' })
        },
        'BELOW_MIN_LIMIT',
      )
    },
    found: ['assumption_wrong', charge, 'error.code'],
    assumption: 'below_minimum',
  },
  {
    is: 'a documented rejection whose condition does not hold',
    plant: (e) => rejectOrder(e, 'order-3', 'INVALID_CURRENCY'),
    found: ['documentation_wrong', charge, 'status'],
  },
  {
    is: 'a charge in a coin that is rejected for its amount',
    plant: (e) => rejectOrder(e, 'order-2', 'INVALID_AMOUNT'),
    found: ['assumption_wrong', charge, 'status'],
    assumption: 'decimals_of_coins',
  },
  {
    is: 'a charge with as many decimals as documented that is rejected for its amount',
    plant: (e) => rejectCharge(e, { currency: 'BRL', amount: 5.25 }, 'INVALID_AMOUNT'),
    found: ['documentation_wrong', charge, 'status'],
    about: 'The documentation allows the call; the platform rejects it.',
  },
  {
    is: 'a charge of the documented minimum that is rejected for its amount',
    plant: (e) => rejectCharge(e, { currency: 'BRL', amount: 1 }, 'INVALID_AMOUNT'),
    found: ['documentation_wrong', charge, 'status'],
    about: 'The platform rejects the call with INVALID_AMOUNT, although the documented condition does not hold.',
  },
  {
    is: 'a complete charge that is rejected for a missing field',
    plant: (e) => rejectCharge(e, { currency: 'BRL', amount: 5 }, 'MISSING_REQUIRED_FIELD'),
    found: ['documentation_wrong', charge, 'status'],
    about:
      'The platform rejects the call with MISSING_REQUIRED_FIELD, although the documented condition does not hold.',
  },
  {
    is: 'a charge below the documented minimum that is accepted',
    plant: (e) => {
      const accepted = structuredClone(find(e, cashin, 'order-1').response)
      accepted.content.text = accepted.content.text.replace(/(?<="transaction_id":")[^"]+/, 'tx_small')
      find(e, cashin, 'BELOW_MIN_LIMIT').response = accepted
    },
    found: ['documentation_wrong', charge, 'status'],
    documented: 'Charges from 1.00 BRL',
  },
  {
    is: 'another code of a crypto charge without a chain',
    plant: (e) => rejectCharge(e, { currency: 'USDT', amount: 50 }, 'UNSUPPORTED_CHAIN'),
    found: ['assumption_wrong', charge, 'error.code'],
    assumption: 'chain_rules',
  },
  {
    is: 'an error that is not documented, with the status 500,',
    plant: (e) => void Object.assign(find(e, '/account/fees').response, errorResponse(500, 'OUT_OF_ORDER')),
    found: ['unexplained', 'GET /v2/account/fees', 'status'],
    about: 'The platform failed with an error that is not documented.',
  },
  {
    is: 'a code of a wrong signature that is not documented',
    plant: (e) => {
      const right = find(e, '/transactions/cashout')
      const wrong = structuredClone(right)
      wrong.request.postData.text = wrong.request.postData.text.replace('payout-1', 'payout-8')
      setHeader(wrong.request.headers, 'x-nonce', '6f1f0a3e-6f4b-4c7f-9f32-2f0a8f5c1a11')
      wrong.response = errorResponse(401, 'SIGNATURE_WRONG')
      e.splice(e.indexOf(right) + 1, 0, wrong)
    },
    found: ['documentation_wrong', 'POST /v2/transactions/cashout', 'error.code'],
  },
  {
    is: 'a call without a signature that is rejected for another reason',
    plant: (e) =>
      setHeader(find(e, '/transactions/cashout', 'INSUFFICIENT_BALANCE').request.headers, 'x-signature', null),
    found: ['documentation_wrong', 'POST /v2/transactions/cashout', 'error.code'],
    about: noSignatures,
  },
  {
    is: 'a call without a signature that is rejected with another status and code',
    plant: (e) => rejectUnsigned(e, errorResponse(403, 'SIGNATURE_REQUIRED')),
    found: ['documentation_wrong', withdrawal, 'error.code'],
    about: 'The platform responds with a code that is not documented.',
  },
  {
    is: 'a missing field that is reported before a missing signature',
    plant: (e) => {
      const { postData } = rejectUnsigned(e, errorResponse(400, 'MISSING_REQUIRED_FIELD'))
      postData.text = postData.text.replace('"currency":"BRL",', '')
    },
    found: ['assumption_wrong', withdrawal, 'error.code'],
    assumption: 'order_of_checks',
  },
  {
    is: 'another status of a wrong signature',
    plant: (e) => {
      const one = find(e, '/transactions/cashout')
      const wrong = structuredClone(one)
      setHeader(wrong.request.headers, 'x-nonce', '11111111-1111-4111-8111-111111111111')
      wrong.response = errorResponse(403, 'INVALID_SIGNATURE')
      e.splice(e.indexOf(one), 0, wrong)
    },
    found: ['documentation_wrong', 'POST /v2/transactions/cashout', 'status'],
  },
  {
    is: 'another status of wrong credentials',
    plant: (e) => {
      find(e, '/oauth/token', 'INVALID_CREDENTIALS').response.status = 400
    },
    found: ['documentation_wrong', 'POST /v2/oauth/token', 'status'],
  },
  {
    is: 'another status of an error that is not documented',
    plant: (e) => {
      find(e, '/transactions/cashout', 'INSUFFICIENT_BALANCE').response.status = 400
    },
    found: ['assumption_wrong', 'POST /v2/transactions/cashout', 'status'],
    assumption: 'error_codes',
  },
  {
    is: 'an unsupported chain without the list of chains',
    plant: body(cashin, (b) => void delete b.error.details.supported, 'UNSUPPORTED_CHAIN'),
    found: ['documentation_wrong', charge, 'error.details.supported'],
  },
  {
    is: 'an amount above the maximum without the maximum',
    plant: body(cashin, (b) => void delete b.error.details.max_amount, 'EXCEEDS_MAX_LIMIT'),
    found: ['documentation_wrong', charge, 'error.details.max_amount'],
  },
  {
    is: 'a missing documented balance',
    plant: body('cashin.confirmed', drop('old_balance')),
    found: ['documentation_wrong', 'cashin.confirmed', 'data.old_balance'],
  },
  {
    is: 'a missing optional field of an event',
    plant: body('cashin.confirmed', drop('e2e_id')),
    found: ['documentation_wrong', 'cashin.confirmed', 'data.e2e_id'],
    documented: 'string, optional',
  },
  {
    is: 'a missing part of the balances',
    plant: body(
      '/account/balance',
      data((fields) => {
        for (const one of fields.balances) delete one.pending
      }),
    ),
    found: ['documentation_wrong', 'GET /v2/account/balance', 'data.balances[].pending'],
  },
  {
    is: 'a missing key_type that the request lacks too',
    plant: body(cashout, drop('key_type'), 'payout-3'),
    found: ['assumption_wrong', withdrawal, 'data.key_type'],
    assumption: 'undocumented_fields',
  },
  {
    is: 'a dispute without its charge',
    plant: body('/infractions/detail', drop('transaction_id')),
    found: ['assumption_wrong', 'GET /v2/account/infractions/detail', 'data.transaction_id'],
    assumption: 'undocumented_fields',
  },
  {
    is: 'a response within another field',
    plant: body('/account/limits', (b) => ({ response: b })),
    found: ['documentation_wrong', 'GET /v2/account/limits', ''],
    documented: 'object, always present',
  },
  {
    is: 'a repeated charge with a new id',
    plant: (e) => {
      const [, again] = e.filter((one) => JSON.stringify(one.request).includes('order-1\\'))
      changeBody([again], cashin, put('transaction_id', 'tx_other'))
    },
    found: ['documentation_wrong', charge, 'data.transaction_id'],
  },
  {
    is: 'a repeated charge that is rejected',
    plant: (e) => {
      const [, repeat] = e.filter((one) => one.request.postData?.text.includes('"order-1"'))
      const { data } = JSON.parse(repeat.response.content.text)
      Object.assign(
        repeat.response,
        errorResponse(409, 'DUPLICATE_EXTERNAL_ID', { transaction_id: data.transaction_id }),
      )
    },
    found: ['documentation_wrong', charge, 'status'],
  },
  {
    is: 'another id in the response of a charge than in all its webhooks',
    plant: body(cashin, put('transaction_id', 'tx_other'), 'order-2'),
    found: ['documentation_wrong', 'cashin.confirmed', 'data.transaction_id'],
  },
  {
    is: 'another id in the response of a charge without external_id',
    plant: body(cashin, put('transaction_id', 'tx_other'), '"external_id":null'.replaceAll('"', '\\"')),
    found: ['documentation_wrong', 'cashin.expired', 'data.transaction_id'],
  },
  ...['success', 'request_id', 'timestamp', 'data'].map(
    (name): Deviation => ({
      is: `a missing ${name} in every response`,
      plant: inAll(false, (b) => delete b[name]),
      found: ['documentation_wrong', charge, name],
    }),
  ),
  {
    is: 'a successful response that says that it is none',
    plant: inAll(false, (b) => {
      if (b.success) b.success = false
    }),
    found: ['documentation_wrong', charge, 'success'],
    documented: 'boolean, always true, always present',
  },
  ...['event', 'timestamp', 'transaction_id'].map(
    (name): Deviation => ({
      is: `a missing ${name} in every webhook`,
      plant: inAll(true, (b) => delete b[name]),
      found: ['documentation_wrong', 'cashin.confirmed', name],
    }),
  ),
  ...['X-Webhook-Event', 'X-Webhook-Signature', 'X-Webhook-Id', 'X-Webhook-Timestamp', 'User-Agent'].map(
    (name): Deviation => ({
      is: `a missing header ${name} in every webhook`,
      plant: (e) => {
        for (const one of e) if (one._webhook) setHeader(one.request.headers, name, null)
      },
      found: ['documentation_wrong', 'cashin.confirmed', `headers.${name}`],
    }),
  ),
  {
    is: 'an additional field of every response',
    plant: inAll(false, (b) => {
      b.version = 2
    }),
    found: ['unknown_field', 'POST /v2/oauth/token', 'version'],
  },
  ...[-420, 660].map(
    (seconds): Deviation => ({
      is: `a clock of the recorder that is wrong by ${seconds} s`,
      plant: (e) => {
        for (const one of e)
          one.startedDateTime = new Date(Date.parse(one.startedDateTime) + seconds * 1000).toISOString()
      },
      found: ['unexplained', 'POST /v2/oauth/token', 'headers.Date'],
    }),
  ),
  {
    is: 'another status of a documented error',
    plant: (e) => {
      find(e, cashin, 'INVALID_CURRENCY').response.status = 400
    },
    found: ['documentation_wrong', charge, 'status'],
    about: contradicts('it is 400'),
  },
  {
    is: 'another group of errors',
    plant: body(
      cashin,
      (b) => {
        b.error.group = 'request'
      },
      'INVALID_CURRENCY',
    ),
    found: ['assumption_wrong', charge, 'error.group'],
    assumption: 'error_groups',
  },
  {
    is: 'an error without a group, everywhere,',
    plant: inAll(false, (b) => void delete b.error?.group),
    found: ['documentation_wrong', 'POST /v2/transactions/wallet', 'error.group'],
  },
  {
    is: 'an additional field without a value',
    plant: body(
      '/transactions/list',
      data((fields) => Object.assign(fields, { next_cursor: null })),
      'pagination',
    ),
    found: ['unknown_field', 'POST /v2/account/transactions/list', 'data.next_cursor'],
  },
  {
    is: 'another retryable',
    plant: body(
      cashin,
      (b) => {
        b.error.retryable = true
      },
      'INVALID_CURRENCY',
    ),
    found: ['assumption_wrong', charge, 'error.retryable'],
    assumption: 'retryable_errors',
  },
  {
    is: 'an error without a message',
    plant: body(
      cashin,
      (b) => {
        delete b.error.message
      },
      'INVALID_CURRENCY',
    ),
    found: ['documentation_wrong', charge, 'error.message'],
  },
  {
    is: 'other details of an error',
    plant: body(
      cashin,
      (b) => {
        b.error.details.supported = ['BRL']
      },
      'INVALID_CURRENCY',
    ),
    found: ['assumption_wrong', charge, 'error.details.supported.length'],
    assumption: 'undocumented_fields',
  },
  {
    is: 'another chain in the list of an error',
    plant: body(
      cashin,
      (b) => {
        b.error.details.supported[0] = 'dogecoin'
      },
      'UNSUPPORTED_CHAIN',
    ),
    found: ['assumption_wrong', charge, 'error.details.supported[]'],
    assumption: 'undocumented_fields',
  },
  {
    is: 'an absent value instead of null',
    plant: body(cashin, drop('external_id'), '"external_id":null'.replaceAll('"', '\\"')),
    found: ['assumption_wrong', charge, 'data.external_id'],
    assumption: 'missing_values',
  },
  {
    is: 'a field that a list never has, with a value or without,',
    plant: inAll(false, ({ data: { items } = {} as HarEntry }) => {
      for (const item of items ?? []) delete item.payment_method
    }),
    found: ['assumption_wrong', 'POST /v2/account/transactions/list', 'data.items[].payment_method'],
    assumption: 'undocumented_fields',
  },
  {
    is: 'an empty text instead of null',
    plant: body(
      '/transactions/list',
      (b) => {
        b.data.items.find((i: HarEntry) => i.external_id === null).external_id = ''
      },
      'pagination',
    ),
    found: ['assumption_wrong', 'POST /v2/account/transactions/list', 'data.items[].external_id'],
    assumption: 'missing_values',
  },
  {
    is: 'null instead of an absent value',
    plant: body('cashin.confirmed', put('hash', null)),
    found: ['assumption_wrong', 'cashin.confirmed', 'data.hash'],
    assumption: 'missing_values',
  },
  {
    is: 'null for a documented value',
    plant: body(cashin, put('fee', null)),
    found: ['documentation_wrong', charge, 'data.fee'],
  },
  {
    is: 'UTC instead of an offset',
    plant: body(
      cashin,
      data((d) => {
        d.created_at = new Date(d.created_at).toISOString()
      }),
    ),
    found: ['assumption_wrong', charge, 'data.created_at'],
    assumption: 'times_with_offset',
  },
  {
    is: 'an offset where UTC is documented',
    plant: body(
      'cashin.confirmed',
      data((d) => {
        d.confirmed_at = d.confirmed_at.replace('Z', '-03:00')
      }),
    ),
    found: ['documentation_wrong', 'cashin.confirmed', 'data.confirmed_at'],
    documented: 'ISO 8601 UTC, always present',
  },
  {
    is: 'a moment as a number',
    plant: body(cashin, put('created_at', 1790000000)),
    found: ['documentation_wrong', charge, 'data.created_at'],
  },
  {
    is: 'a moment in another form',
    plant: body(cashin, put('created_at', '21/11/2026 10:00')),
    found: ['documentation_wrong', charge, 'data.created_at'],
    about: contradicts('it is not ISO 8601'),
  },
  {
    is: 'another fee',
    plant: body(cashin, put('fee', 1.99)),
    found: ['assumption_wrong', charge, 'data.fee'],
    assumption: 'fees',
  },
  {
    is: 'another amount',
    plant: body(cashin, put('amount', 150.49)),
    found: ['documentation_wrong', charge, 'data.amount'],
  },
  {
    is: 'another external_id',
    plant: body(cashin, put('external_id', 'another')),
    found: ['documentation_wrong', charge, 'data.external_id'],
  },
  {
    is: 'an external_id that the call did not have',
    plant: body(cashin, put('external_id', 'another'), inText('"external_id":null')),
    found: ['documentation_wrong', charge, 'data.external_id'],
    about: 'Documented, but the value differs.',
  },
  {
    is: 'a field of the request that only the platform repeats',
    plant: (e) => {
      const { request, response } = find(e, cashin, 'order-3')
      const [at] = /(?<="created_at":")[^"]+/.exec(response.content.text) ?? expect.fail()
      const sent = at.replace(/^\d{4}/, '2020')
      response.content.text = response.content.text.replace(at, sent)
      request.postData.text = JSON.stringify({ ...JSON.parse(request.postData.text), created_at: sent })
    },
    found: ['sandbox_wrong', charge, 'data.created_at'],
  },
  {
    is: 'another life of PIX charges',
    plant: body(cashin, lifeOf(900)),
    found: ['assumption_wrong', charge, 'data.payment_info.expiration'],
    assumption: 'pix_charge_life',
  },
  {
    is: 'another life of crypto addresses',
    plant: body(cashin, lifeOf(600), 'TRC20'),
    found: ['documentation_wrong', charge, 'data.payment_info.expiration'],
    assumption: 'crypto_expiry',
  },
  {
    is: 'a life of crypto addresses that is about the documented one',
    plant: body(cashin, lifeOf(1860), 'TRC20'),
    found: ['assumption_wrong', charge, 'data.payment_info.expiration'],
    assumption: 'crypto_expiry',
  },
  {
    is: 'another payment method',
    plant: body(cashin, put('payment_method', 'bank_transfer'), 'clabe'),
    found: ['assumption_wrong', charge, 'data.payment_method'],
    assumption: 'payment_methods',
  },
  {
    is: 'other confirmations',
    plant: body('/transactions/wallet', put('min_confirmations', 6), 'TRC20'),
    found: ['assumption_wrong', 'POST /v2/transactions/wallet', 'data.min_confirmations'],
    assumption: 'confirmations',
  },
  {
    is: 'a code that is no BR Code',
    plant: body(
      cashin,
      data((d) => {
        d.payment_info.qrcode = 'https://pay.example'
      }),
    ),
    found: ['documentation_wrong', charge, 'data.payment_info.qrcode'],
  },
  {
    is: 'a code that is no CLABE',
    plant: inAll(false, (fields) => changeFields(fields, 'clabe', () => '123456')),
    found: ['documentation_wrong', charge, 'data.payment_info.clabe'],
    about: contradicts('it is not a CLABE'),
  },
  {
    is: 'a rate that differs by more than its rounding',
    plant: body(
      '/conversions/rate',
      data((d) => {
        d.rate = Number((d.rate + 2e-12).toFixed(12))
      }),
    ),
    found: ['assumption_wrong', 'POST /v2/conversions/rate', 'data.rate'],
    assumption: 'exchange_rates',
  },
  {
    is: 'another status of the object',
    plant: body(cashin, put('status', 'confirmed')),
    found: ['documentation_wrong', charge, 'data.status'],
  },
  {
    is: 'a missing webhook',
    plant: (e) => without(e, find(e, 'conversion.confirmed')),
    found: ['documentation_wrong', 'conversion.confirmed', 'event'],
  },
  {
    is: 'an unknown event',
    plant: (e) => {
      const one = find(e, 'wallet.created')
      changeBody(e, 'wallet.created', (b) => {
        b.event = 'wallet.activated'
      })
      const copied = structuredClone(one)
      setHeader(copied.request.headers, 'x-webhook-event', 'wallet.activated')
      setHeader(copied.request.headers, 'x-webhook-id', 'evt_other')
      changeBody([one], 'wallet.activated', (b) => {
        b.event = 'wallet.created'
      })
      e.push(copied)
    },
    found: ['unknown_field', 'wallet.activated', 'event'],
  },
  {
    is: 'a missing field of an event',
    plant: body('cashin.confirmed', drop('amount_net')),
    found: ['documentation_wrong', 'cashin.confirmed', 'data.amount_net'],
  },
  {
    is: 'an additional field of an event',
    plant: body('cashin.confirmed', put('installments', 1)),
    found: ['unknown_field', 'cashin.confirmed', 'data.installments'],
  },
  {
    is: 'a decimal string as a number',
    plant: body('cashin.confirmed', put('amount', 150.5)),
    found: ['documentation_wrong', 'cashin.confirmed', 'data.amount'],
  },
  {
    is: 'fewer decimals',
    plant: body('cashin.confirmed', put('amount', '150.5')),
    found: ['assumption_wrong', 'cashin.confirmed', 'data.amount'],
    assumption: 'amount_decimals',
  },
  {
    is: 'a balance with fewer decimals',
    plant: body(
      'cashin.confirmed',
      data((fields) => {
        fields.old_balance = String(Number(fields.old_balance))
      }),
    ),
    found: ['assumption_wrong', 'cashin.confirmed', 'data.old_balance'],
    assumption: 'amount_decimals',
  },
  {
    is: 'another fee of an event, with the amounts that follow from it,',
    plant: body(
      'cashin.confirmed',
      data((fields) => {
        const less = (name: string) => (Number(fields[name]) - 0.48).toFixed(2)
        Object.assign(fields, { fee: '1.99', amount_net: less('amount_net'), new_balance: less('new_balance') })
      }),
    ),
    found: ['assumption_wrong', 'cashin.confirmed', 'data.fee'],
    assumption: 'fees',
  },
  {
    is: 'another balance',
    plant: body('cashin.confirmed', put('new_balance', '1.00')),
    found: ['assumption_wrong', 'cashin.confirmed', 'data.new_balance'],
    assumption: 'balance_fields',
  },
  {
    is: 'another direction',
    plant: body('transfer.confirmed', put('direction', 'out')),
    found: ['assumption_wrong', 'transfer.confirmed', 'data.direction'],
    assumption: 'transfer_direction',
  },
  {
    is: 'a webhook without a signature',
    plant: (e) => setHeader(find(e, 'cashin.confirmed').request.headers, 'x-webhook-signature', null),
    found: ['documentation_wrong', 'cashin.confirmed', 'headers.X-Webhook-Signature'],
    about: contradicts('the header is missing'),
  },
  {
    is: 'another signature scheme',
    plant: (e) =>
      setHeader(
        find(e, 'cashin.confirmed').request.headers,
        'x-webhook-signature',
        'sha256=q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=',
      ),
    found: ['documentation_wrong', 'cashin.confirmed', 'headers.X-Webhook-Signature'],
  },
  {
    is: 'another form of the webhook id',
    plant: (e) => setHeader(find(e, 'cashin.confirmed').request.headers, 'x-webhook-id', '42'),
    found: ['documentation_wrong', 'cashin.confirmed', 'headers.X-Webhook-Id'],
  },
  {
    is: 'a webhook timestamp in milliseconds',
    plant: (e) => setHeader(find(e, 'cashin.confirmed').request.headers, 'x-webhook-timestamp', '1790000000000'),
    found: ['documentation_wrong', 'cashin.confirmed', 'headers.X-Webhook-Timestamp'],
  },
  {
    is: 'a webhook timestamp that is more than five minutes old',
    plant: (e) => {
      const { request, startedDateTime } = find(e, 'cashin.confirmed')
      const seconds = Math.floor(Date.parse(startedDateTime) / 1000) - 301
      setHeader(request.headers, 'x-webhook-timestamp', String(seconds))
    },
    found: ['documentation_wrong', 'cashin.confirmed', 'headers.X-Webhook-Timestamp'],
  },
  {
    is: 'another user agent',
    plant: (e) => setHeader(find(e, 'cashin.confirmed').request.headers, 'user-agent', 'Hooks/1'),
    found: ['documentation_wrong', 'cashin.confirmed', 'headers.User-Agent'],
    about: contradicts('the header has another format'),
  },
  {
    is: 'another order of the events of one object',
    plant: swapDispute,
    found: ['assumption_wrong', 'chargeback.lost', 'order'],
    assumption: 'attempt_order',
  },
  {
    is: 'a late webhook',
    plant: (e) => {
      const one = find(e, 'conversion.confirmed')
      one.startedDateTime = new Date(Date.parse(one.startedDateTime) + 90_000).toISOString()
    },
    found: ['documentation_wrong', 'conversion.confirmed', 'delay'],
  },
  {
    is: 'a late retry',
    plant: (e) => {
      const one = find(e, 'cashout.failed')
      const again = structuredClone(one)
      one.response.status = 500
      e.splice(e.indexOf(one) + 1, 0, again)
      later(e, again, 60)
      setHeader(
        again.request.headers,
        'x-webhook-timestamp',
        String(Date.parse(again.startedDateTime) / 1000).slice(0, 10),
      )
    },
    found: ['documentation_wrong', 'cashout.failed', 'attempts.delay'],
    about: contradicts('attempt 2 was made later'),
  },
  {
    is: 'a retry with the timestamp of the first attempt',
    plant: (e) => {
      const one = find(e, 'cashout.failed')
      const again = structuredClone(one)
      one.response.status = 500
      e.splice(e.indexOf(one) + 1, 0, again)
      later(e, again, 4)
    },
    found: ['assumption_wrong', 'cashout.failed', 'attempts.timestamp'],
    assumption: 'attempt_changes',
  },
  {
    is: 'a retry with another id',
    plant: (e) => {
      const one = find(e, 'cashout.failed')
      const again = structuredClone(one)
      one.response.status = 500
      setHeader(again.request.headers, 'x-webhook-id', 'evt_again')
      e.splice(e.indexOf(one) + 1, 0, again)
      later(e, again, 1)
    },
    found: ['assumption_wrong', 'cashout.failed', 'attempts.id'],
    assumption: 'attempt_changes',
  },
  {
    is: 'a retry with another body',
    plant: (e) => {
      const one = find(e, 'cashout.failed')
      const again = structuredClone(one)
      one.response.status = 500
      again.request.postData.text = again.request.postData.text.replace('{', '{"attempt":2,')
      e.splice(e.indexOf(one) + 1, 0, again)
      later(e, again, 1)
    },
    found: ['assumption_wrong', 'cashout.failed', 'attempts.body'],
    assumption: 'attempt_changes',
  },
  {
    is: 'an order of list items that differs',
    plant: body(
      '/transactions/list',
      (b) => {
        b.data.items.reverse()
      },
      'pagination',
    ),
    found: ['assumption_wrong', 'POST /v2/account/transactions/list', 'data.items.order'],
  },
  {
    is: 'a total that counts more than the list has',
    plant: body(
      '/transactions/list',
      data(({ pagination }) => {
        pagination.total++
      }),
      'pagination',
    ),
    found: ['assumption_wrong', list, 'data.pagination.total'],
    assumption: 'pages',
  },
  {
    is: 'an item that the filter of a list leaves out',
    plant: body(
      '/transactions/list',
      data(({ items: [first] }) => {
        first.type = 'cashout'
      }),
      inText('"page_size":3'),
    ),
    found: ['documentation_wrong', list, 'data.items[].type'],
  },
  {
    is: 'another name of the pagination',
    plant: body('/transactions/list', rename('pagination', 'meta'), 'pagination'),
    found: ['assumption_wrong', 'POST /v2/account/transactions/list', 'data.pagination'],
    assumption: 'pages',
  },
  {
    is: 'a path that does not exist',
    plant: (e) => {
      const one = find(e, '/account/fees')
      one.response.status = 404
      one.response.content.text = JSON.stringify({
        success: false,
        error: { code: 'NOT_FOUND', message: '', group: 'validation', retryable: false, details: {} },
      })
    },
    found: ['assumption_wrong', 'GET /v2/account/fees', 'status'],
    assumption: 'account_paths',
  },
  {
    is: 'amounts as numbers in every webhook',
    plant: inAll(true, (b) => numbersIn(b)),
    found: ['documentation_wrong', 'cashin.confirmed', 'data.amount'],
    documented: 'In payloads, amounts and balances are decimal strings.',
  },
  {
    is: 'amounts as numbers in the webhooks of deposits',
    plant: inAll(true, (b) => (b.data.source === 'static' ? numbersIn(b) : undefined)),
    found: ['documentation_wrong', 'cashin.confirmed', 'data.amount'],
  },
  {
    is: 'amount and fee as texts in every response to a charge',
    plant: (e) => {
      for (const one of e.filter((entry) => !entry._webhook && entry.request.url.endsWith(cashin)))
        changeBody(
          [one],
          cashin,
          (b) => void Object.assign(b.data ?? {}, b.data && { amount: `${b.data.amount}`, fee: '1.00' }),
        )
    },
    found: ['documentation_wrong', charge, 'data.amount'],
  },
  {
    is: 'another deadline of disputes, in webhooks and in every list,',
    plant: (e) => {
      const put = (b: HarEntry) =>
        changeFields(b, 'deadline_at', (at) => new Date(Date.parse(at) + 259_200_000).toISOString())
      inAll(true, put)(e)
      inAll(false, put)(e)
    },
    found: ['documentation_wrong', 'chargeback.opened', 'data.deadline_at'],
  },
  {
    is: 'another source of every payment, deposits included,',
    plant: inAll(true, (b) => (b.event === 'cashin.confirmed' ? Object.assign(b.data, { source: 'qr' }) : undefined)),
    found: ['documentation_wrong', 'cashin.confirmed', 'data.source'],
    documented: 'string, one of dynamic_qr, static, always present',
    about: contradicts('its value is not in the list'),
  },
  {
    is: 'another lifetime of tokens',
    plant: body('/oauth/token', (b) => {
      b.expires_in = 7200
    }),
    found: ['documentation_wrong', 'POST /v2/oauth/token', 'expires_in'],
  },
]

/** Moves an entry and all entries after it. */
function later(entries: HarEntry[], entry: HarEntry, seconds: number): void {
  for (const one of entries.slice(entries.indexOf(entry)))
    one.startedDateTime = new Date(Date.parse(one.startedDateTime) + seconds * 1000).toISOString()
}

/** Moves the refund before the decision that causes it. */
function swapDispute(entries: HarEntry[]): void {
  const decided = find(entries, 'chargeback.lost')
  const refunded = find(entries, 'cashin.refunded', 'MED_DISPUTE_LOST')
  const [one, other] = [decided.startedDateTime, refunded.startedDateTime]
  entries.splice(entries.indexOf(refunded), 1)
  entries.splice(entries.indexOf(decided), 0, { ...refunded, startedDateTime: one })
  decided.startedDateTime = other
}

/** Makes a rejected charge one with these fields, which is rejected with this code. */
function rejectCharge(entries: HarEntry[], fields: object, code: string): void {
  const { request, response } = find(entries, cashin, 'MISSING_REQUIRED_FIELD')
  request.postData.text = JSON.stringify(fields)
  response.status = 422
  response.content.text = response.content.text.replace('MISSING_REQUIRED_FIELD', code)
}

/** Makes a charge one that is rejected with this code, so that neither a webhook nor the list has it. */
function rejectOrder(entries: HarEntry[], order: string, code: string): void {
  const error = { code, message: 'It is rejected.', group: 'validation', retryable: false, details: {} }
  const { response } = find(entries, cashin, order)
  response.status = 422
  response.content.text = JSON.stringify({ success: false, error })
  for (const hook of entries.filter((one) => one._webhook && one.request.postData.text.includes(order)))
    without(entries, hook)
  const leaveOut = (fields: HarEntry) => {
    fields.items = fields.items.filter((one: HarEntry) => one.external_id !== order)
    fields.pagination.total--
  }
  changeBody(entries, '/transactions/list', data(leaveOut), 'pagination')
}

/** Makes a rejected withdrawal one without a signature, with this answer. Returns its request. */
function rejectUnsigned(entries: HarEntry[], answer: object): HarEntry {
  const one = find(entries, cashout, 'INSUFFICIENT_BALANCE')
  setHeader(one.request.headers, 'x-signature', null)
  Object.assign(one.response, answer)
  return one.request
}

let recorded: Promise<HarEntry[]> | undefined
async function recording(): Promise<HarEntry[]> {
  recorded ??= recordTraffic()
  return copy(await recorded)
}

test.each(deviations)('$is is found once, with its verdict and path', async (deviation) => {
  const { plant, found, assumption, documented, about } = deviation
  const entries = await recording()
  plant(entries)
  const report = await compareEntries(entries)
  const shown = differences(report).map(({ verdict, call, path }) => [verdict, call, path])
  expect(shown, JSON.stringify(differences(report), null, 1)).toEqual([found])
  if (assumption !== undefined) expect(differences(report)[0]?.assumption).toBe(assumption)
  if (documented !== undefined) expect(differences(report)[0]?.documented).toBe(documented)
  if (about !== undefined) expect(differences(report)[0]?.about).toBe(about)
})

test('a missing and an additional field of another form are two fields', async () => {
  const entries = await recording()
  const change = (fields: HarEntry) => {
    delete fields.created_at
    fields.checkout_url = 'https://pay.example/1'
  }
  changeBody(entries, cashin, data(change))
  const shown = differences(await compareEntries(entries)).map(({ verdict, path }) => [verdict, path])
  expect(shown).toEqual([
    ['documentation_wrong', 'data.created_at'],
    ['unknown_field', 'data.checkout_url'],
  ])
})

test('other values of one field in two events are two findings, and the missing field is one', async () => {
  const found = async (change: (name: string) => (fields: HarEntry) => unknown) => {
    const entries = await recording()
    for (const event of ['cashin.confirmed', 'cashout.confirmed']) changeBody(entries, event, data(change(event)))
    return differences(await compareEntries(entries)).map(({ call, path, places }) => [call, path, places])
  }
  expect(await found((event) => (fields) => Object.assign(fields, { external_id: `other-${event}` }))).toEqual([
    ['cashin.confirmed', 'data.external_id', 1],
    ['cashout.confirmed', 'data.external_id', 1],
  ])
  expect(await found(() => (fields) => delete fields.external_id)).toEqual([
    ['cashin.confirmed', 'data.external_id', 2],
  ])
})

test('errors with empty details are one finding, whatever they lack, and other fields are findings of their own', async () => {
  const entries = await recording()
  for (const code of ['BELOW_MIN_LIMIT', 'INVALID_CURRENCY'])
    changeBody(entries, cashin, ({ error }) => void Object.assign(error, { details: {} }), code)
  const change = ({ items: [first] }: HarEntry) => Object.assign(first, { currency_type: 'money' })
  changeBody(entries, '/transactions/list', data(change), 'pagination')
  const found = differences(await compareEntries(entries)).map(({ call, path }) => [call, path.split('.').at(-2)])
  expect(found).toEqual([
    [charge, 'details'],
    [list, 'items[]'],
  ])
})

test.each(['INVALID_SIGNATURE', 'SIGNATURE_WRONG'])(
  'a platform that rejects a wrong signature with %s, and not a missing one, lacks that check only',
  async (code) => {
    const entries = await recording()
    const right = find(entries, cashout)
    const wrong = structuredClone(right)
    setHeader(wrong.request.headers, 'x-nonce', '6f1f0a3e-6f4b-4c7f-9f32-2f0a8f5c1a11')
    wrong.response = errorResponse(401, code)
    entries.splice(entries.indexOf(right) + 1, 0, wrong)
    setHeader(find(entries, cashout, 'INSUFFICIENT_BALANCE').request.headers, 'x-signature', null)
    const abouts = differences(await compareEntries(entries)).map(({ about }) => about)
    expect(abouts).toContain('The platform does not make this check of a signature.')
    expect(abouts).not.toContain(noSignatures)
  },
)

/** A call whose path the platform API does not have, and one that it has. */
const playUnknownPath = async ({ raw, api }: Played) => {
  await raw('/v2/account/balances', {})
  await api.balance()
}

test.each<[string, (error: HarEntry) => unknown, string, string?]>([
  ['another code', (error) => Object.assign(error, { code: 'NO_ROUTE' }), 'error.code'],
  ['no details', (error) => delete error.details, 'error.details', contradicts('it is missing')],
  [
    'a text as details',
    (error) => Object.assign(error, { details: 'none' }),
    'error.details',
    contradicts('it is not an object'),
  ],
  ['another nearest path', ({ details }) => Object.assign(details, { nearest: '/v2' }), 'error.details.nearest'],
])('%s for a path that does not exist is one finding', async (_what, change, path, about) => {
  const entries = await recordTraffic({}, playUnknownPath)
  changeBody(entries, '/account/balances', ({ error }) => void change(error))
  const found = differences(await compareEntries(entries))
  expect(found.map((one) => [one.path, about === undefined ? undefined : one.about])).toEqual([[path, about]])
})

test('a finding counts all its places, and lists the first 50 of its calls', async () => {
  const entries = await recordTraffic({}, playUnknownPath)
  changeBody(entries, '/account/balances', ({ error }) => void Object.assign(error, { code: 'NO_ROUTE' }))
  const one = find(entries, '/account/balances')
  for (let at = 1; at < 60; at++) {
    const again = structuredClone(one)
    again.request.url += at
    entries.push(again)
  }
  const found = differences(await compareEntries(entries))
  expect(found.map(({ places, calls }) => [places, calls.length])).toEqual([[60, 50]])
})
