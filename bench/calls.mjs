/** Calls a second over 50 connections: the sandbox, its floor (a minimal program with the same libraries) and a bare Hono server, measured in turn. */
import { join } from 'node:path'
import { drive, rawRequest } from './load.mjs'
import { median, startProgram } from './process.mjs'
import { callsWith, charge, here, inFolder, perRound, rounds, startSandbox } from './sandbox.mjs'

export const measure = (wants, report) => inFolder((folder) => measureIn(folder, wants, report))

async function measureIn(folder, wants, report) {
  const started = []
  const start = async (starting) => {
    started.push(await starting)
    return started.at(-1)
  }
  const bare = await start(startProgram([here('bare.mjs')]))
  const onFile = ['cashin-file', 'withdrawal-file', 'balance'].some(wants)
    ? await start(startSandbox(join(folder, 'bench.sqlite')))
    : null
  const inMemory = wants('cashin-memory') ? await start(startSandbox(':memory:')) : null
  const floorOn = async (db, ...names) => (names.some(wants) ? start(startFloor(db)) : null)
  const floorFile = await floorOn(join(folder, 'floor.sqlite'), 'floor-file', 'floor-withdrawal')
  const floorMemory = await floorOn(':memory:', 'floor-memory')
  const kinds = {
    bare: { ...bare, make: () => rawRequest(bare.base, 'POST', '/', token, charge()) },
    ...(onFile !== null && wants('cashin-file') ? { 'cashin-file': { ...onFile, make: onFile.cashin } } : {}),
    ...(inMemory === null ? {} : { 'cashin-memory': { ...inMemory, make: inMemory.cashin } }),
    ...(onFile !== null && wants('withdrawal-file')
      ? { 'withdrawal-file': { ...onFile, make: onFile.withdrawal, wanted: 202 } }
      : {}),
    ...(onFile !== null && wants('balance') ? { balance: { ...onFile, make: onFile.balance } } : {}),
    ...(wants('floor-file') ? { 'floor-file': { ...floorFile, make: floorFile.cashin } } : {}),
    ...(wants('floor-withdrawal')
      ? { 'floor-withdrawal': { ...floorFile, make: floorFile.withdrawal, wanted: 202 } }
      : {}),
    ...(floorMemory === null ? {} : { 'floor-memory': { ...floorMemory, make: floorMemory.cashin } }),
  }
  const found = await inTurn(kinds)
  for (const name of Object.keys(kinds)) {
    const { perSecond, cpuMicros } = found[name]
    console.log(
      `${name}: ${Math.round(median(perSecond))}/s, ${Math.round(Math.min(...cpuMicros))} µs of the server's CPU each (median and least of ${rounds} rounds of ${perRound})`,
    )
    if (name !== 'bare') report(name, ...ofBare(found, name))
  }
  for (const one of started) await one.stop()
}

/** Starts the floor, which accepts the same calls as the sandbox and sends its webhooks to `hook`. */
export async function startFloor(db, ...hook) {
  const started = await startProgram([here('floor/server.mjs'), '0', db, ...hook])
  return { ...started, ...callsWith(started.base, token, 'key') }
}

const token = { Authorization: `Bearer ${'0'.repeat(52)}` }

/** Calls a second and the server's CPU for each call, by kind and round. Round -1 warms up and does not count. */
export async function inTurn(kinds) {
  const found = Object.fromEntries(Object.keys(kinds).map((name) => [name, { perSecond: [], cpuMicros: [] }]))
  for (let round = -1; round < rounds; round++)
    for (const [name, { base, make, cpuMs, wanted = 200 }] of Object.entries(kinds)) {
      const requests = Array.from({ length: perRound }, make)
      const before = cpuMs()
      const perSecond = await drive(base, requests, { wanted })
      if (round < 0) continue
      found[name].perSecond.push(perSecond)
      found[name].cpuMicros.push(((cpuMs() - before) * 1000) / perRound)
    }
  return found
}

/** Two ratios to the bare server: calls a second (median over rounds), and CPU (lowest against lowest round, which a busy machine disturbs less). */
export const ofBare = ({ bare, ...found }, name) => [
  median(found[name].perSecond.map((value, index) => value / bare.perSecond[index])),
  Math.min(...bare.cpuMicros) / Math.min(...found[name].cpuMicros),
]
