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
