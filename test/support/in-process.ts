/** Runs the built program in this process with a simulated `process`, which takes a twentieth of the time of a new Node. */
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { constants, Script } from 'node:vm'
import { bin } from './built.js'
import { modulesIn } from './in-folder.js'

const file = join(dirname(bin), '../dist/program.cjs')
const requireFrom = createRequire(file)
const names = ['exports', 'require', 'module', '__filename', '__dirname', 'process']
let script: Script | undefined

type Load = (
  exports: object,
  require: (id: string) => unknown,
  module: object,
  filename: string,
  folder: string,
  process: object,
) => void

/** Compiles the bundle once. Each run gets fresh modules, as in a new process. */
function program(own: object, cwd: string | undefined): { run(): { finished: Promise<void> } } {
  script ??= new Script(`(function (${names.join()}) {${readFileSync(file, 'latin1')}\n})`, {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  const load = script.runInThisContext() as Load
  const exports = {} as ReturnType<typeof program>
  const modules: Record<string, object> = {
    process: own,
    'node:process': own,
    ...(cwd === undefined ? {} : modulesIn(cwd)),
  }
  const requireOwn = (id: string): unknown => modules[id] ?? requireFrom(id)
  load(exports, requireOwn, { exports }, file, dirname(file), own)
  return exports
}

function output(): { stream: Writable; text: () => string } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

export interface Printed {
  code: number
  stdout: string
  stderr: string
}

interface Begun {
  /** Resolves when the command has finished; a sandbox that it started keeps running. */
  finished: Promise<void>
  /** Resolves when the program calls `process.exit`. */
  exited: Promise<void>
  soFar(): Printed
  signal(name: NodeJS.Signals): void
}

type Environment = Record<string, string | undefined>

export function beginHere(args: readonly string[], env: Environment, cwd?: string): Begun {
  const [stdout, stderr, signals] = [output(), output(), new EventEmitter()]
  const { promise: exited, resolve: exit } = deferred()
  const listen = (name: string, listener: () => void) => {
    signals.on(name, listener)
    return own
  }
  const forget = (name: string, listener: () => void) => {
    signals.off(name, listener)
    return own
  }
  const values = {
    ...{
      argv: [process.execPath, bin, ...args],
      env,
      stdout: stdout.stream,
      stderr: stderr.stream,
      exitCode: undefined,
    },
    ...(cwd === undefined ? {} : { cwd: () => cwd }),
    ...{ on: listen, once: listen, addListener: listen, off: forget, removeListener: forget },
    exit(code?: number): void {
      if (code !== undefined) own.exitCode = code
      exit()
    },
  }
  const properties = Object.entries(values).map(([name, value]) => [name, { value, writable: true }])
  const own: { exitCode?: number } = Object.create(process, Object.fromEntries(properties))
  return {
    finished: program(own, cwd).run().finished,
    exited,
    soFar: () => ({ code: own.exitCode ?? 0, stdout: stdout.text(), stderr: stderr.text() }),
    signal: (name) => void signals.emit(name, name),
  }
}

export async function runHere(args: readonly string[], env: Environment, cwd?: string): Promise<Printed> {
  const { finished, exited, soFar } = beginHere(args, env, cwd)
  await Promise.race([finished, exited])
  return soFar()
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
