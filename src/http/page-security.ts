/** What every page of ours says to browsers: own files and own answers only, no inline script or style, no HTML made from text, no frame around it. */
export const pageSecurity = {
  'Content-Security-Policy': [
    "default-src 'self'",
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
