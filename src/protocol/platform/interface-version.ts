/** The version of the platform's documentation that the sandbox emulates. */

/** `version` is that of §9. The documentation has no date: `date` is the day on which it was read. */
export const emulatedInterface = { version: '2', date: '2026-11-21' } as const

const { version, date } = emulatedInterface
export const emulatedInterfaceText = `platform API version ${version}, documentation of ${date}`
