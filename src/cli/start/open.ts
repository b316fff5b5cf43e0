/** Opens a URL in the browser of this machine. */
import { spawn } from 'node:child_process'

const openers: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
}

/** `BROWSER` takes precedence over the opener of the system. If neither works, the URL is printed. */
export function openInBrowser(url: string): void {
  const { BROWSER } = process.env
  const [command = 'xdg-open', ...args] =
    BROWSER === undefined || BROWSER === '' ? (openers[process.platform] ?? []) : [BROWSER]
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => process.stderr.write(`payments-sandbox: cannot open a browser; the dashboard is at ${url}\n`))
  child.unref()
}
