/** The platform's interface that the sandbox emulates: its title, its version, when it was read, and the ids and moments of its examples. */

/** By this title an integrator recognizes the platform. */
export const emulatedTitle = 'Payments Service Interface'

/** `version` is that of interface.md §9. The documentation has no date: `date` is the day on which it was read. */
export const emulatedInterface = { version: '2', date: '2026-11-21' } as const

const { version, date } = emulatedInterface
export const emulatedInterfaceText = `${emulatedTitle}, version ${version}, documentation of ${date}`

/** The source of a row: the interface's own words, or our choice. */
export type Basis = 'spec' | 'assumed'

/** Examples share these, so that they fit together. */
export const exampleAt = '2026-11-21T12:00:00.000-03:00'
export const exampleAtUtc = '2026-11-21T15:00:00.000Z'
export const exampleChargeId = 'tx_0000001egshtftq4r552'
export const exampleE2eId = 'E12345678202611211500WZzgnd0FpHX'
export const exampleInfractionId = '3b7b1478-2487-4cb2-b9bd-9f79efd59f5b'
