/** Which hosts `http://` webhooks may go to by their name alone (decision 31); addresses behind names are checked when connecting. */

const privateV4 = [/^127\./, /^10\./, /^192\.168\./, /^172\.(1[6-9]|2\d|3[01])\./, /^169\.254\./, /^0\.0\.0\.0$/]
const privateNames = /(^|\.)(localhost|local|internal|test|lan|home\.arpa)$|^host\.docker\.internal$/
const privateV6 = /^\[(::1|f[cd][0-9a-f]{2}:.*|fe[89ab][0-9a-f]:.*|::ffff:(7f|a[0-9a-f]{2}:|c0a8:).*)\]$/

/** `hostname` as `URL` gives it: lower case, numeric notations resolved. A name without a dot is a container's or a local machine's. */
export function isPrivateHost(hostname: string): boolean {
  if (hostname.startsWith('[')) return privateV6.test(hostname)
  if (/^\d+\.\d+\.\d+\.\d+$/.test(hostname)) return privateV4.some((range) => range.test(hostname))
  return privateNames.test(hostname) || !hostname.includes('.')
}
