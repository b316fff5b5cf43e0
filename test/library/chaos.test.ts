/** Chaos from the library: the option of the start, and the methods. */
import { expect, onTestFinished, test } from 'vitest'
import { type StartOptions, startSandbox } from '../../src/testing/index.js'

async function started(options: StartOptions = {}) {
  const sandbox = await startSandbox({ clock: 'manual', ...options })
  onTestFinished(() => sandbox.close())
  return sandbox
}

test('startSandbox takes a preset or faults of your own, and a reset returns to them', async () => {
  const { chaos, reset } = await started({ chaos: { seed: 'a', error: '100%' } })
  expect(await chaos.read()).toEqual({ seed: 'a', error: '100%' })
  expect(await chaos.set('rough')).toMatchObject({ seed: '1', error: '5%', slow: { share: '10%', by: '3s' } })
  expect(await chaos.set('off')).toEqual({})
  await reset()
  expect(await chaos.read()).toEqual({ seed: 'a', error: '100%' })
  const gentle = await started({ chaos: 'gentle', seed: 'mine' })
  expect(await gentle.chaos.read()).toMatchObject({ seed: 'mine', error: '1%' })
})

test('a call of the client meets the faults until chaos ends', async () => {
  const sandbox = await started()
  const charge = () => sandbox.client().cashin({ amount: 25.5, currency: 'BRL' })
  await charge()
  await sandbox.chaos.set({ error: '100%' })
  await expect(charge()).rejects.toMatchObject({ retryable: true })
  await sandbox.chaos.off()
  expect(await charge()).toMatchObject({ status: 'pending' })
})

test('an unknown preset, an unknown fault and a wrong share are usage errors that name the option', async () => {
  const refused = (chaos: unknown) => startSandbox({ chaos } as StartOptions).catch((error: Error) => error.message)
  expect(await refused('ruff')).toContain('chaos must be gentle, rough, off')
  expect(await refused({ error: 1 })).toBe('chaos.error must be a rate such as 1% or 0.5%')
  expect(await refused({ errors: '1%' })).toMatch(/^chaos /)
})
