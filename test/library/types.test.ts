/** The library's types are up to date with the schemas and have the same meaning. */
import { readFileSync } from 'node:fs'
import { expect, expectTypeOf, test } from 'vitest'
import type * as z from 'zod'
import { clientTypes } from '../../scripts/client-types.js'
import type { eventTable } from '../../src/protocol/platform/events.js'
import type * as responses from '../../src/protocol/platform/responses.js'
import type { CashinResponse, EventData, TransactionListResponse } from '../../src/testing/index.js'

const folder = new URL('../../src/client/types/', import.meta.url)

test.each(Object.entries(clientTypes()))('src/client/types/%s matches the schemas', (name, text) => {
  expect(readFileSync(new URL(name, folder), 'utf8')).toBe(text)
})

test('hand-written types match the schemas', () => {
  expectTypeOf<CashinResponse>().toEqualTypeOf<z.output<ReturnType<typeof responses.cashin>>>()
  expectTypeOf<TransactionListResponse>().toEqualTypeOf<z.output<ReturnType<typeof responses.transactionList>>>()
  expectTypeOf<EventData['cashin.confirmed']>().toEqualTypeOf<
    z.output<ReturnType<(typeof eventTable)['cashin.confirmed']['data']>>
  >()
  expectTypeOf<keyof EventData>().toEqualTypeOf<keyof typeof eventTable>()
})
