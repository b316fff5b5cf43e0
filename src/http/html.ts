/** HTML templates that escape every inserted value, unless it is HTML already. */
import { html as tagged } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

export type Html = HtmlEscapedString

type Part = Html | string | number | boolean | null | readonly Part[]

/** html`<p>${text}</p>`; lists are joined, null is omitted. The result is a promise only if a part is one, and none is. */
export const html = tagged as (strings: TemplateStringsArray, ...parts: Part[]) => Html
