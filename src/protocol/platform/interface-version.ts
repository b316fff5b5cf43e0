/** The document of the platform that the sandbox emulates: its title, its version, and when it was read. */

/** `version` is that of §9. The documentation has no date: `date` is the day on which it was read. */
export const emulatedInterface = { version: '2', date: '2026-11-21' } as const

/** By this title an integrator recognizes the platform. */
export const emulatedTitle = 'Payments Service Interface'

const { version, date } = emulatedInterface
export const emulatedInterfaceText = `${emulatedTitle}, version ${version}, documentation of ${date}`
