/** Where a request leads: the one reading of its target, by which it is both guarded and routed. */

export interface Address {
  workspace: string
  /** Inside the workspace; percent-decoded but for what would change its segments (`%2F`, `%25`), without `.` and `..`. */
  path: string
}

/** `/w/{name}/…` is the same surface over another workspace; everything else belongs to `default`. */
export function addressOf(request: Request, rawTarget: string): Address {
  const path = pathOf(request, rawTarget)
  const match = path.startsWith('/w/') ? /^\/w\/([^/]+)(\/.*)?$/s.exec(path) : null
  return match === null ? { workspace: 'default', path } : { workspace: match[1] ?? '', path: match[2] ?? '/' }
}

/** Whatever a URL would rewrite: escapes, dot segments, other slashes, a whole address. */
const rewritten = /%|\/\.|[\\#]|^[^/]/

function pathOf(request: Request, rawTarget: string): string {
  const end = rawTarget.indexOf('?')
  const raw = end < 0 ? rawTarget : rawTarget.slice(0, end)
  return rewritten.test(raw) || raw === '' ? decoded(new URL(request.url).pathname) : raw
}

function decoded(path: string): string {
  try {
    return decodeURI(path.replaceAll('%25', '%2525'))
  } catch {
    return path
  }
}
