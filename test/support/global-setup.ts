/** Builds what users run, once for all test files, and only where a source has changed since. */
import { built } from './built.js'

export default async function setup(): Promise<void> {
  await built()
}
