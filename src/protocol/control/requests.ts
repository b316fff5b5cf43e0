/** Control routes of the request log. */

import * as z from 'zod'
import { toPlainJson } from '../../base/json.js'
import { errorCodes } from '../platform/errors.js'
import { choice, dateTimeUtc, integerInJson, integerInQuery, text } from '../platform/fields.js'
import { ownTools, requestHeaders, responseHeaders } from '../platform/headers.js'
import { operations } from '../platform/limits.js'
import { statusesOf } from '../platform/transitions.js'
import { warningCodes, warningList } from '../platform/warnings.js'
import { callFaults } from '../settings/chaos.js'
import { filterText, listOf, model, pageOf, route } from './route.js'

const signatureVerdicts = ['valid', 'invalid', 'missing', 'bad_timestamp', 'replayed'] as const

const signatureReport = model('SignatureReport', () =>
  z.strictObject({
    verdict: z.enum(signatureVerdicts),
    string_to_sign: z.string().describe('The string that the sandbox signed'),
    expected: z.string(),
    received: z.string(),
    hint: z.string().nullable().describe('The known mistake that explains the received signature'),
  }),
)
export type SignatureReport = z.output<ReturnType<typeof signatureReport>>

const callWarning = model('CallWarning', () =>
  z.strictObject({
    code: z.enum(warningCodes).describe(warningList()),
    message: z.string().describe('The mistake as a sentence, with the field name that was probably meant'),
    field: z.string().optional().describe('The field, query parameter or header'),
  }),
)

const samePayment = model('SamePayment', () =>
  z.strictObject({
    transaction_id: z.string(),
    external_id: z.string().nullable(),
    status: z.enum(statusesOf(...operations)),
    counts: z.boolean().describe('Whether money has moved or still can, and not all of the amount has come back'),
    certain: z
      .boolean()
      .describe('False for charges without a payer that differ in their reference: they may be for different orders'),
    request_id: z.string(),
    at: dateTimeUtc(),
  }),
)

const logged = () => ({
  request_id: z.string().describe(`The \`${responseHeaders.requestId}\` of its response`),
  at: dateTimeUtc(),
  method: z.string(),
  path: z.string(),
  status: z.int().describe('0 if the connection was dropped'),
  error_code: z.string().nullable(),
  duration_ms: z.int(),
  credential: z.string().nullable(),
  account: z.string().nullable(),
  scenario: z.string().optional().describe('The scenario that affected this call'),
  chaos: z.array(z.enum(callFaults)).optional().describe('Random faults of this call'),
  requested_error: z
    .string()
    .optional()
    .describe(`The error that the caller requested with \`${requestHeaders.error}\``),
  faults: z.array(z.string()).optional().describe('Effects of the scenario, of chaos or of the request on the call'),
  warnings: z.array(callWarning()).describe('Probable mistakes in the call, accepted or rejected'),
  by: z.enum(ownTools).optional().describe('The tool of the sandbox that made the call instead of your app'),
  paid_twice: z
    .array(samePayment())
    .optional()
    .describe('The calls that made one payment or charge more than once, this one among them, oldest first'),
})

const headers = () => z.record(z.string(), z.string())

const loggedCall = model('LoggedCall', () =>
  z.strictObject({
    ...logged(),
    external_id: z.string().optional().describe('The reference in the body of the request, if it has one'),
    amount: z.string().optional().describe('The amount in the body of the request, as it was written'),
    currency: z.string().optional(),
  }),
)

const loggedCallDetails = model('LoggedCallDetails', () =>
  z.strictObject({
    ...logged(),
    request_headers: headers().describe('Secrets are masked'),
    request_body: z
      .string()
      .nullable()
      .describe('Secrets are masked; a form has its fields, and a description of its files'),
    response_headers: headers().describe('Only headers that the sandbox sets'),
    response_body: z.string().nullable().describe('Secrets are masked'),
    signature: signatureReport().optional().describe('Only for signed routes'),
  }),
)
export type LoggedCallDetails = z.output<ReturnType<typeof loggedCallDetails>>

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

const nearMiss = model('NearMiss', () =>
  z.strictObject({
    request_id: z.string(),
    differs: z.array(
      z.strictObject({
        field: z.string().describe(`\`status\`, \`body.amount\`, \`headers.${requestHeaders.nonce.toLowerCase()}\`, …`),
        expected: z.unknown(),
        received: z.unknown().describe('null if it is missing'),
      }),
    ),
  }),
)

const method = () => z.preprocess((value) => (typeof value === 'string' ? value.toUpperCase() : value), choice(methods))

export const requestRoutes = {
  listRequests: route('GET /requests', {
    summary: 'API calls, newest first',
    query: () =>
      pageOf({
        status: integerInQuery(0, 599).optional(),
        error_code: choice(errorCodes).optional(),
        path: filterText(),
        method: method().optional(),
        account: filterText(),
        warnings: choice(['true', 'false'])
          .optional()
          .describe('`true`: only calls with warnings; `false`: only those without'),
        transaction_id: filterText().describe(
          'The transaction of the call: from its body, its `external_id`, or the response',
        ),
      }),
    answer: () => listOf(loggedCall()),
  }),
  readRequest: route('GET /requests/{id}', {
    summary: 'One call with its bodies and the result of its signature check',
    answer: loggedCallDetails,
  }),
  verifyRequests: route('POST /requests/verify', {
    summary: 'The number of matching calls, and similar calls that do not match; 409 if the number is not `times`',
    body: () =>
      z.strictObject({
        method: method().optional(),
        path: text(2000)
          .optional()
          .describe('If it has no query, the query of a call is ignored. Works with and without `/w/{name}`'),
        status: integerInJson(0, 599).optional(),
        body: z
          .preprocess(toPlainJson, z.unknown())
          .optional()
          .describe('Only the given fields of an object are compared'),
        headers: z.record(z.string(), z.string('must be a string')).optional(),
        times: integerInJson(0, 1_000_000)
          .optional()
          .describe('Required number of matching calls (default: at least one)'),
      }),
    answer: () => z.strictObject({ matched: z.int(), near: z.array(nearMiss()) }),
    example: { method: 'POST', path: '/v2/transactions/cashin', body: { amount: 25.5 }, times: 1 },
  }),
  replayRequest: route('POST /requests/{id}/replay', {
    summary: 'Repeat the call, with a new token and signature if it requires them',
    answer: loggedCallDetails,
  }),
} as const
