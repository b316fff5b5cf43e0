/** Histories on which the simulation failed once, or fails with a planted fault, each shrunk. A failing run of `npm run torture` prints a new one to paste. */
import { afterAll, expect, test, vi } from 'vitest'
import type { Step } from '../torture/simulation/history.js'
import { play } from '../torture/simulation/simulate.js'

/** The simulation replaces it by a light one, which a server cannot send: other files of the same process need Node's. */
const { Response } = vi.hoisted(() => ({ Response: globalThis.Response }))
afterAll(() => void Object.assign(globalThis, { Response }))

const holds = async (seed: number, history: readonly Step[]) => expect(await play(seed, history)).toBeNull()

test('the simulation holds: a failed withdrawal is returned', () =>
  holds(7, [
    {
      do: 'withdraw',
      who: 'merchant',
      currency: 'BRL',
      size: 260,
      together: 1,
      repeats: 0,
      clashes: false,
      lost: true,
    },
  ]))

test('the simulation holds: every event is sent', () =>
  holds(7, [
    { do: 'convert', who: 'merchant', currency: 'BRL', size: 478, together: 1, repeats: 0, clashes: false, to: 'USDT' },
    { do: 'transfer', who: 'customer', currency: 'BRL', size: 792, together: 1, repeats: 0, clashes: false },
    {
      do: 'withdraw',
      who: 'merchant',
      currency: 'USDT',
      size: 250,
      together: 1,
      repeats: 0,
      clashes: false,
      lost: false,
    },
    { do: 'charge', who: 'customer', currency: 'BRL', size: 210, together: 1, repeats: 0, clashes: true, share: null },
    { do: 'transfer', who: 'merchant', currency: 'USDT', size: 276, together: 1, repeats: 0, clashes: false },
  ]))

test('the simulation holds: a dispute that is left open at its deadline takes no reply', () =>
  holds(294808905, [
    { do: 'begin', settings: { dispute_deadline: 1, daily_limit_returns: 0 } },
    { do: 'wallet', who: 'customer', currency: 'BRL', size: 242, together: 1, repeats: 0, clashes: false },
    { do: 'act', action: 'wallet.deposit', pick: -4, size: 695 },
    { do: 'act', action: 'dispute.open', pick: -3, size: 890 },
    { do: 'until', pick: 0, shortMs: 1 },
    { do: 'advance', ms: 1800000 },
    { do: 'act', action: 'dispute.respond', pick: -1, size: 940 },
  ]))
