/**
 * The language of the pages: `?lang=`, else the one chosen in this browser, else the browser's. The source is written in
 * English, and its texts are the keys of the other languages' tables.
 */

import { jsxDEV as create, Fragment } from 'hono/jsx/dom/jsx-dev-runtime'
import { isKeyOf, keysOf } from '../base/keys.js'
import { textKey } from '../base/text.js'

export const languages = { en: 'English', pt: 'Português', es: 'Español' } as const
type Language = keyof typeof languages

const locales = { en: 'en-GB', pt: 'pt-BR', es: 'es-MX' } as const
const key = 'sandbox-language'
const asked = new URLSearchParams(location.search).get('lang')
const wanted = [asked, localStorage.getItem(key), ...navigator.languages].map((tag) => tag?.split('-')[0] ?? '')
export const language: Language =
  wanted.find((name): name is Language => isKeyOf(languages, name)) ?? keysOf(languages)[0]
/** How numbers and dates are written. */
export const locale = locales[language]

if (asked === language) localStorage.setItem(key, language)

const table = new Map<string, string>()

/** Of the dashboard and of the features. */
const list = { en: undefined, pt: () => import('texts:pt'), es: () => import('texts:es') }[language]

/** Loaded before any other module of the pages runs. Without them, if they are out of reach, the page is in English. */
if (list !== undefined)
  await Promise.all([import('texts:en'), list()]).then(
    ([{ default: english }, { default: own }]) => {
      document.documentElement.lang = language
      for (const [at, text] of english.entries()) table.set(text, own[at] ?? text)
    },
    () => undefined,
  )

/** Texts in every language, in the order of `languages`. */
type Row = readonly string[]

/** The added texts with values, and their translations. */
const patterns = new Map<string, string>()

/** A sentence of a report in the language of the page; until the texts of reports are loaded, in English. */
export let said = (text: string): string => text

/**
 * Adds the texts of pages that load theirs when they are opened. Without them, these pages are in English. The build writes
 * the key of an English text in its place, unless it has values.
 */
export async function addTexts(load: () => Promise<{ default: readonly Row[] }>): Promise<void> {
  if (list === undefined) return
  const all = await Promise.all([load(), import('./sentences.js')]).catch(() => undefined)
  for (const row of all?.[0].default ?? []) {
    const [text = '', own = ''] = [row[0], row[keysOf(languages).indexOf(language)]]
    table.set(text, own)
    if (text.includes('{}')) patterns.set(text, own)
  }
  said = all?.[1].sentencesIn({ patterns, translate: t, filled }) ?? said
}

/** Reloads the page, because tables and texts of one language are not mixed with those of another. */
export function chooseLanguage(next: string): void {
  localStorage.setItem(key, next)
  const address = new URL(location.href)
  address.searchParams.delete('lang')
  history.replaceState(null, '', address)
  location.reload()
}

/** Puts values where a text has `{}`. */
const filled = (pattern: string, values: readonly unknown[]) =>
  pattern.split('{}').reduce((before, part, at) => `${before}${String(values[at - 1])}${part}`)

/** Numbers, and names that the platform or a report gives, such as `tx_01`, `signature.checked` and `PROVIDER_ERROR`. */
const values = /\d+|\b[a-z]+[._][\w.-]*\w|\b[A-Z]+_[A-Z_]*[A-Z]/g

/** With the spaces around it. A text with values is found by its pattern, too: `25 of 434` by `{} of {}`. */
function translated(text: string): string {
  const words = text.trim()
  const pattern = table.get(words.replaceAll(values, '{}'))
  const found =
    table.get(words) ??
    table.get(textKey(words)) ??
    (pattern === undefined ? words : filled(pattern, words.match(values) ?? []))
  return text.replace(words, () => found)
}

/**
 * A text in the language of the page; one without a translation stays. As a tag of a template, its values stand where the
 * translation has `{}`.
 */
export const t = (text: string | TemplateStringsArray, ...values: readonly unknown[]): string =>
  typeof text === 'string' ? translated(text) : filled(translated(text.join('{}')), values)

/** A text in the language of the page, and in English. */
export class Both {
  constructor(
    readonly own: string,
    readonly english: string,
  ) {}
}

/** As `t`, in both languages; a value can be in both, too. */
export const both = (text: string | TemplateStringsArray, ...values: readonly unknown[]): Both =>
  new Both(
    t(text, ...values.map((value) => (value instanceof Both ? value.own : value))),
    typeof text === 'string'
      ? text
      : filled(
          text.join('{}'),
          values.map((value) => (value instanceof Both ? value.english : value)),
        ),
  )

// The elements of all pages are created here, in place of the framework's `jsx-runtime`: the one place that translates what
// a person reads, which is texts between tags, and attributes that are shown or read out. Code, what users typed, and
// elements with `translate="no"` stay as they are.

const verbatim: readonly unknown[] = ['code', 'pre', 'kbd', 'bdi', 'textarea']
const readAttributes: readonly string[] = ['aria-label', 'title', 'placeholder']

type Create = typeof create
type Props = Parameters<Create>[1]

const inLanguage = (value: unknown): unknown =>
  typeof value === 'string' ? t(value) : Array.isArray(value) ? value.map(inLanguage) : value

export function jsx(tag: Parameters<Create>[0], props: Props, key?: string): ReturnType<Create> {
  const isRead = tag === Fragment || (typeof tag === 'string' && !verbatim.includes(tag) && props.translate !== 'no')
  if (language === 'en' || !isRead) return create(tag, props, key)
  const own = Object.entries(props).map(([name, value]) =>
    name === 'children' || readAttributes.includes(name) ? [name, inLanguage(value)] : [name, value],
  )
  return create(tag, Object.fromEntries(own), key)
}

export { Fragment, jsx as jsxs }
