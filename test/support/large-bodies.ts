/** Large bodies of one caller, and what the others notice. */
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { control } from './http.js'

/** Sends a large body, and measures the share of the time for which the event loop of the sandbox, which is that of the test, is busy. */
export async function busyDuring(url: string, path: string, type: string, text: string) {
  const body = new TextEncoder().encode(text)
  const before = performance.eventLoopUtilization()
  const answer = await fetch(`${url}/_sandbox${path}`, { method: 'POST', headers: { 'Content-Type': type }, body })
  const { utilization: busy } = performance.eventLoopUtilization(before)
  return { status: answer.status, body: await answer.json(), busy }
}

/** Without a thread the loop is always busy, with one for less than a quarter of the time. */
export const mostBusy = 0.6

/** This many responses show that calls continue. Later calls are slower, to leave the CPU to the work. */
const enough = 10

/** Sends a large body, and counts the calls that are answered one after the other until its response. */
export async function answeredDuring(url: string, path: string, type: string, text: string) {
  const body = new TextEncoder().encode(text)
  let answered = 0
  let isOver = false
  const sent = fetch(`${url}/_sandbox${path}`, { method: 'POST', headers: { 'Content-Type': type }, body })
    .then(async (answer) => ({ status: answer.status, body: await answer.json() }))
    .finally(() => {
      isOver = true
    })
  // Until the body has arrived, calls are answered in any case.
  await pause(50)
  while (!isOver) {
    await control(url)('GET', '/health')
    if (!isOver) answered++
    if (answered > enough) await pause(20)
  }
  return { ...(await sent), answered }
}

export const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))
