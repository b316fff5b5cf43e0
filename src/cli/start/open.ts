/** Shows an address in the browser of the person at this machine. */
import { spawn } from 'node:child_process'

const openers: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
}

/** `BROWSER` beats the system's own opener. Where none works the address is on the screen anyway. */
export function openInBrowser(url: string): void {
  const { BROWSER } = process.env
  const [command = 'xdg-open', ...args] =
    BROWSER === undefined || BROWSER === '' ? (openers[process.platform] ?? []) : [BROWSER]
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () =>
    process.stderr.write(`payments-sandbox: no browser could be opened; the dashboard is ${url}\n`),
  )
  child.unref()
}
