/** What pages are made of: HTML templates that escape every inserted value, unless it is HTML already, security headers, media types. */
import { html as tagged } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

export type Html = HtmlEscapedString

type Part = Html | string | number | boolean | null | readonly Part[]

/** html`<p>${text}</p>`; lists are joined, null is omitted. The result is a promise only if a part is one, and none is. */
export const html = tagged as (strings: TemplateStringsArray, ...parts: Part[]) => Html

/**
 * Security headers of every page: only own files and own requests, no inline scripts or styles, no HTML from strings
 * (Trusted Types), no framing.
 */
export const pageSecurity = {
  'Content-Security-Policy': [
    "default-src 'self'",
    // scripts/build-dashboard.mjs embeds the font in the style sheet of the brand as a data: URL.
    "font-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

// Media types of the dashboard's files, by extension.

export const pageTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}
