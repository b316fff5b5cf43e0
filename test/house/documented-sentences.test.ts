/** The table of what the platform documents: each section of docs/interface.md has a row, and each row a section. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assumptionIds } from '../../src/protocol/platform/assumptions.js'
import { documentedSentences, type RecordedPlace } from '../../src/protocol/platform/documented-sentences.js'
import { type EndpointName, endpointNames, endpoints } from '../../src/protocol/platform/endpoints.js'
import { recordingsJsonSchema } from '../../src/protocol/platform/fidelity.js'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const page = read('docs/interface.md')
const sections = [...page.matchAll(/^#{2,3} <a id="section-[\d-]+"><\/a>(\d+(?:\.\d+)?)/gm)].map(
  ([, number = '']) => number,
)
/** Sections that state nothing of their own: parents of others, common fields, and repetitions of other sections. */
const withoutRows = ['2', '2.5', '5', '5.3', '6', '6.4', '6.6']

test('every section of the platform API has documented sentences, and every sentence has such a section', () => {
  const used = new Set(documentedSentences.map(({ section }) => section))
  expect(sections.filter((section) => !used.has(section))).toEqual(
    withoutRows.filter((section) => sections.includes(section)),
  )
  expect([...used].filter((section) => !sections.includes(section))).toEqual([])
})

test('every documented sentence has an id of its own, which no assumption has', () => {
  const ids: string[] = documentedSentences.map(({ id }) => id)
  expect(ids.filter((id, at) => ids.indexOf(id) !== at || assumptionIds.some((other) => other === id))).toEqual([])
})

test('the sentence about routes without a signature names exactly these', () => {
  const isUnsigned = (name: EndpointName) => !('hmac' in endpoints[name]) && name !== 'token'
  const row: { at?: readonly RecordedPlace[] } | undefined = documentedSentences.find(
    ({ id }) => id === 'unsigned-routes',
  )
  expect(row?.at?.[0]?.in?.toSorted()).toEqual(endpointNames.filter(isUnsigned).toSorted())
})

test('the schema of the index of recordings is up to date, and docs/fidelity.md begins with what nobody knows', () => {
  expect(JSON.parse(read('recordings/index.schema.json'))).toEqual(recordingsJsonSchema())
  const [title, , first] = read('docs/fidelity.md').split('\n')
  expect(title).toBe('# Fidelity')
  expect(first).toMatch(/^(Nobody knows how far|.* of the rest nobody knows)/)
})
