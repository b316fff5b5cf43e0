/** Copies of the source, with features added or removed, that are built and run as programs of their own. */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './folder.js'
import { root } from './packed.js'
import { printed } from './program.js'

/** What a build reads. */
const needed = [
  'bin',
  'build.mjs',
  'LICENSE',
  'package-lock.json',
  'package.json',
  'recordings',
  'scenarios',
  'scripts',
  'src',
  'tsconfig.json',
]

export function copyOfSource(): string {
  const folder = temporaryFolder()
  for (const name of needed) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Throws if the edit changes nothing: then the file has changed, and the test must follow. */
export function edit(file: string, change: (text: string) => string): void {
  const text = readFileSync(file, 'utf8')
  const next = change(text)
  if (next === text) throw new Error(`nothing to edit in ${file}`)
  writeFileSync(file, next)
}

/** Throws with all that the program printed if it fails. */
export function runIn(folder: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
  return stdout
}

/** Starts the built copy until the test ends, and resolves to its URL. */
export async function startCopy(folder: string): Promise<string> {
  const child = spawn(process.execPath, ['bin/payments-sandbox.js', 'start', '--port', '0', '--json'], { cwd: folder })
  onTestFinished(() => void child.kill())
  return JSON.parse(await printed(child, /\{.*\}\n/)).base_url
}
