/** Chooses the language of the payer's page: `?lang=`, then `Accept-Language`, then the language of the rail. */
import { parseAccept } from 'hono/utils/accept'
import { isKeyOf } from '../../base/keys.js'
import { type CurrencyRow, currencyOf } from '../../protocol/platform/currencies.js'
import type { Charge } from './charge.js'
import { en } from './texts/en.js'
import { es } from './texts/es.js'
import { pt } from './texts/pt.js'
import type { PayTexts } from './texts/texts.js'

const languages = { pt, es, en }
type Language = keyof typeof languages

interface RailLocale {
  language: Language
  timeZone: string
}

const railLocales: Record<CurrencyRow['rail'], RailLocale> = {
  pix: { language: 'pt', timeZone: 'America/Sao_Paulo' },
  spei: { language: 'es', timeZone: 'America/Mexico_City' },
  chain: { language: 'en', timeZone: 'UTC' },
}

/** Reads the language of a tag such as `pt-BR`. */
function languageOfTag(tag: string): Language | undefined {
  const name = tag.split('-', 1)[0]?.toLowerCase() ?? ''
  return isKeyOf(languages, name) ? name : undefined
}

/** The most preferred language of the header that the page has. */
function acceptedLanguage(header: string): Language | undefined {
  const tags = parseAccept(header).filter(({ q }) => q > 0)
  return tags.map(({ type }) => languageOfTag(type)).find((language) => language !== undefined)
}

/** What the caller asks for; undefined: the rail decides. */
export function requestedLanguage(lang: string | undefined, acceptLanguage: string | null): Language | undefined {
  return languageOfTag(lang ?? '') ?? acceptedLanguage(acceptLanguage ?? '')
}

export interface PayLocale {
  language: Language
  texts: PayTexts
  /** Formats a moment in the local time of the rail, with the name of its place. */
  formatTime(atMs: number): string
}

/** Short enough for one line. */
const dateAndTime = { day: '2-digit', year: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

/** Without a charge, English is the language if the caller asks for none. */
export function localeOf(preference: Language | undefined, charge?: Charge): PayLocale {
  const rail = charge === undefined ? 'chain' : currencyOf(charge.currency).rail
  const language = preference ?? railLocales[rail].language
  const texts = languages[language]
  const { timeZone } = railLocales[rail]
  const { locale, month } = texts
  const format = new Intl.DateTimeFormat(locale, { ...dateAndTime, month, timeZone })
  return { language, texts, formatTime: (atMs) => `${format.format(atMs)} (${texts.zones[rail]})` }
}
