/** Node's modules for a program with another working folder. The folder of this process does not change, because parallel tests share it. */
import childProcess from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

// biome-ignore lint/suspicious/noExplicitAny: the modules have functions of any type
type Functions = Record<string, any>

/** Functions whose second argument is also a path. */
const twoPaths = /^(rename|link|copyFile|cp)(Sync)?$/

export function modulesIn(folder: string): Record<string, object> {
  const absolute = (given: unknown) =>
    typeof given === 'string' && !path.isAbsolute(given) ? path.join(folder, given) : given
  const files = (functions: Functions): object =>
    new Proxy(functions, {
      get(target, name: string) {
        const own = target[name]
        if (name === 'promises') return files(own)
        // Classes and constants have no path arguments.
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
