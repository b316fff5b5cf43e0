export const longTests: string[]
