/** Compares recordings in this process, and plants differences into them. */
import { compareInDetail, type DetailedComparison } from '../../src/features/compare/compare.js'
import type { Comparison, Finding } from '../../src/features/compare/judge/comparison.js'
import { type Config, defaultConfig } from '../../src/protocol/settings/platform.js'
import { scratchWorkspaces } from '../../src/runtime/node/workspaces.js'
import { sqlite } from './database.js'
import { type HarEntry, harOf } from './recording.js'

export const compareEntries = (entries: readonly HarEntry[], config: Partial<Config> = {}): Promise<Comparison> =>
  compareText(harOf(entries), config)

export const compareText = async (text: string, config: Partial<Config> = {}): Promise<Comparison> =>
  (await compareTexts([text], config)).report

/** The report, and what the entries show. */
export const compareTexts = (texts: readonly string[], config: Partial<Config> = {}): Promise<DetailedComparison> =>
  compareInDetail(texts, { ...defaultConfig, ...config }, scratchWorkspaces(sqlite, noSend).open)

/** The documented sentences and the assumptions that a recording shows to hold. */
export const shownIn = async (entries: readonly HarEntry[], config: Partial<Config> = {}): Promise<string[]> => [
  ...(await compareTexts([harOf(entries)], config)).last.shown,
]

const noSend = () => Promise.reject(new Error('a comparison sends nothing'))

export const differences = ({ findings }: Comparison): Finding[] =>
  findings.filter(({ verdict }) => verdict !== 'assumption_confirmed')

export const pathOf = (entry: HarEntry): string => new URL(entry.request.url).pathname
export const eventOf = (entry: HarEntry): string | undefined =>
  entry._webhook === true ? JSON.parse(entry.request.postData.text).event : undefined

/** Whether an entry is a given call, by the end of its path, or a given webhook, by its event. */
const isOf = (what: string) => (entry: HarEntry) =>
  what.startsWith('/') ? entry._webhook !== true && pathOf(entry).endsWith(what) : eventOf(entry) === what

/** Changes the JSON of the first entry of a call or event whose text contains `mark`. */
export function changeBody(entries: HarEntry[], what: string, change: (body: HarEntry) => unknown, mark = ''): void {
  const entry = find(entries, what, mark)
  const holder = entry._webhook === true ? entry.request.postData : entry.response.content
  const body = JSON.parse(holder.text)
  const changed = change(body) ?? body
  holder.text = JSON.stringify(changed)
}

export function find(entries: readonly HarEntry[], what: string, mark = ''): HarEntry {
  const entry = entries.filter(isOf(what)).find((one) => JSON.stringify(one).includes(mark))
  if (entry === undefined) throw new Error(`the recording has no ${what} with ${mark}`)
  return entry
}

export function without(entries: HarEntry[], entry: HarEntry): void {
  entries.splice(entries.indexOf(entry), 1)
}

export const copy = (entries: readonly HarEntry[]): HarEntry[] => structuredClone(entries) as HarEntry[]

export function setHeader(list: { name: string; value: string }[], name: string, value: string | null): void {
  const at = list.findIndex((one) => one.name.toLowerCase() === name.toLowerCase())
  if (value === null) list.splice(at, 1)
  else if (at < 0) list.push({ name, value })
  else list[at] = { name, value }
}
