/** Why a start failed, in one line that says what, where and how to mend it. */

interface Where {
  host: string
  port: string
  db: string
}

const isCode = (error: unknown, pattern: RegExp) =>
  error instanceof Error && pattern.test(String((error as Error & { code?: unknown }).code ?? ''))

export function explainStartError(error: unknown, { host, port, db }: Where): string {
  const message = error instanceof Error ? error.message : String(error)
  const said = (text: string) => `payments-sandbox: ${text}`
  if (isCode(error, /^EADDRINUSE$/))
    return said(
      `port ${port} on ${host} is in use: stop what runs there, or choose another with --port (0 takes any free one)`,
    )
  if (isCode(error, /^EACCES$/))
    return said(`port ${port} on ${host} may not be opened: choose one above 1023 with --port`)
  if (isCode(error, /^(EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN)$/))
    return said(`${host} is no address of this machine: choose another with --host`)
  if (isCode(error, /^SQLITE_(BUSY|LOCKED)/))
    return said(`the database ${db} is in use by another process: stop that one, or choose another file with --db`)
  if (isCode(error, /^SQLITE_(NOTADB|CORRUPT)/))
    return said(`${db} is not a readable database (${message}): move it away, or choose another file with --db`)
  if (isCode(error, /^SQLITE_(READONLY|PERM|AUTH)/))
    return said(`the database ${db} may not be written: change its permissions, or choose another file with --db`)
  if (isCode(error, /^SQLITE_FULL/))
    return said(`the disk of ${db} is full: make room, or choose another file with --db`)
  if (isCode(error, /^SQLITE_CANTOPEN/) || /directory does not exist/.test(message)) {
    return said(`the database ${db} cannot be opened: its folder must exist and be writable (${message})`)
  }
  if (isCode(error, /^SQLITE_/) || /database/.test(message))
    return said(`the database ${db} cannot be used: ${message}; choose another file with --db`)
  return said(`could not start: ${message}`)
}
