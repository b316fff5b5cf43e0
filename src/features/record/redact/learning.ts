/** Finds the secrets that a text shows by what stands around them: `password=…`, `https://user:…@host`, tokens with a known form. */
import { bytesOf } from '../../../inside/values.js'
import { classOf } from './fields.js'
import type { Secrets } from './secrets.js'
import { viewsOf } from './views.js'

/** `name=value`, `name: value` and `"name":"value"` within a text; `;name=value` in a path or a header. */
const assignment =
  /(?<![\w.-])([A-Za-z][\w.-]{1,60})["']?[ ]{0,2}[:=]([ ]{0,2})(?:"((?:[^"\\]|\\.){4,1000})"|["']?([^\s"'\\&;,<>(){}[\]]{4,}))/g
const schemes = /^(?:bearer|basic|digest|token|negotiate)$/i
/** The sandbox's own secrets, and others that begin like it. */
const prefixed = /(?<![A-Za-z\d])(?:at|rt|pk|rk|sk|secret|whsec|ghp|gho|xoxb)_\w{20,}/g
const codeText = /[\w.~+/=-]{16,}/g

export function learnFrom(text: string, secrets: Secrets): void {
  if (!secrets.isUnread(text)) return
  learnQueries(text, secrets)
  for (const { text: view } of viewsOf(text)) {
    for (const [, name = '', space = '', quoted, bare = ''] of view.matchAll(assignment)) {
      const value = quoted ?? bare
      // `token: invalid` is a sentence.
      const isWord = space !== '' && /^[a-z]+[.!]?$/.test(value)
      if (classOf(name) === 'secret' && !isWord && !schemes.test(value)) learnValue(value, secrets)
    }
    for (const [secret] of view.matchAll(prefixed)) secrets.learn(secret)
    for (const [run] of view.matchAll(codeText)) learnJsonWebToken(run, secrets)
    for (let at = view.indexOf('://'); at >= 0; at = view.indexOf('://', at + 3)) learnUserInfo(view, at + 3, secrets)
  }
}

/** Queries and fragments of URLs. Their values are read before any known secret is replaced, which may be part of them. */
function learnQueries(text: string, secrets: Secrets): void {
  for (const pair of text.split(/[?#&]/).slice(1)) {
    const equals = pair.indexOf('=')
    if (equals < 1 || equals > 60 || classOf(pair.slice(0, equals), '?') !== 'secret') continue
    const value = pair.slice(equals + 1)
    learnValue(value.slice(0, (/[\s"<>]/.exec(value) ?? { index: value.length }).index), secrets)
  }
}

/** As it stands, decoded, and without the end of a sentence, and with the spaces of a form: it can stand elsewhere in each form. */
export function learnValue(text: string, secrets: Secrets): void {
  for (const { text: view } of viewsOf(text)) {
    secrets.learn(view)
    secrets.learn(view.replace(/[.!?]$/, ''))
    secrets.learn(view.replaceAll('+', ' '))
  }
}

/** With whatever stands in front of it or behind it. */
function learnJsonWebToken(run: string, secrets: Secrets): void {
  const start = run.indexOf('eyJ')
  if (start >= 0 && run.includes('.', start)) secrets.learn(run.slice(start))
}

function learnUserInfo(text: string, from: number, secrets: Secrets): void {
  const rest = text.slice(from, from + 1000)
  const authority = rest.slice(0, (/[\s/?#"<>\\]/.exec(rest) ?? { index: rest.length }).index)
  const end = authority.lastIndexOf('@')
  if (end < 0) return
  const info = authority.slice(0, end)
  learnValue(info, secrets)
  learnValue(info.slice(info.indexOf(':') + 1), secrets)
}

/** `Authorization` and the like: the value, what follows its scheme, and the password of `Basic`. */
export function learnCredentials(value: string, secrets: Secrets): void {
  const gap = value.indexOf(' ')
  const scheme = gap < 0 ? '' : value.slice(0, gap)
  const credentials = gap < 0 ? '' : value.slice(gap).trimStart()
  if (!schemes.test(scheme)) learnValue(value, secrets)
  if (schemes.test(scheme) || !credentials.includes(' ')) learnValue(credentials, secrets)
  if (scheme.toLowerCase() !== 'basic') return
  try {
    const text = new TextDecoder().decode(bytesOf(credentials))
    learnValue(text, secrets)
    learnValue(text.slice(text.indexOf(':') + 1), secrets)
  } catch {
    // Not base64, so it contains no password.
  }
}

const unquoted = (text: string): string => text.slice(text.startsWith('"') ? 1 : 0, text.endsWith('"') ? -1 : undefined)

const cookieAttributes = /^(?:path|domain|expires|max-age|samesite|secure|httponly|priority|partitioned)$/i

/** The values of `Cookie` and `Set-Cookie`. */
export function learnCookies(value: string, secrets: Secrets): void {
  for (const pair of value.split(';')) {
    const equals = pair.indexOf('=')
    if (equals < 0 || cookieAttributes.test(pair.slice(0, equals).trim())) continue
    learnValue(unquoted(pair.slice(equals + 1).trim()), secrets)
  }
}
