/** Node's modules as a program in another working folder sees them. The folder of this process stays: tests that run side by side share it. */
import childProcess from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

// biome-ignore lint/suspicious/noExplicitAny: whatever functions the modules have
type Functions = Record<string, any>

/** Functions whose second argument is a path, too. */
const twoPaths = /^(rename|link|copyFile|cp)(Sync)?$/

export function modulesIn(folder: string): Record<string, object> {
  const absolute = (given: unknown) =>
    typeof given === 'string' && !path.isAbsolute(given) ? path.join(folder, given) : given
  const files = (functions: Functions): object =>
    new Proxy(functions, {
      get(target, name: string) {
        const own = target[name]
        if (name === 'promises') return files(own)
        // Classes and constants take no path.
        if (typeof own !== 'function' || /^[A-Z_]/.test(name)) return own
        const call = (first: unknown, second: unknown, ...rest: unknown[]) =>
          own.call(target, absolute(first), twoPaths.test(name) ? absolute(second) : second, ...rest)
        return Object.assign(call, own)
      },
    })
  const modules = {
    fs: files(fs),
    'fs/promises': files(fs.promises),
    path: {
      ...path,
      resolve: (...parts: string[]) => path.resolve(folder, ...parts),
      relative: (from: string, to: string) => path.relative(path.resolve(folder, from), path.resolve(folder, to)),
    },
    child_process: {
      ...childProcess,
      spawn: (file: string, args: readonly string[], options: object) =>
        childProcess.spawn(file, args, { cwd: folder, ...options }),
    },
  }
  return Object.fromEntries(
    Object.entries(modules).flatMap(([name, one]) => [
      [name, one],
      [`node:${name}`, one],
    ]),
  )
}
