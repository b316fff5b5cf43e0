/** Starts programs, waits until they are ready, and reads their CPU and memory from the system. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** Programs that still run. They are killed when the bench exits, so a failed measurement leaves none behind. */
const running = new Set()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Resolves with the line of JSON that the program prints when it is ready. */
export async function startProgram(args, node = process.execPath) {
  const startedMs = performance.now()
  const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const line = await new Promise((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve)
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)))
  })
  const ready = JSON.parse(line)
  return {
    ready,
    base: ready.base_url,
    readyMs: performance.now() - startedMs,
    startedMs,
    memoryMb: () => memoryMbOf(child),
    cpuMs: () => cpuMsOf(child),
    stop: (signal = 'SIGTERM') => new Promise((resolve) => child.once('exit', resolve) && child.kill(signal)),
  }
}

export const memoryMbOf = ({ pid }) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** The CPU time that a process has used since its start. */
export function cpuMsOf({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]

/** Milliseconds from the start of a program to its exit. */
export function timeToEnd(args) {
  const startedMs = performance.now()
  return new Promise((resolve) =>
    spawn(process.execPath, args, { stdio: 'ignore' }).once('exit', () => resolve(performance.now() - startedMs)),
  )
}
