/** HTML as text in which whatever is put in is escaped, unless it is HTML already. */
import { html as tagged } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

export type Html = HtmlEscapedString

type Part = Html | string | number | boolean | null | readonly Part[]

/** html`<p>${text}</p>`; lists are joined, null is nothing. Only a promise among its parts would make it one. */
export const html = tagged as (strings: TemplateStringsArray, ...parts: Part[]) => Html
