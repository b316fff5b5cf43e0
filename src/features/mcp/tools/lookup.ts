/** Searches the OpenAPI document of the sandbox: endpoints, fields, errors, events, assumptions. */
import type { Caller } from './call.js'

export interface Document {
  [more: string]: unknown
  paths?: Record<string, Record<string, unknown>>
  webhooks?: Record<string, unknown>
  components?: { schemas?: Record<string, unknown> }
}

const maxMatches = 4
const maxMatchChars = 6000

export async function documentOf(caller: Caller): Promise<Document> {
  // The route's answer is this document.
  return (await caller.control('GET', '/openapi.json')) as Document
}

/** Returns the parts that contain most of the words; a match in a name counts more. */
export async function lookUp(caller: Caller, words: string): Promise<string> {
  const document = await documentOf(caller)
  const terms = words.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 20)
  const scored = partsOf(document)
    .map((part) => ({ ...part, score: scoreOf(part, terms) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxMatches)
  if (scored.length === 0) return `No match for ${words} in the description of the API.`
  return scored.map(({ name, text }) => `## ${name}\n${text.slice(0, maxMatchChars)}`).join('\n\n')
}

function partsOf({ paths = {}, webhooks = {}, components }: Document): { name: string; text: string }[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => [`${method.toUpperCase()} ${path}`, one] as const),
  )
  return [...operations, ...Object.entries(webhooks), ...Object.entries(components?.schemas ?? {})].map(
    ([name, one]) => ({
      name,
      text: JSON.stringify(one, null, 1),
    }),
  )
}

function scoreOf({ name, text }: { name: string; text: string }, terms: readonly string[]): number {
  const [title, body] = [name.toLowerCase(), text.toLowerCase()]
  return terms.reduce((sum, word) => sum + (title.includes(word) ? 10 : 0) + (body.includes(word) ? 1 : 0), 0)
}
