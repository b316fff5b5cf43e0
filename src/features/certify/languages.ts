/** The languages of the example code. */

export const languages = { node: 'Node', python: 'Python', php: 'PHP' } as const
export type Language = keyof typeof languages
export type Example = Readonly<Record<Language, string>>
