/** Example code for failed rules, in three languages. */
import * as client from './client/examples.js'
import * as receiver from './receiver/examples.js'

export const examples = { ...receiver, ...client } as const
export type ExampleName = keyof typeof examples
