/** What the sandbox prints in this process about errors that it did not expect. It fails the test, unless a test provoked the error. */
import { inspect } from 'node:util'

/** Errors that a test provokes say so in their message. */
const provoked = /\bby the test\b/

const printed: string[] = []

export function collectPrinted(): void {
  console.error = (...words: unknown[]) => {
    const text = words.map((word) => (typeof word === 'string' ? word : inspect(word))).join(' ')
    if (!provoked.test(text)) printed.push(text)
  }
}

/** The texts since the last call. */
export const takePrinted = (): string[] => printed.splice(0)
