/** The error body (interface.md §7): one schema, an example for each code, and the responses of an operation by status. */

import {
  type ErrorCode,
  type ErrorForm,
  type ErrorRow,
  errorBody,
  errorCatalogue,
  errorCodes,
} from '../../protocol/platform/errors.js'
import { responseHeaders } from '../../protocol/platform/headers.js'
import type { Answer, Example, Media, Schema } from './json-schema.js'

export const controlCodes = {
  '4XX': [
    'INVALID_JSON',
    'MISSING_REQUIRED_FIELD',
    'UNAUTHORIZED',
    'FORBIDDEN_ORIGIN',
    'NOT_FOUND',
    'METHOD_NOT_ALLOWED',
    'WAIT_TIMEOUT',
    'INVALID_TRANSITION',
    'CONFLICT',
    'RATE_LIMIT_EXCEEDED',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_CONTENT_TYPE',
    'INVALID_VALUE',
  ],
  '5XX': ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', 'INBOX_FULL'],
} as const satisfies Record<string, readonly ErrorCode[]>

const isAssumed = (code: ErrorCode) => errorCatalogue[code].basis === 'assumed'
const mark = (assumed: boolean) => (assumed ? ({ 'x-assumed': true } as const) : {})

const usualForm: ErrorForm = (row) => row

/** `form`: the groups of the settings. The control API uses the groups of the table, too. */
export function errorSchemas(form = usualForm): Record<string, Schema & Record<`x-${string}`, unknown>> {
  return {
    ErrorCode: {
      type: 'string',
      description: 'Code of the error. The platform does not document the codes that are listed in `x-assumed-values`.',
      enum: errorCodes,
      'x-assumed-values': errorCodes.filter(isAssumed),
    },
    Error: {
      type: 'object',
      description: 'The body of every error response.',
      required: ['success', 'error'],
      properties: {
        success: { type: 'boolean', const: false },
        error: {
          type: 'object',
          required: ['code', 'message', 'group', 'retryable', 'details'],
          properties: {
            code: { $ref: '#/components/schemas/ErrorCode' },
            message: { type: 'string', description: 'Description of the code. The text may change.' },
            group: {
              type: 'string',
              description: 'Group of the code.',
              enum: [...new Set(errorRows().flatMap((row) => [form(row).group, row.group]))],
              'x-assumed': true,
            },
            retryable: { type: 'boolean', description: 'Whether the same call can succeed later.' },
            details: { type: 'object', description: 'Fields that depend on the code.' },
          },
        },
      },
    },
  }
}

const errorRows = () =>
  errorCodes.map((code) => {
    const { group, retryable }: ErrorRow = errorCatalogue[code]
    return { code, group, retryable: retryable === true }
  })

export function errorExamples(form = usualForm): Record<string, Example> {
  return Object.fromEntries(
    errorCodes.map((code) => {
      const { status, message, example = {} }: ErrorRow = errorCatalogue[code]
      return [
        code,
        {
          summary: message,
          value: errorBody({ status, code, message, details: example }, form),
          ...mark(isAssumed(code)),
        },
      ]
    }),
  )
}

/** Error responses of an operation with these codes, by status. A status gets `x-assumed` if all its codes are assumed. */
export function errorAnswers(codes: readonly ErrorCode[]): Record<string, Answer> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    const { status } = errorCatalogue[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const statuses = [...byStatus].sort(([a], [b]) => a - b)
  return Object.fromEntries(statuses.map(([status, found]) => [String(status), errorAnswer(found)]))
}

export const errorMedia = (codes: readonly ErrorCode[]): Media => ({
  schema: { $ref: '#/components/schemas/Error' },
  examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
})

export const errorResponse = (description: string, codes: readonly ErrorCode[]): Answer => ({
  description,
  content: { 'application/json': errorMedia(codes) },
})

const withRetryAfter: readonly ErrorCode[] = ['RATE_LIMIT_EXCEEDED', 'IP_BLOCKED_TEMPORARILY']

export const headerRefs = (...names: readonly string[]): NonNullable<Answer['headers']> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

function errorAnswer(codes: readonly ErrorCode[]): Answer {
  return {
    description: codes.join(', '),
    headers: headerRefs(
      responseHeaders.requestId,
      ...(codes.some((code) => withRetryAfter.includes(code)) ? [responseHeaders.retryAfter] : []),
    ),
    content: { 'application/json': errorMedia(codes) },
    ...mark(codes.every(isAssumed)),
  }
}
