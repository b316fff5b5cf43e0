/**
 * Ends this process when npm has ended. Between them stands a shell, which does not forward signals and outlives npm.
 * Without /proc, only the end of the parent is noticed: the shell, or npm if the shell has replaced itself.
 */
const { readFileSync } = require('node:fs')

const parent = process.ppid
const npm = aboveShell()
setInterval(() => {
  if (process.ppid !== parent || aboveShell() !== npm) process.kill(process.pid, 'SIGTERM')
}, 200).unref()

function aboveShell() {
  try {
    return /\(sh\) \S (\d+)/.exec(readFileSync(`/proc/${parent}/stat`, 'latin1'))?.[1]
  } catch {
    return undefined
  }
}
